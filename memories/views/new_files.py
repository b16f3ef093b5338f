"""Making a file: the editor with a path to be chosen."""

from dataclasses import replace
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from memdash.web.requests import UserRequest
from memories import store
from memories.commands import Create
from memories.forms import NewFileForm, typed_path
from memories.models import Draft, MemoryEntry, MemoryStore
from memories.paths import PATH_BYTES, MemoryPath
from memories.refusals import PathRefused, PathTaken, Refused
from memories.store import drafts, notes
from memories.views import addresses
from memories.views.acts import led, person, undo_of, writable_store
from memories.views.drafts import kept, say_discarded
from memories.views.editing import TABS, editor_page
from memories.views.keeping import keep_new, sent_new
from memories.views.neighbours import nearest_folder
from memories.views.numbers import number_in
from memories.views.sheets import Sheet

BEGIN: Final = "begin"
"""The name of the button that begins a new file with a text from elsewhere."""


@require_http_methods(["GET", "POST"])
def new_file(request: UserRequest, slug: str) -> HttpResponse:
    """Show the editor of a file that is to be made, or make it.

    ``?path=`` is where; one that ends in a slash is the directory it shall lie in. What the person left unsaved for
    that path comes back, or the draft that ``?draft=`` names. A path that cannot be used, or a text the store has no
    room for, is answered with 422.
    """
    memory = writable_store(request, slug)
    more: dict[str, Any]
    if request.method == "GET":
        typed = request.GET.get("path", "")[:PATH_BYTES].replace("\0", "")
        left = drafts.of_new_files(request.user.pk, memory).filter(discarded_at=None)
        draft = left.filter(pk=number_in(request, "draft") or 0).first() or left.filter(path=typed).first()
        typed = draft.path if draft else typed
        form = NewFileForm(initial={"path": typed})
        more = {"draft": draft, "came_back": draft is not None, "form": form}
        return _editor(request, memory, Sheet(draft.text if draft else ""), typed, more)
    form = NewFileForm(request.POST)
    sheet, typed = sent_new(request)
    if BEGIN in request.POST:
        typed = request.GET.get("path", "")[:PATH_BYTES].replace("\0", "")
        more = {"draft": keep_new(request, memory, sheet, typed), "form": NewFileForm(initial={"path": typed})}
        return _editor(request, memory, sheet, typed, more)
    more = {"draft": keep_new(request, memory, sheet, typed), "form": form, "note": request.POST.get("note", "")}
    if (tab := request.POST.get("tab")) in TABS:
        # Where it shall lie need not be settled yet.
        form = NewFileForm(initial={"path": typed})
        return _editor(request, memory, sheet, typed, {**more, "form": form, "tab": tab}, partial="tab")
    if form.is_valid():
        try:
            outcome = _made(request, memory, sheet, form, more["draft"])
        except PathTaken as refusal:
            if _says(memory, form.cleaned_data["path"], sheet):
                # The same file again, as from a button that was pressed twice.
                drafts.forget(more["draft"])
                return led(request, addresses.files(slug, form.cleaned_data["path"].text))
            form.add_error("path", refusal.words)
        except PathRefused as refusal:
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
    sheet, typed = sent_new(request)
    return kept(request, memory, sheet, keep_new(request, memory, sheet, typed), addresses.new_file(slug, path=typed))


@require_POST
def discard(request: UserRequest, slug: str) -> HttpResponse:
    """Lead back to the directory; what was typed is kept for a while and may be taken up again."""
    memory = writable_store(request, slug)
    sheet, typed = sent_new(request)
    left = keep_new(request, memory, sheet, typed, discarded=True)
    if left:
        say_discarded(request, left)
    return led(request, addresses.files(slug, _folder(memory, typed).text))


def _made(
    request: UserRequest, memory: MemoryStore, sheet: Sheet, form: NewFileForm, draft: Draft | None
) -> store.Outcome:
    """Make the file, with its note and without its draft, all in one transaction."""
    note = form.cleaned_data["note"]
    with store.locked(memory.pk) as tx:
        outcome = tx.apply(Create(form.cleaned_data["path"], sheet.text), actor=replace(person(request), reason=note))
        for version in outcome.versions:
            notes.set_note(version.entry_id, version.number, note)
        drafts.remove(draft)
    return outcome


def _says(memory: MemoryStore, path: MemoryPath, sheet: Sheet) -> bool:
    """Say whether the text is what lies at the path."""
    entry = MemoryEntry.objects.filter(store=memory).at(path).select_related("blob").first()
    return entry is not None and entry.blob is not None and entry.blob.sha256 == sheet.sha256


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
        "drafts": drafts.of_new_files(request.user.pk, memory),
        **more,
    }
    return editor_page(request, sheet, context, partial=partial, status=status)
