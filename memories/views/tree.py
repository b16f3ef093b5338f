"""The tree pane: which directories stand open, one level at a time, and the paths that hold a few letters."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from memdash.web.pages import render_page, wants_part
from memdash.web.requests import UserRequest
from memories import access
from memories.models import Kind, MemoryEntry, MemoryStore, State
from memories.paths import MemoryPath
from memories.views import addresses
from memories.views.levels import RELATIVE, Cursor, Level, Levels
from memories.views.marks import Eyes, Listed, eyes_of

FRAGMENT_ROWS: Final = 200
ROOT_ROWS: Final = 100
FOLDER_ROWS: Final = 60
PAGE_ROWS: Final = 150
"""What a whole page shows of the tree at first: its text needs the rest of the 100 KB."""

FEWEST_ROWS: Final = 4
"""A directory above the page's path shows at least these, so that the path is always among them."""

OPEN_FOLDERS: Final = 16
"""How many open directories of a store a session remembers."""

HITS: Final = 100
QUERY_CHARACTERS: Final = 200
SESSION_KEY: Final = "open-folders"


@dataclass(frozen=True, slots=True)
class Tree:
    """What the tree pane shows: the root's level or, with a ``query``, the files found and what they lie in."""

    level: Level
    files: int
    query: str = ""
    found: int = 0

    @property
    def words(self) -> str:
        """What the filter came to, for eyes and ears; empty without a query."""
        if not self.query:
            return ""
        if self.found == 0:
            return f"{self.files:,} files, none has “{self.query}” in its path."
        shown = f", the first {HITS} are shown" if self.found > HITS else ""
        return f"{self.files:,} files, {self.found:,} {'matches' if self.found == 1 else 'match'}{shown}."


def tree_of(request: UserRequest, store: MemoryStore, eyes: Eyes, selected: MemoryPath, folder: MemoryPath) -> Tree:
    """Return the tree with the selected path in sight, ``folder`` open, and the directories that the session remembers.

    With ``?q=`` it shows what the filter finds instead.
    """
    levels = Levels(store, eyes, selected)
    if query := query_of(request):
        return filtered(levels, query)
    return Tree(_opened(levels, folder, opened_in(request, store)), store.file_count)


def query_of(request: UserRequest) -> str:
    """Return the letters that paths have to hold, composed as paths are."""
    return unicodedata.normalize("NFC", request.GET.get("q", "").strip())[:QUERY_CHARACTERS]


def filtered(levels: Levels, query: str) -> Tree:
    """Return the files whose path holds ``query``, whatever the case of its letters, below their directories."""
    live = MemoryEntry.objects.filter(store=levels.store, state=State.LIVE)
    matching = live.filter(kind=Kind.FILE).alias(relative=RELATIVE).filter(relative__icontains=query)
    hits = levels.eyes.listed(levels.eyes.over(matching).order_by("path")[: HITS + 1])
    found = len(hits) if len(hits) <= HITS else matching.count()
    above = {folder for hit in hits[:HITS] for folder in MemoryPath(hit.path).ancestors() if not folder.is_root}
    folders = levels.eyes.listed(levels.eyes.over(live.at(*above))) if above else []
    return Tree(_nested(levels, [*folders, *hits[:HITS]]), levels.store.file_count, query, found)


def opened_in(request: UserRequest, store: MemoryStore) -> list[str]:
    """Return the paths of the directories that the person has left open in the store, the last one opened last."""
    remembered: dict[str, list[str]] = request.session.get(SESSION_KEY, {})
    return remembered.get(str(store.pk), [])


def remember(request: UserRequest, store: MemoryStore, folder: MemoryPath, *, is_open: bool) -> None:
    """Remember in the session that a directory was opened or closed; the longest open ones are forgotten."""
    opened = [path for path in opened_in(request, store) if path != folder.text]
    if is_open:
        opened.append(folder.text)
    remembered = request.session.setdefault(SESSION_KEY, {})
    remembered[str(store.pk)] = opened[-OPEN_FOLDERS:]
    request.session.modified = True


@require_http_methods(["GET", "POST"])
def tree(request: UserRequest, slug: str, path: str = "") -> HttpResponse:
    """Answer with more rows of a directory, or with what the filter finds; a POST opens or closes the directory.

    A browser that asks for a whole page is led to the directory's own.
    """
    store = access.store_for(request.user, slug)
    folder = addresses.read(path)
    if request.method == "POST":
        is_open = request.POST.get("open") == "true"
        remember(request, store, folder, is_open=is_open)
        if not is_open:
            return HttpResponse(status=204)
    if not wants_part(request):
        more = {name: request.GET.get(name, "") for name in ("q", "before", "after")}
        return redirect(addresses.files(slug, folder.text, **more))
    eyes = eyes_of(request.user.pk, store)
    if "q" in request.GET:
        page = _page_of(request, store)
        shown = tree_of(request, store, eyes, page, page.parent)
        response = render_page(request, "memories/tree_rows.html", {"store": store, "tree": shown})
        response["HX-Replace-Url"] = addresses.files(slug, page.text, q=shown.query)
        return response
    levels = Levels(store, eyes)
    before = Cursor.read(request.GET.get("before", ""))
    level = (
        levels.before(folder, before, FRAGMENT_ROWS)
        if before
        else levels.after(folder, Cursor.read(request.GET.get("after", "")), FRAGMENT_ROWS)
    )
    return render_page(request, "memories/tree_level.html", {"level": level})


def _page_of(request: UserRequest, store: MemoryStore) -> MemoryPath:
    """Return the path whose page the browser shows, which may have changed since the tree came."""
    page = unquote(urlsplit(request.headers.get("HX-Current-URL", "")).path)
    pages = addresses.files(store.slug, MemoryPath.ROOT.text)
    return addresses.read(page.removeprefix(pages).rstrip("/")) if page.startswith(pages) else MemoryPath.ROOT


def _opened(levels: Levels, folder: MemoryPath, remembered: list[str]) -> Level:
    """Return the root's level with ``folder`` and all above it open, then what is remembered while rows are left."""
    selected = levels.selected if levels.selected != folder else None
    chain = [*reversed(list(folder.ancestors())), folder]
    known: dict[str, Level] = {}
    left = PAGE_ROWS
    for opened, child in zip(chain, [*chain[1:], selected], strict=True):
        kept_back = FEWEST_ROWS * (len(chain) - len(known) - 1)
        most = ROOT_ROWS if opened.is_root else FOLDER_ROWS
        level = levels.around(opened, child, max(min(most, left - kept_back), FEWEST_ROWS))
        known[opened.text] = level
        left -= len(level.rows)
    for path in sorted(map(MemoryPath, remembered), key=lambda path: (path.depth, path)):
        above = known.get(path.parent.text)
        if path.text in known or above is None or left <= 0:
            continue
        if any(row.path == path.text and row.is_folder for row in above.rows):
            level = levels.after(path, None, min(FOLDER_ROWS, left))
            known[path.text] = level
            left -= len(level.rows)
    return known[MemoryPath.ROOT.text].holding(known)


def _nested(levels: Levels, entries: Iterable[Listed]) -> Level:
    """Return the entries as a tree of levels; the directories of each are among them."""
    inside: dict[str, list[Listed]] = defaultdict(list)
    for entry in sorted(entries, key=lambda entry: (entry.kind, entry.path)):
        inside[MemoryPath(entry.path).parent.text].append(entry)
    known = {folder: levels.of(children, MemoryPath(folder).depth + 1) for folder, children in inside.items()}
    root = known.get(MemoryPath.ROOT.text, Level(1, ()))
    return root.holding(known)
