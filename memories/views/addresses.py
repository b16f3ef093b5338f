"""Addresses of a store's pages. People read the path below ``/memories/`` in them, each name percent-encoded."""

from collections.abc import Iterable, Iterator, Mapping
from posixpath import normpath
from urllib.parse import quote, urlencode

from django.http import Http404
from django.urls import reverse

from memories.models import Draft
from memories.paths import MemoryPath
from memories.refusals import PathRefused

SAFE = "/~:@!$&'()*+,;="
"""What a path in an address need not encode (RFC 3986), as Django has it."""


def files(slug: str, path: str, /, **query: object) -> str:
    """Return the address of a file's or a directory's page; ``path`` is canonical."""
    return _page("memories:files", slug, path, query)


def history(slug: str, path: str, /, **query: object) -> str:
    """Return the address of a file's history."""
    return _page("memories:history", slug, path, query)


def agent_view(slug: str, path: str, /, **query: object) -> str:
    """Return the address of what an agent sees at the path."""
    return _page("memories:agent-view", slug, path, query)


def time(slug: str, path: str, /, **query: object) -> str:
    """Return the address of a path as it was at ``at``, a moment of its store."""
    return _page("memories:time", slug, path, query)


def time_tree(slug: str, path: str, /, **query: object) -> str:
    """Return the address of one level of the tree as it was."""
    return _page("memories:time-tree", slug, path, query)


def put_back(slug: str, **query: object) -> str:
    """Return the address of the preview of what putting files back would do."""
    return _with(reverse("memories:put-back", args=[slug]), query)


def all_files(slug: str, /, **query: object) -> str:
    """Return the address of the list of all files of a store, or of those below a relative path."""
    return _with(reverse("memories:all-files", args=[slug]), query)


def new_file(slug: str, *, path: str) -> str:
    """Return the address of the editor of a file to be made; ``path`` is relative, a directory's ends in a slash."""
    return _with(reverse("memories:new-file", args=[slug]), {"path": path})


def of_draft(draft: Draft) -> str:
    """Return the address of the editor that shows the draft."""
    if draft.entry:
        return _with(reverse("memories:edit", args=[draft.entry.uuid]), {"draft": draft.pk})
    return _with(reverse("memories:new-file", args=[draft.store.slug]), {"draft": draft.pk})


def tree(slug: str, path: str, /, **query: object) -> str:
    """Return the address of one level of the tree."""
    return _page("memories:tree", slug, path, query)


def below(slug: str, paths: Iterable[str]) -> Iterator[str]:
    """Yield the addresses of many paths of a store, none of them the root."""
    pages, start = files(slug, MemoryPath.ROOT.text), len(MemoryPath.ROOT.text) + 1
    for path in paths:
        yield pages + quote(path[start:], safe=SAFE)


def linked(path: str, target: str) -> MemoryPath | None:
    """Return the path that a link in the file at ``path`` leads to, or None when no store can hold it.

    A link is read as from the file's own directory, or from the root when it begins with ``/memories/``. A colon in its
    first name would make it an address of another kind, whatever a browser makes of it.
    """
    target = target.partition("#")[0]
    if not target or ":" in target.partition("/")[0]:
        return None
    whole = target if target.startswith("/") else normpath(f"{MemoryPath(path).parent}/{target}")
    try:
        return MemoryPath.parse(whole)
    except PathRefused:
        return None


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
    return _with(reverse(name, kwargs={"slug": slug, "path": relative} if relative else {"slug": slug}), query)


def _with(address: str, query: Mapping[str, object]) -> str:
    given = {key: value for key, value in query.items() if value not in ("", None)}
    return f"{address}?{urlencode(given)}" if given else address
