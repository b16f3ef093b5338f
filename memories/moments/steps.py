"""The way through a store's moments: where acts and runs begin and end, and where on the way each kind of them lies."""

from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from django.db.models import Count, F, IntegerField, Min, Q, QuerySet, Subquery, Value
from django.db.models.functions import Cast

from memories.actors import ActorKind
from memories.models import ChangeSet, MemoryStore, MemoryVersion

PLACES: Final = 160
"""How many places along the way can have a mark of each kind."""


class Made(NamedTuple):
    """What a change tells of its act; ``seq`` is where the stretch of that act, or run, ends."""

    seq: int
    change_set: int
    actor_kind: str
    actor_label: str
    run_id: UUID | None
    turn: int | None


@dataclass(frozen=True, slots=True)
class Steps:
    """The moments next to one: ``here`` is the change that led to it, ``back`` and ``forth`` those of other acts.

    ``run_back`` and ``run_forth`` are the changes with which the nearest other runs ended, or were interrupted.
    """

    here: Made | None
    back: int | None
    forth: int | None
    run_back: Made | None
    run_forth: Made | None


@dataclass(frozen=True, slots=True)
class Mark:
    """Acts of one kind, "run", "person" or "other", that began at ``seq`` or right after: ``size`` changes in all."""

    kind: str
    seq: int
    size: int


def steps_from(store: MemoryStore, seq: int) -> Steps:
    """Return the moments next to one; four short queries."""
    changes = MemoryVersion.objects.filter(store=store)
    around = {made.seq: made for made in _made(changes.filter(seq__in=(seq, seq + 1)))}
    here, following = around.get(seq), around.get(seq + 1)
    runs = changes.filter(run_id__isnull=False)
    earlier = runs.filter(seq__lt=seq)
    near = MemoryStore.objects.filter(pk=store.pk).values_list(
        _nearest(changes.filter(seq__lt=seq).exclude(change_set=here.change_set if here else None), "-seq"),
        _nearest(changes.filter(seq__gt=seq).exclude(change_set=following.change_set if following else None), "seq"),
        _nearest(earlier.exclude(run_id=here.run_id) if here and here.run_id else earlier, "-seq"),
        _nearest(runs.filter(seq__gt=seq), "seq"),
    )
    back, others, run_back, run_forth = near.get()
    made = {made.seq: made for made in _made(changes.filter(seq__in=[at for at in (run_back, run_forth) if at]))}
    last = made.get(run_forth)
    if last:
        # Of a run, NULL is another one as well.
        rest = changes.filter(Q(run_id=None) | ~Q(run_id=last.run_id), seq__gt=last.seq)
        end = rest.order_by("seq").values_list("seq", flat=True).first()
        last = last._replace(seq=end - 1 if end else store.seq)
    forth = (others - 1 if others else store.seq) if following else None
    return Steps(here, (back or 0) if here else None, forth, made.get(run_back), last)


def marks_of(store: MemoryStore) -> list[Mark]:
    """Return where acts lie along the way, from the first to the last; one query, however many there are."""
    if not store.seq:
        return []
    acts = ChangeSet.objects.filter(store=store, first_seq__isnull=False)
    place = Cast(F("first_seq") * Value(PLACES) / Value(store.seq + 1), IntegerField())
    rows = acts.annotate(place=place).order_by().values_list("place", "actor_kind")
    found = sorted(
        (first, "run" if runs else "person" if kind == ActorKind.PERSON else "other")
        for _, kind, first, runs in rows.annotate(first=Min("first_seq"), runs=Count("run_id"))
    )
    ends = [first for first, _ in found[1:]] + [store.seq + 1]
    return [Mark(kind, first, end - first) for (first, kind), end in zip(found, ends, strict=True)]


def _nearest(changes: QuerySet[MemoryVersion], order: str) -> Subquery:
    return Subquery(changes.order_by(order).values("seq")[:1])


def _made(changes: QuerySet[MemoryVersion]) -> list[Made]:
    return [Made._make(row) for row in changes.values_list(*Made._fields)]
