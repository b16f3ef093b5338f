"""The port that pages are served on: taken before anything else starts."""

import contextlib
import errno
import socket
from pathlib import Path


class PortTaken(Exception):
    """The address cannot be listened on; the text says why, who has it where that can be known, and what to do."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket bound to the address; port 0 takes a free one. Raises PortTaken."""
    family, kind, protocol, _, address = _resolved(host, port)
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        # Without listening, a second start could bind the same address before this one is ready to serve.
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise PortTaken(_reason(host, port, error)) from None
    return listener


def url_of(listener: socket.socket) -> str:
    """Return the address of the listening socket as a browser on this machine opens it."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  (replaced, not bound)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(host: str) -> bool:
    """Return whether an address is reached from this machine only."""
    return host in {"localhost", "::1"} or host.startswith("127.")


def who_listens(port: int) -> str:
    """Return ``name (process 42)`` of who listens on the port, or nothing where this system does not tell."""
    inodes = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError):
            rows = [row.split() for row in Path(table).read_text().splitlines()[1:]]
            inodes |= {row[9] for row in rows if row[3] == "0A" and int(row[1].rpartition(":")[2], 16) == port}
    for process in Path("/proc").glob("[0-9]*") if inodes else ():
        with contextlib.suppress(OSError):
            for descriptor in (process / "fd").iterdir():
                if str(descriptor.readlink()) in {f"socket:[{inode}]" for inode in inodes}:
                    return f"{(process / 'comm').read_text().strip()} (process {process.name})"
    return ""


def _resolved(host: str, port: int) -> tuple[int, int, int, str, tuple[object, ...]]:
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except socket.gaierror:
        raise PortTaken(f"There is no address {host}. Check MEMDASH_HOST or --host.") from None


def _reason(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        who = who_listens(port)
        holder = f" by {who}" if who else ""
        return f"Port {port} on {host} is in use{holder}. Stop that, or take another: --port 0 finds a free one."
    if error.errno == errno.EACCES:
        return f"This user may not listen on port {port}. Take one from 1024 up: --port 8787."
    return f"Cannot listen on {host}, port {port}: {error.strerror}. Check MEMDASH_HOST and MEMDASH_PORT."
