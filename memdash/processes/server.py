"""The server of pages: uvicorn in this process, stopped by Ctrl-C or SIGTERM within five seconds."""

import asyncio
import os
import signal
import socket
import sys
import threading
from argparse import ArgumentParser
from collections.abc import Callable
from types import FrameType

import uvicorn
from django.conf import settings
from django.core.management.base import CommandError

from memdash.config import Config
from memdash.processes.port import PortTaken, is_loopback, listen

HANG_UP_SECONDS = 1.0
LEAVE_SECONDS = 4.5


def add_listen_arguments(parser: ArgumentParser, config: Config) -> None:
    """Take where to listen from the command line, else from the settings."""
    parser.add_argument("--host", default=config.host, help="address to listen on (%(default)s)")
    parser.add_argument("--port", type=int, default=config.port, help="port; 0 takes a free one (%(default)s)")


def open_listener(host: str, port: int, config: Config) -> socket.socket:
    """Return the listening socket, or raise CommandError saying what is in the way; pages answer to its host."""
    refuse_plain_http(host, config)
    try:
        listener = listen(host, port)
    except PortTaken as taken:
        raise CommandError(str(taken)) from None
    settings.ALLOWED_HOSTS.append(f"[{host}]" if ":" in host else host)
    return listener


def refuse_plain_http(host: str, config: Config) -> None:
    """Raise CommandError when passwords would cross a network in the clear and the settings do not allow that."""
    if not (is_loopback(host) or config.tls or config.allow_plain_http):
        raise CommandError(
            f"On {host} passwords would travel unencrypted. Put a proxy with TLS in front and set MEMDASH_PUBLIC_URL to"
            " its https address, or set MEMDASH_ALLOW_PLAIN_HTTP=on if nobody else is on this network."
        )


def serve(listener: socket.socket, config: Config, ready: Callable[[], None]) -> None:
    """Serve pages on the socket until SIGINT or SIGTERM; ``ready`` is called once pages are served."""
    # uvicorn raises the signal that stopped it again when it is done; we are done by then too, and leave with 0.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    options = uvicorn.Config(
        "memdash.asgi:application",
        lifespan="on",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(config.trusted_proxies),
        forwarded_allow_ips=list(config.trusted_proxies),
        timeout_graceful_shutdown=2,
    )
    _Server(options, ready).run(sockets=[listener])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.should_exit:
            # A stuck request or worker must not hold the operator. The rows are the truth, so leaving loses nothing.
            leave = threading.Timer(LEAVE_SECONDS, _leave)
            leave.daemon = True
            leave.start()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Live pages keep their streams open for minutes. Hanging up ends them as a browser that leaves would.
        asyncio.get_running_loop().call_later(HANG_UP_SECONDS, self._hang_up)
        await super().shutdown(sockets)

    def _hang_up(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.close()


def _leave() -> None:
    sys.stdout.flush()
    os._exit(0)
