"""Making a file: the editor with a path to be chosen."""

from dataclasses import replace
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from memdash.web.requests import UserRequest
from memories import store
from memories.commands import Create
from memories.diffs import with_line_feeds
from memories.forms import NewFileForm, typed_path
from memories.models import Draft, MemoryStore
from memories.paths import PATH_BYTES, MemoryPath
from memories.refusals import PathRefused, PathTaken, Refused
from memories.store import drafts, notes
from memories.views import addresses
from memories.views.acts import led, person, undo_of, writable_store
from memories.views.drafts import kept, say_discarded
from memories.views.editing import TABS, editor_page
from memories.views.neighbours import nearest_folder
from memories.views.sheets import Sheet

OFFERED: Final = 5
"""How many other drafts of new files the page offers."""


@require_http_methods(["GET", "POST"])
def new_file(request: UserRequest, slug: str) -> HttpResponse:
    """Show the editor of a file that is to be made, or make it.

    ``?path=`` is where; one that ends in a slash is the directory it shall lie in. What the person left unsaved for
    that path comes back. A path that cannot be used, or a text the store has no room for, is answered with 422.
    """
    memory = writable_store(request, slug)
    if request.method == "GET":
        typed = request.GET.get("path", "")[:PATH_BYTES].replace("\0", "")
        draft = drafts.of_new_files(request.user.pk, memory).filter(path=typed, discarded_at=None).first()
        form = NewFileForm(initial={"path": typed})
        more: dict[str, Any] = {"draft": draft, "came_back": draft is not None, "form": form}
        return _editor(request, memory, Sheet(draft.text if draft else ""), typed, more)
    form = NewFileForm(request.POST)
    sheet, typed = _sent(request)
    more = {"draft": _keep(request, memory, sheet, typed), "form": form, "note": request.POST.get("note", "")}
    if (tab := request.POST.get("tab")) in TABS:
        # Where it shall lie need not be settled yet.
        form = NewFileForm(initial={"path": typed})
        return _editor(request, memory, sheet, typed, {**more, "form": form, "tab": tab}, partial="sheet")
    if form.is_valid():
        try:
            outcome = _made(request, memory, sheet, typed, form)
        except (PathTaken, PathRefused) as refusal:
            form.add_error("path", refusal.words)
        except Refused as refusal:
            form.add_error("text", refusal.words)
        else:
            (version,) = outcome.versions
            name = MemoryPath(version.path).name
            messages.success(request, f"Made {name}.", extra_tags=undo_of(outcome))
            return led(request, addresses.files(slug, version.path))
    return _editor(request, memory, sheet, typed, more, status=422)


@require_POST
def draft(request: UserRequest, slug: str) -> HttpResponse:
    """Keep what was typed as the person's draft of a file of that path."""
    memory = writable_store(request, slug)
    sheet, typed = _sent(request)
    return kept(request, memory, sheet, _keep(request, memory, sheet, typed), addresses.new_file(slug, path=typed))


@require_POST
def discard(request: UserRequest, slug: str) -> HttpResponse:
    """Lead back to the directory; what was typed is kept for a while and may be taken up again."""
    memory = writable_store(request, slug)
    sheet, typed = _sent(request)
    left = _keep(request, memory, sheet, typed, discarded=True)
    if left:
        say_discarded(request, left)
    return led(request, addresses.files(slug, _folder(memory, typed).text))


def _sent(request: HttpRequest) -> tuple[Sheet, str]:
    """Return what was typed, whatever is wrong with it: the text, and the path as it stands in its field."""
    text = request.POST.get("text", "").replace("\0", "")
    typed = request.POST.get("path", "").strip()[:PATH_BYTES].replace("\0", "")
    return Sheet(with_line_feeds(text)), typed


def _keep(
    request: UserRequest, memory: MemoryStore, sheet: Sheet, typed: str, *, discarded: bool = False
) -> Draft | None:
    known_as = request.POST.get("known_as", typed)[:PATH_BYTES].replace("\0", "")
    if not sheet.text:
        drafts.forget_new(request.user.pk, memory, known_as)
        return None
    return drafts.keep_new(request.user.pk, memory, typed, sheet.text, known_as=known_as, discarded=discarded)


def _made(request: UserRequest, memory: MemoryStore, sheet: Sheet, typed: str, form: NewFileForm) -> store.Outcome:
    """Make the file, with its note and without its draft, all in one transaction."""
    note = form.cleaned_data["note"]
    with store.locked(memory.pk) as tx:
        outcome = tx.apply(Create(form.cleaned_data["path"], sheet.text), actor=replace(person(request), reason=note))
        for version in outcome.versions:
            notes.set_note(version.entry_id, version.number, note)
        drafts.remove_new(request.user.pk, memory, typed)
    return outcome


def _place(typed: str) -> MemoryPath:
    """Return the path that was typed, or the root as long as it is none."""
    try:
        return typed_path(typed)
    except PathRefused:
        return MemoryPath.ROOT


def _folder(memory: MemoryStore, typed: str) -> MemoryPath:
    """Return the directory in which the file shall lie, or the nearest one above that there is."""
    return nearest_folder(memory, _place(f"{typed}new" if typed.endswith("/") else typed))


def _editor(
    request: UserRequest,
    memory: MemoryStore,
    sheet: Sheet,
    typed: str,
    more: dict[str, Any],
    *,
    partial: str = "edit",
    status: int = 200,
) -> HttpResponse:
    others = drafts.of_new_files(request.user.pk, memory)
    if more["draft"]:
        others = others.exclude(pk=more["draft"].pk)
    folder = _folder(memory, typed)
    context: dict[str, Any] = {
        "store": memory,
        "path": _place(typed),
        "tab": "write",
        "note": "",
        "came_back": False,
        "discarded": None,
        "entry": None,
        "heading": "New file",
        "title": f"New file · {memory.name}",
        "address": reverse("memories:new-file", args=[memory.slug]),
        "draft_address": reverse("memories:new-file-draft", args=[memory.slug]),
        "discard_address": reverse("memories:new-file-discard", args=[memory.slug]),
        "place": folder,
        "back": addresses.files(memory.slug, folder.text),
        "line": "",
        "news": None,
        "live_runs": (),
        "others": list(others[:OFFERED]),
        **more,
    }
    return editor_page(request, sheet, context, partial=partial, status=status)
