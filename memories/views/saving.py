"""Saving a text over the one it was made of: one transaction with its note and the end of its draft."""

from dataclasses import replace
from typing import Final

from django.contrib import messages
from django.http import HttpResponse

from memdash.web.requests import UserRequest
from memories import store
from memories.commands import Exactly, Overwrite
from memories.models import Draft, MemoryEntry, MemoryVersion, State
from memories.paths import MemoryPath
from memories.refusals import PathMissing
from memories.store import drafts, notes
from memories.views import addresses
from memories.views.acts import led, person, undo_of
from memories.views.sheets import Sheet

TRIES: Final = 3
"""How often a save looks for the file again when it is being renamed."""


def saved(request: UserRequest, entry: MemoryEntry, sheet: Sheet, note: str, draft: Draft | None) -> store.Outcome:
    """Save the text over the one it was made of, with its note and without its draft, all in one transaction.

    ContentChanged, PathMissing or another refusal where that cannot be; then nothing has changed.
    """
    actor = replace(person(request), reason=note)
    for last in reversed(range(TRIES)):
        path = MemoryPath(entry.path)
        command = Exactly(Overwrite(path, sheet.text, sheet.base_sha256), path, entry.pk)
        try:
            with store.locked(entry.store_id) as tx:
                outcome = tx.apply(command, actor=actor)
                for version in outcome.versions:
                    notes.set_note(entry.pk, version.number, note)
                drafts.remove(draft)
                return outcome
        except PathMissing:
            entry.refresh_from_db(fields=["path", "state"])
            if not last or entry.state != State.LIVE or entry.path == path.text:
                raise
    raise AssertionError("the last try returned or raised")


def led_to_saved(request: UserRequest, entry: MemoryEntry, outcome: store.Outcome, base_version: int) -> HttpResponse:
    """Say what was saved, and where the file is now if it moved since ``base_version``, and show the file."""
    path = MemoryPath(entry.path)
    if outcome.versions:
        said = f"Saved version {outcome.versions[-1].number:,} of {path.name}."
        before = MemoryVersion.objects.filter(entry=entry, number=base_version).values_list("path", flat=True).first()
        if before not in (None, path.text):
            said += f" It was renamed from {MemoryPath(before).relative} while you were editing."
        messages.success(request, said, extra_tags=undo_of(outcome))
    else:
        messages.success(request, f"{path.name} says so already. Nothing was changed.")
    return led(request, addresses.files(entry.store.slug, path.text))
