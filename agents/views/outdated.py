"""Tool calls further up whose text has changed since: what a page that follows a run shows of them anew."""

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from django.db.models import Exists, F, OuterRef, Q

from agents.models import Run, RunEvent
from agents.runs.history import ASSISTANT, tool_uses
from agents.views.calls import Call, Calls
from agents.views.transcript import TURNS
from memories.models import MemoryVersion, ReadEvent

OVERLAP: Final = timedelta(seconds=5)
"""A change that was being stored while the page was told last may be dated before that."""


def outdated_since(run: Run, cursor: int, *, but: Collection[int]) -> list[Call]:
    """Return the calls that showed what has changed after event ``cursor``, a file or a listing, whoever changed it.

    Those of the turns in ``but`` are left out, and of many the last turns alone are looked at: as many as a page has.
    """
    told = RunEvent.objects.filter(run=run, seq__lte=cursor).order_by("-seq").first()
    moment = (told.created_at if told else run.created_at) - OVERLAP
    lately = MemoryVersion.objects.filter(recorded_at__gt=moment)
    changed = lately.filter(entry=OuterRef("entry"), number__gt=OuterRef("version"))
    file_changed = Q(Exists(changed), entry__version__gt=F("version"))
    store_changed = Q(Exists(lately.filter(store=OuterRef("store"), seq__gt=OuterRef("seq"))), entry__isnull=True)
    reads = ReadEvent.objects.filter(file_changed | store_changed, run_id=run.uuid, turn__gt=run.turns - TURNS).exclude(
        turn__in=but
    )
    turns = {turn for turn in reads.values_list("turn", flat=True) if turn is not None}
    if not turns:
        return []
    calls = Calls.of_turns(run, turns)
    answers = run.messages.filter(turn__in=turns, role=ASSISTANT)
    shown = [
        calls.of(answer.turn, position, block, is_due=False)
        for answer in answers
        for position, block in tool_uses(answer)
    ]
    return [call for call in shown if call.since]
