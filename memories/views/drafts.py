"""Drafts of files: saved while one types, discarded for a while, taken up again."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from memdash.web.errors import NotUnderstood
from memdash.web.pages import render_page, wants_part
from memdash.web.requests import UserRequest
from memories.forms import EditForm
from memories.models import Draft, MemoryStore
from memories.store import drafts
from memories.views import addresses
from memories.views.acts import led, writable_file, writable_store
from memories.views.keeping import keep, keep_new, sent, sent_new
from memories.views.sheets import Sheet


@require_POST
def draft(request: UserRequest, file_id: UUID) -> HttpResponse:
    """Keep what was typed as the person's draft of the file and say what it changes."""
    entry = writable_file(request, file_id)
    form = EditForm(request.POST)
    if not form.is_valid():
        raise NotUnderstood("The text or the version that was edited is missing. Nothing was changed.")
    sheet = sent(entry, form)
    return kept(request, entry.store, sheet, keep(request, entry, sheet), reverse("memories:edit", args=[file_id]))


def kept(request: UserRequest, memory: MemoryStore, sheet: Sheet, draft: Draft | None, address: str) -> HttpResponse:
    """Answer with what the editor says of its text once that is kept; a whole page is the editor's own.

    ``address`` is that of an editor without a draft.
    """
    if not wants_part(request):
        return redirect(addresses.of_draft(draft) if draft else address)
    context: dict[str, Any] = {"sheet": sheet, "draft": draft, "limit": memory.max_file_bytes}
    return render_page(request, "memories/edit_kept.html", context)


@require_POST
def discard(request: UserRequest, file_id: UUID) -> HttpResponse:
    """Show the file as it is; what was typed is kept for a while and may be taken up again from there."""
    entry = writable_file(request, file_id)
    form = EditForm(request.POST)
    if not form.is_valid():
        raise NotUnderstood("The text or the version that was edited is missing. Nothing was changed.")
    if left := keep(request, entry, sent(entry, form), discarded=True):
        say_discarded(request, left)
    return led(request, addresses.files(entry.store.slug, entry.path))


def say_discarded(request: UserRequest, left: Draft) -> None:
    """Say that a draft was discarded, with the way back."""
    said = f"Discarded your draft. It is kept for {drafts.DISCARDED.days} days."
    messages.success(request, said, extra_tags=reverse("memories:take-up-draft", args=[left.pk]))


@require_POST
def take_up(request: UserRequest, draft_id: int) -> HttpResponse:
    """Bring a draft of the person's own back into the editor; Http404 once it is gone.

    What stands in the editor that it is taken up from is kept as a draft as well.
    """
    left = Draft.objects.filter(pk=draft_id, user=request.user).select_related("store", "entry").first()
    if left is None:
        raise Http404("There is no such draft.")
    memory = writable_store(request, left.store.slug)
    form = EditForm(request.POST)
    if left.entry and form.is_valid():
        keep(request, left.entry, sent(left.entry, form))
    elif not left.entry:
        keep_new(request, memory, *sent_new(request))
    drafts.take_up(left)
    return led(request, addresses.of_draft(left))
