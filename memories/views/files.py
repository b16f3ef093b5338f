"""A store's files: the tree, a file or a directory, and what is known about it."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from memdash.web.pages import render_page, wants_part
from memdash.web.requests import UserRequest
from memories import access
from memories.models import Kind, MemoryEntry, MemoryStore
from memories.models.entries import Media
from memories.paths import MemoryPath
from memories.store import drafts
from memories.views import addresses
from memories.views.about import about
from memories.views.all_files import verbs_for
from memories.views.authors import Authors, authors_of
from memories.views.blame import blame_of
from memories.views.contents import text_of
from memories.views.folders import folder_page, new_files, trashed_in
from memories.views.levels import Levels, unlisted
from memories.views.line_menu import LineMenus
from memories.views.links import Links
from memories.views.marks import Eyes, Listed, eyes_of
from memories.views.missing import gone_from
from memories.views.numbers import number_in
from memories.views.places import above
from memories.views.readers import readers_of
from memories.views.texts import is_markdown, page_with, rendered
from memories.views.tree import tree_of
from memories.views.words import Typed, label_in, labelled, labels_in, words_of

Context = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Act:
    """A button of a file's page: what it says and where it posts to. ``id`` keeps the focus on it when it has acted."""

    id: str
    icon: str
    label: str
    url: str
    key: str = ""


@require_GET
def files(request: UserRequest, slug: str, path: str = "") -> HttpResponse:
    """Show what lives at a path, beside the tree; where nothing does, say what became of it.

    ``?view=raw`` shows Markdown as it is written, ``?view=blame`` who wrote what, ``?view=readers`` who read a line;
    ``?from=`` is the line a page of text begins with, ``?line=`` one that is picked, ``?q=`` filters the tree. Of a
    folder, ``?label=`` lists the files below it that bear the label.
    """
    return show(request, access.store_for(request.user, slug), addresses.read(path))


def show(request: UserRequest, store: MemoryStore, path: MemoryPath, typed: Typed | None = None) -> HttpResponse:
    """Answer with the page of ``path``, or with its part beside the tree when htmx asked for a part.

    ``typed`` is a note on the file that could not be saved, for its field.
    """
    eyes = eyes_of(request.user.pk, store)
    entry = _live(store, path, eyes)
    status = 200
    may_write = access.may_write(request.user, store)
    if entry and entry.kind == Kind.FILE:
        context, folder = _file(request, store, entry, eyes, may_write=may_write), path.parent
        if context["kind"] not in ("blame", "readers"):
            context["words"] = words_of(store, entry, typed, may_write=may_write)
        status = typed.status if typed else 200
    elif (entry or path.is_root) and (label := label_in(request)):
        found = labelled(request, MemoryStore.objects.none(), label, store=store, path=path)
        context, folder = {"detail": "memories/labelled_pane.html", "found": found}, path
    elif entry or path.is_root:
        context, folder = _folder(request, store, entry, path, eyes, may_write=may_write), path
    else:
        context = {"detail": "memories/missing.html", "gone": gone_from(request, store, path)}
        folder, status = path.parent, 404
    context |= {
        "title": f"{path.relative or 'Files'} · {store.name}",
        "store": store,
        "path": path,
        "crumbs": crumbs(store, path),
        "agent_view": addresses.agent_view(store.slug, path.text),
        "time_url": addresses.time(store.slug, path.text, at=store.seq) if store.seq else "",
        "address": addresses.files(store.slug, path.text),
        "may_write": may_write,
        "new_file": addresses.new_file(store.slug, path=f"{folder.relative}/" if not folder.is_root else ""),
        "swapped": wants_part(request),
    }
    if wants_part(request):
        # An answer with an error code is not swapped in, and somebody who followed a link wants to read what happened.
        response = render_page(
            request, "memories/files.html", context, partial="detail", status=typed.status if typed else 200
        )
        if request.method == "GET":
            response["HX-Push-Url"] = request.get_full_path()
        return response
    context["at"] = above(request, store)[0].url
    context["tree"] = tree_of(request, store, eyes, path, folder)
    return render_page(request, "memories/files.html", context, status=status)


def crumbs(store: MemoryStore, path: MemoryPath) -> list[tuple[str, str]]:
    """Return the names on the way to the path, the root first, each with the address of its page."""
    chain = [*reversed(list(path.ancestors())), path]
    return [(step.name, addresses.files(store.slug, step.text)) for step in chain]


def _live(store: MemoryStore, path: MemoryPath, eyes: Eyes) -> MemoryEntry | None:
    entries = MemoryEntry.objects.filter(store=store).at(path)
    return eyes.over(entries).select_related("blob").first()


def _file(request: UserRequest, store: MemoryStore, entry: MemoryEntry, eyes: Eyes, *, may_write: bool) -> Context:
    entry.store = store
    may_edit = may_write and entry.media == Media.TEXT
    seen = Listed._make(getattr(entry, name) for name in Listed._fields)
    context: Context = {
        "detail": "memories/file.html",
        "entry": entry,
        "acts": _acts(entry) if may_write else (),
        "edit_url": reverse("memories:edit", args=[entry.uuid]) if may_edit else "",
        "draft": drafts.of_file(request.user.pk, entry).defer("text").first() if may_edit else None,
        # Whoever opens the page has seen the file.
        "marks": eyes.marks_of(seen._replace(seen_version=entry.version)),
        "is_new": eyes.is_new(seen),
        "is_old": eyes.is_old(seen),
        "is_unknown": eyes.is_unknown(seen),
        "unlisted": unlisted(entry.path),
        "history": addresses.history(store.slug, entry.path),
    }
    if entry.media != Media.TEXT:
        return {**context, "kind": "image", "about": about(request, entry, None, None)}
    text = text_of(entry.blob)
    markdown = is_markdown(entry.path)
    authors = authors_of(entry)
    context |= {"about": about(request, entry, text, authors), "is_markdown": markdown}
    view, line = request.GET.get("view"), number_in(request, "line")
    if view in ("blame", "readers"):
        return {**context, "kind": view, **_attribution(request, entry, text, authors)}
    if markdown and view != "raw":
        menus = LineMenus(entry, may_write, line)
        shown = rendered(text, Links(store, MemoryPath(entry.path)), menus.marks())
        if not (line and shown.later and line >= shown.later):
            return {**context, "kind": "rendered", "rendered": shown, "menus": menus}
    menus = LineMenus(entry, may_write, line, "?view=raw&line=" if markdown else "?line=")
    return {**context, "kind": "raw", "numbered": page_with(text, number_in(request, "from"), line), "menus": menus}


def _attribution(request: UserRequest, entry: MemoryEntry, text: str, authors: Authors | None) -> Context:
    if authors is None:
        return {"is_untraced": True, "picked": None}
    if request.GET["view"] == "blame":
        blame = blame_of(request, entry, text, authors)
        return {"blame": blame, "picked": blame.picked}
    readers = readers_of(request, entry, text, authors)
    return {"readers": readers, "picked": readers.wrote}


def _folder(
    request: UserRequest,
    store: MemoryStore,
    entry: MemoryEntry | None,
    path: MemoryPath,
    eyes: Eyes,
    *,
    may_write: bool,
) -> Context:
    return {
        "detail": "memories/folder.html",
        "folder": folder_page(request, store, entry, Levels(store, eyes), path),
        "new_files": new_files(store, eyes) if path.is_root else 0,
        "labels": labels_in(store) if path.is_root else (),
        "trashed": trashed_in(store) if path.is_root else 0,
        "unlisted": unlisted(path.text),
        "replace_query": urlencode({"store": store.slug, "within": path.relative}),
        "verbs": verbs_for(may_write=may_write),
        "all_files": addresses.all_files(store.slug, within=path.relative),
    }


def _acts(entry: MemoryEntry) -> tuple[Act, ...]:
    pin = ("unpin", "Unpin") if entry.pinned else ("pin", "Pin")
    lock = ("unlock", "Unlock") if entry.locked else ("lock", "Lock")
    return (
        Act("act-pin", "pin", pin[1], reverse(f"memories:{pin[0]}", args=[entry.uuid]), "p"),
        Act("act-lock", "lock", lock[1], reverse(f"memories:{lock[0]}", args=[entry.uuid])),
    )
