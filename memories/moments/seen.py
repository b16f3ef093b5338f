"""What a person says they have seen, and the way back for who said so by mistake."""

from collections.abc import Mapping
from datetime import datetime

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from memories.models import FileSeen, StoreSeen


def mark(
    user_id: int, *, stores: Mapping[int, int] | None = None, files: Mapping[int, int] | None = None
) -> datetime | None:
    """Note that the person has seen these stores up to a ``seq`` each, and these files up to a version each.

    What was seen before stays so: nothing is lowered. Returns the moment by which the marks can be taken back together;
    None when everything counted as seen already.
    """
    with transaction.atomic():
        _hold(user_id)
        now = timezone.now()
        marked = _mark_stores(user_id, stores or {}, now) + _mark_files(user_id, files or {}, now)
    return now if marked else None


def take_back(user_id: int, moment: datetime) -> bool:
    """Take back what the person marked at ``moment``, as long as it was not marked again; say whether there was any."""
    with transaction.atomic():
        _hold(user_id)
        stores = StoreSeen.objects.filter(user=user_id, seen_at=moment, before__isnull=False)
        files = FileSeen.objects.filter(user=user_id, seen_at=moment, before__isnull=False)
        fresh = stores.filter(before=0).delete()[0] + files.filter(before=0).delete()[0]
        known = files.update(version=F("before"), before=None)
        known += stores.update(seq=F("before"), seen_at=F("before_at"), before=None, before_at=None)
    return bool(fresh + known)


def _hold(user_id: int) -> None:
    """Let one tab of the person mark at a time: of two that read the same mark, the later would lower the other's.

    On SQLite the transaction itself lets one in at a time.
    """
    if connection.vendor != "sqlite":
        User.objects.select_for_update(no_key=True).filter(pk=user_id).values("pk").first()


def _mark_stores(user_id: int, upto: Mapping[int, int], now: datetime) -> int:
    known = {row.store_id: row for row in StoreSeen.objects.filter(user=user_id, store__in=upto)} if upto else {}
    rows = []
    for store_id, seq in upto.items():
        row = known.get(store_id)
        before = row.seq if row else 0
        if seq > before:
            before_at = row.seen_at if row else None
            rows.append(
                StoreSeen(store_id=store_id, user_id=user_id, seq=seq, seen_at=now, before=before, before_at=before_at)
            )
    StoreSeen.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["store", "user"],
        update_fields=["seq", "seen_at", "before", "before_at"],
    )
    return len(rows)


def _mark_files(user_id: int, versions: Mapping[int, int], now: datetime) -> int:
    seen = FileSeen.objects.filter(user=user_id, entry__in=versions)
    known = dict(seen.values_list("entry_id", "version")) if versions else {}
    rows = [
        FileSeen(entry_id=entry_id, user_id=user_id, version=version, before=known.get(entry_id, 0), seen_at=now)
        for entry_id, version in versions.items()
        if version > known.get(entry_id, 0)
    ]
    FileSeen.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["entry", "user"], update_fields=["version", "before", "seen_at"]
    )
    return len(rows)
