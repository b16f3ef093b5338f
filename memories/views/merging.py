"""Merging a text with what became of its file meanwhile: choices are made, looked at, saved, or edited on."""

from dataclasses import dataclass, replace
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from memdash.web.errors import NotUnderstood
from memdash.web.formats import counted
from memdash.web.requests import UserRequest
from memories import access
from memories.forms import MergeForm
from memories.models import Draft, MemoryEntry, State
from memories.models.entries import Media
from memories.refusals import ContentChanged, PathMissing, Refused
from memories.store import drafts
from memories.views import addresses, conflicts, sheets
from memories.views.acts import led, writable_file
from memories.views.choices import Choice, Replies, Settling, replies_in, settling
from memories.views.drafts import say_discarded
from memories.views.editing import editor
from memories.views.keeping import keep
from memories.views.numbers import number_in, number_of
from memories.views.saving import led_to_saved, saved
from memories.views.sheets import Sheet

CHANGED_AGAIN = "The file changed again before this was saved. Choices stand where the lines are still the same."


@dataclass(frozen=True, slots=True)
class Sent:
    """What the form of a merge held, and the file as it is now."""

    request: UserRequest
    entry: MemoryEntry
    sheet: Sheet
    form: MergeForm
    replies: Replies
    draft: Draft | None

    @property
    def note(self) -> str:
        return self.request.POST.get("note", "")

    def page(self, entry: MemoryEntry, **more: object) -> HttpResponse:
        """Return the page again, made with the file ``entry``."""
        return conflicts.page(self.request, entry, self.sheet, self.note, self.draft, **more)  # type: ignore[arg-type]


@require_http_methods(["GET", "POST"])
def merge(request: UserRequest, file_id: UUID) -> HttpResponse:
    """Show the merge of what the person left unsaved with the file as it is, or take the choices made on it.

    ``?draft=`` is which of several drafts. A form saves, previews, takes one side everywhere or goes on in the editor,
    by its button. A save is answered with 409 and the page when the file has changed again, with 422 when a conflict
    has no choice yet.
    """
    entry = writable_file(request, file_id)
    if request.method != "POST":
        mine = drafts.of_file(request.user.pk, entry).filter(discarded_at=None)
        draft = mine.filter(pk=number_in(request, "draft") or 0).first() or mine.first()
        if draft is None or (entry.state == State.LIVE and draft.base_version >= entry.version):
            return redirect("memories:edit", file_id=file_id)
        return conflicts.page(request, entry, sheets.of_draft(entry, draft), "", draft, status=200)
    form = MergeForm(request.POST)
    if not form.is_valid():
        raise NotUnderstood("The text, or the version that was edited, is missing. Nothing was changed.")
    given = form.cleaned_data
    sheet = sheets.sent(entry, given["text"], given["base_version"], given["base_sha256"])
    sent = Sent(request, entry, sheet, form, replies_in(request.POST), keep(request, entry, sheet))
    if entry.state != State.LIVE or entry.media != Media.TEXT:
        return sent.page(entry)
    return _answered(sent)


def _answered(sent: Sent) -> HttpResponse:
    """Do what the form's button says."""
    given, fields = sent.form.cleaned_data, sent.request.POST
    now = sheets.of_file(sent.entry)
    settled = settling(sent.sheet, now.text, sent.replies)
    if fields.get("all") in (Choice.MINE, Choice.THEIRS):
        settled = settled.all_of(Choice(fields["all"]))
    elif given["against_sha256"] and given["against_sha256"] != now.base_sha256:
        if _is_saved_already(sent, now):
            drafts.forget(sent.draft)
            return led(sent.request, addresses.files(sent.entry.store.slug, sent.entry.path))
        return sent.page(sent.entry, settled=settled, refusal=CHANGED_AGAIN)
    elif "over" in fields:
        return _saved(sent, settled, replace(now, text=sent.sheet.text))
    elif {"save", "again"} & fields.keys():
        return _settled(sent, settled, replace(now, text=settled.result))
    show = number_of(fields.get("show", "")) or number_of(fields.get("page", "")) or 1
    return sent.page(sent.entry, settled=settled, status=200, show=show, preview="preview" in fields)


def _settled(sent: Sent, settled: Settling, result: Sheet) -> HttpResponse:
    """Save the merged text or go on editing it, unless something is still open."""
    if settled.open or settled.is_too_much:
        need = "needs" if settled.open == 1 else "need"
        refusal = f"Nothing was saved. {counted(settled.open, 'conflict')} still {need} a choice."
        return sent.page(sent.entry, settled=settled, status=422, refusal=refusal)
    if "again" in sent.request.POST:
        more = {"draft": keep(sent.request, sent.entry, result), "note": sent.note}
        return editor(sent.request, sent.entry, result, more)
    return _saved(sent, settled, result)


def _saved(sent: Sent, settled: Settling, result: Sheet) -> HttpResponse:
    try:
        outcome = saved(sent.request, sent.entry, result, sent.form.cleaned_data["note"], sent.draft)
    except (ContentChanged, PathMissing):
        entry = access.file_for(sent.request.user, sent.entry.uuid)
        if entry.state != State.LIVE or entry.media != Media.TEXT:
            return sent.page(entry)
        again = settling(sent.sheet, sheets.of_file(entry).text, sent.replies)
        return sent.page(entry, settled=again, refusal=CHANGED_AGAIN)
    except Refused as refusal:
        return sent.page(sent.entry, settled=settled, status=422, refusal=f"Nothing was saved. {refusal.words}.")
    if (
        not outcome.versions
        and settled.drops_mine
        and (left := keep(sent.request, sent.entry, sent.sheet, discarded=True))
    ):
        # The file stays as it is, and what was typed is in no version of it.
        say_discarded(sent.request, left)
        return led(sent.request, addresses.files(sent.entry.store.slug, sent.entry.path))
    return led_to_saved(sent.request, sent.entry, outcome, sent.sheet.base_version)


def _is_saved_already(sent: Sent, now: Sheet) -> bool:
    """Say whether the same form has saved what the file holds now, as by a button that was pressed twice."""
    given = sent.form.cleaned_data
    against = sheets.base_text(sent.entry, given["against_version"], given["against_sha256"])
    before = settling(sent.sheet, against, sent.replies)
    saved_text = sent.sheet.text if "over" in sent.request.POST else before.result
    return not before.open and not before.is_too_much and saved_text == now.text
