"""Addresses of a store's pages. People read the path below ``/memories/`` in them, each name percent-encoded."""

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from django.http import Http404
from django.urls import reverse

from memories.paths import MemoryPath
from memories.refusals import PathRefused

SAFE = "/~:@!$&'()*+,;="
"""What a path in an address need not encode (RFC 3986)."""


def files(slug: str, path: str, **query: object) -> str:
    """Return the address of a file's or a directory's page; ``path`` is canonical."""
    return _page("memories:files", slug, path, query)


def history(slug: str, path: str, **query: object) -> str:
    """Return the address of a file's history."""
    return _page("memories:history", slug, path, query)


def agent_view(slug: str, path: str, **query: object) -> str:
    """Return the address of what an agent sees at the path."""
    return _page("memories:agent-view", slug, path, query)


def tree(slug: str, path: str, **query: object) -> str:
    """Return the address of one level of the tree."""
    return _page("memories:tree", slug, path, query)


def encoded(path: str) -> str:
    """Return the part of ``path`` below the root as an address carries it."""
    return quote(MemoryPath(path).relative, safe=SAFE)


def read(relative: str) -> MemoryPath:
    """Return the path that an address names; raise Http404 when no store can hold it."""
    if not relative:
        return MemoryPath.ROOT
    try:
        return MemoryPath.parse(f"{MemoryPath.ROOT}/{relative}")
    except PathRefused as refusal:
        raise Http404(str(refusal)) from refusal


def _page(name: str, slug: str, path: str, query: Mapping[str, object]) -> str:
    relative = MemoryPath(path).relative
    address = reverse(name, kwargs={"slug": slug, "path": relative} if relative else {"slug": slug})
    given = {key: value for key, value in query.items() if value not in ("", None)}
    return f"{address}?{urlencode(given)}" if given else address
