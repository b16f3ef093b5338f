"""Which addresses a worker may call with the operator's key."""

import ipaddress
import re
import socket
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str], Iterable[str]]

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_ODD = re.compile(r"[^\x21-\x7e]|[\\?#%]")


class AddressRefused(Exception):
    """The address may not be called; the text names the rule and the setting that changes it."""


class NameUnknown(Exception):
    """The name of the host could not be resolved now; later it may."""


def check_base_url(url: str, *, allow_private: bool, resolve: Resolve | None = None) -> str:
    """Return ``url`` without its final slash if the key may be sent there.

    Raises AddressRefused for anything but https to a public host (with ``allow_private``: also http, to hosts that are
    not public), and NameUnknown when the host does not resolve.
    """
    if _ODD.search(url):
        raise AddressRefused(_rule("must be printable ASCII without query, fragment, backslash or percent sign"))
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        raise AddressRefused(_rule("is not a well-formed address")) from None
    if parts.username is not None or parts.password is not None:
        raise AddressRefused(_rule("must not hold a user name or a password"))
    if parts.scheme not in {"https", "http"} or not host or port == 0:
        raise AddressRefused(_rule("must be https:// with a host"))
    if parts.scheme == "http" and not allow_private:
        raise AddressRefused(_rule("must be https; plain http needs MEMDASH_ALLOW_PRIVATE_BASE_URL=true"))
    public = [is_public(address) for address in (resolve or _addresses)(host)]
    if not all(public) and not allow_private:
        raise AddressRefused(_rule("leads to a private address, which needs MEMDASH_ALLOW_PRIVATE_BASE_URL=true"))
    if parts.scheme == "http" and any(public):
        raise AddressRefused(_rule("must be https: the key would travel in plain text to a public host"))
    return url.rstrip("/")


def is_public(address: str) -> bool:
    """Return whether ``address`` is on the public internet, seen through every way of wrapping IPv4 into IPv6."""
    ip: Address = ipaddress.ip_address(address.partition("%")[0])
    return all(each.is_global and not each.is_multicast for each in (ip, *_wrapped(ip)))


def _wrapped(ip: Address) -> list[Address]:
    if isinstance(ip, ipaddress.IPv4Address):
        return []
    inner = [ip.ipv4_mapped, ip.sixtofour, *(ip.teredo or ())]
    if ip in _NAT64:
        inner.append(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
    return [each for each in inner if each is not None]


def _addresses(host: str) -> list[str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NameUnknown(f"The name {host} could not be resolved.") from None
    return [str(sockaddr[0]) for *_, sockaddr in found]


def _rule(text: str) -> str:
    return f"ANTHROPIC_BASE_URL {text}."
