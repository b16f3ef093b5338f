"""Which moment of a store a date means, and the other way round.

A store's changes are counted by ``seq``; when they happened, each says for itself, and not always in that order. This
is the clock that follows ``seq``:

- A change happened when it was written, ``authored_at``. For ordinary acts that is the time of recording; demo data
  spread theirs over the weeks they tell of.
- What an import or a followed folder brought in happened when it was recorded: a file may be years old, but was not in
  the store before.
- Nothing happened later than what came after it. So a moment's time is the earliest that any change from it on tells,
  and never goes back as ``seq`` goes on. In demo data an import thus happened by the next act at the latest.

The last change that tells of a time until a date is then the newest one whose moment lies not after that date.
"""

from datetime import datetime
from typing import Final

from django.db.models import Case, DateTimeField, F, Min, When

from memories.actors import ActorKind
from memories.models import MemoryStore, MemoryVersion

HAPPENED: Final = Case(
    When(actor_kind__in=(ActorKind.IMPORT.value, ActorKind.FOLDER.value), then=F("recorded_at")),
    default=F("authored_at"),
    output_field=DateTimeField(),
)
"""When a change happened by what it tells of itself."""


def seq_at(store: MemoryStore, until: datetime) -> int:
    """Return the moment of the store right before ``until``; 0 where nothing had happened yet. One query.

    It goes through the changes since then, newest first.
    """
    changes = MemoryVersion.objects.filter(store=store).alias(happened=HAPPENED).filter(happened__lt=until)
    seq: int | None = changes.order_by("-seq").values_list("seq", flat=True).first()
    return seq or 0


def time_of(store: MemoryStore, seq: int) -> datetime | None:
    """Return when the store came to be as it was at ``seq``; None for 0 and beyond its last change. One query."""
    if not seq:
        return None
    changes = MemoryVersion.objects.filter(store=store, seq__gte=seq)
    happened: datetime | None = changes.aggregate(happened=Min(HAPPENED))["happened"]
    return happened
