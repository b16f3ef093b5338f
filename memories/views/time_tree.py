"""The tree as it was at a moment: read only, one directory at a time."""

from dataclasses import dataclass, replace
from typing import Final

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from memdash.web.pages import render_page, wants_part
from memdash.web.requests import UserRequest
from memories import access
from memories.models import MemoryStore
from memories.moments import Child, Cursor, LevelAt, levels_at
from memories.paths import MemoryPath
from memories.views import addresses
from memories.views.levels import unlisted
from memories.views.numbers import number_in

PAGE_ROWS: Final = 40
"""How many rows of each open directory a whole page shows at first."""

MOST_OPEN: Final = 4
"""How many directories above its path a page opens; what lies higher has its own."""

FRAGMENT_ROWS: Final = 200


@dataclass(frozen=True, slots=True)
class RowAt:
    """One path of then; an open directory has what lay in it ``inside``. ``news`` is what has become of it."""

    child: Child
    url: str
    news: str = ""
    unlisted: bool = False
    selected: bool = False
    inside: "RowsAt | None" = None


@dataclass(frozen=True, slots=True)
class RowsAt:
    """Rows of one directory; ``more`` is the address of those that follow, ``next`` of a page that begins with them."""

    number: int
    rows: tuple[RowAt, ...]
    more: str = ""
    next: str = ""


@require_http_methods(["GET", "POST"])
def time_tree(request: UserRequest, slug: str, path: str = "") -> HttpResponse:
    """Answer with rows of a directory of then; a POST is the tree's script, which opens or closes it.

    A browser that asks for a whole page is led to the directory's own.
    """
    store = access.store_for(request.user, slug)
    folder, seq = addresses.read(path), moment_in(request, store)
    if not wants_part(request):
        return redirect(addresses.time(slug, folder.text, at=seq, after=request.GET.get("after", "")))
    if request.POST.get("open") == "false":
        return HttpResponse(status=204)
    (level,) = levels_at(store, seq, [folder], FRAGMENT_ROWS, after=cursor_in(request))
    return render_page(request, "memories/time_level.html", {"level": rows_of(store, seq, folder, level)})


def cursor_in(request: UserRequest) -> Cursor | None:
    """Return the place in a directory that an address begins behind; a directory's name ends in a slash there."""
    after = request.GET.get("after", "")
    return Cursor(after.endswith("/"), after.rstrip("/")) if after else None


def moment_in(request: UserRequest, store: MemoryStore) -> int:
    """Return the moment that an address asks for with ``?at=``, now without one; Http404 for one that has not come."""
    seq = number_in(request, "at")
    if seq is None:
        if request.GET.get("at"):
            raise Http404("A moment is the number of a change.")
        return store.seq
    if seq > store.seq:
        raise Http404("The store has not had so many changes.")
    return seq


def tree_at(store: MemoryStore, seq: int, folder: MemoryPath, file: MemoryPath | None) -> tuple[RowsAt, list[LevelAt]]:
    """Return the tree with ``folder`` open and the way to it, and the levels it was made of; one query."""
    whole = [*reversed(list(folder.ancestors())), folder]
    chain = [whole[0], *whole[1:][-MOST_OPEN:]]
    levels = levels_at(store, seq, chain, PAGE_ROWS, last=file.name if file else "")
    inside: RowsAt | None = None
    for place in range(len(chain) - 1, -1, -1):
        rows = rows_of(store, seq, chain[place], levels[place], selected=file or folder)
        if inside is not None:
            opened = chain[place + 1].name
            rows = replace(
                rows,
                rows=tuple(
                    replace(row, inside=inside) if row.child.is_folder and row.child.name == opened else row
                    for row in rows.rows
                ),
            )
        inside = rows
    assert inside is not None
    return inside, levels


def rows_of(
    store: MemoryStore, seq: int, folder: MemoryPath, level: LevelAt, *, selected: MemoryPath | None = None
) -> RowsAt:
    """Return the children of a directory as rows of the tree."""
    more = following = ""
    if level.more and level.children:
        last = level.children[-1]
        after = last.name + "/" * last.is_folder
        more = addresses.time_tree(store.slug, folder.text, at=seq, after=after)
        following = addresses.time(store.slug, folder.text, at=seq, after=after)
    rows = tuple(_row(store, seq, folder, child, selected) for child in level.children)
    return RowsAt(folder.depth + 1, rows, more, following)


def news_of(child: Child) -> str:
    """Return what has become of a file or of those in a directory since; empty where nothing has."""
    if child.is_folder:
        count = child.differs + child.moved + child.gone
        return f"{count} changed" if count else ""
    words = {"differs": child.differs, "moved": child.moved, "gone now": child.gone}
    return next((word for word, holds in words.items() if holds), "")


def _row(store: MemoryStore, seq: int, folder: MemoryPath, child: Child, selected: MemoryPath | None) -> RowAt:
    path = f"{folder}/{child.name}"
    url = addresses.time(store.slug, path, at=seq)
    is_selected = selected is not None and path == selected.text
    return RowAt(child, url, news_of(child), unlisted(path), is_selected)
