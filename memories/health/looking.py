"""Reading a store's files for what is to be found in them, up to a number of bytes."""

from bisect import bisect_left
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from django.db.models import F, FilteredRelation, Q

from memories.actors import ActorKind
from memories.health.findings import INDEXES, Report, Subject, examine
from memories.models import Kind, MemoryEntry, MemoryStore, State
from memories.models.entries import Media
from memories.store import blobs

LOOKED_AT: Final = 8 * 1024 * 1024
"""Bytes of text that are looked at for one page: those that changed last, and the index."""

BROUGHT: Final = (ActorKind.IMPORT, ActorKind.FOLDER)
AT_A_TIME: Final = 200


class _Row(NamedTuple):
    pk: int
    uuid: UUID
    path: str
    size: int
    media: str
    locked: bool
    changed_seq: int
    created_at: datetime
    accessed_at: datetime | None
    labels: str | None
    made_by: str | None


def look(store: MemoryStore, runs: Sequence[datetime], now: datetime, *, budget: int = LOOKED_AT) -> Report:
    """Return what there is to say about the live files of a store; two queries.

    ``runs`` are the moments at which runs that could read it began, in order. Texts beyond ``budget`` bytes are left
    out, those that were changed longest ago first.
    """
    made = FilteredRelation("versions", condition=Q(versions__number=1))
    entries = MemoryEntry.objects.filter(store=store, state=State.LIVE, kind=Kind.FILE)
    rows = [
        _Row._make(row)
        for row in entries.annotate(made=made, made_by=F("made__actor_kind"))
        .order_by("path")
        .values_list(*_Row._fields)
    ]
    texts = _texts(store, _since(rows, budget))
    subjects = [_subject(row) for row in rows]
    return examine(
        subjects,
        # A file that was changed between the two queries counts as it is now, one that is new comes next time.
        {row.pk: texts[row.pk] for row in rows if row.pk in texts},
        reads_are_seen=store.unseen_since is None,
        runs_since=lambda moment: len(runs) - bisect_left(runs, moment),
        now=now,
    )


def _since(rows: Collection[_Row], budget: int) -> int:
    """Return the seq from which on the texts fit the budget."""
    kept = max((row.changed_seq for row in rows), default=0) + 1
    for row in sorted(rows, key=lambda row: -row.changed_seq):
        if row.media == Media.TEXT:
            budget -= row.size
        if budget < 0:
            break
        kept = row.changed_seq
    return kept


def _texts(store: MemoryStore, since: int) -> dict[int, str]:
    wanted = MemoryEntry.objects.filter(store=store, state=State.LIVE, kind=Kind.FILE, media=Media.TEXT)
    wanted = wanted.filter(Q(changed_seq__gte=since) | Q(depth=1, path__in=INDEXES))
    rows = wanted.values_list("pk", "blob__encoding", "blob__data").iterator(chunk_size=AT_A_TIME)
    return {
        pk: blobs.unpack(encoding, data).decode("utf-8", errors="replace") for pk, encoding, data in rows if encoding
    }


def _subject(row: _Row) -> Subject:
    return Subject(
        row.pk,
        row.uuid,
        row.path,
        row.size,
        row.media == Media.TEXT,
        row.locked,
        row.made_by in BROUGHT,
        row.created_at,
        row.accessed_at,
        tuple(row.labels.split("\n")) if row.labels else (),
    )
