"""Keeping the index up with what is stored.

Writers know nothing of it. Each change of a store has the store's next ``seq``, and beside its documents the index
keeps up to which one it goes (``memories.models.Indexed``): what was changed since is read off the versions. A batch is
one transaction that moves that number on from where it was found, or does nothing. So batches may be done twice, by
several at once, or be killed, and none is lost.
"""

import time
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import F, Max, Q, QuerySet
from django.utils import timezone

from memories.models import Blob, Document, Indexed, MemoryStore, MemoryVersion
from memories.refusals import Busy
from memories.search.documents import documents_of
from memories.search.engines import engine
from memories.store.purging import forget_freed_bytes
from memories.store.turns import PATIENCE, in_turn

BATCH_FILES: Final = 100
BATCH_BYTES: Final = 512 * 1024
"""What one transaction takes at most, so that whoever waits to write does not wait long."""


def behind() -> QuerySet[MemoryStore]:
    """Return the stores with changes that are not in the index."""
    return MemoryStore.objects.filter(Q(indexed=None, seq__gt=0) | Q(seq__gt=F("indexed__seq"))).select_related(
        "indexed"
    )


def lag(store: MemoryStore) -> int:
    """Return how many changes of the store, read with its ``indexed``, are not in the index."""
    return store.seq - _reached(store)


def waiting(stores: Iterable[MemoryStore]) -> QuerySet[MemoryVersion]:
    """Return the newest version of each file of the stores that changed since it was indexed, oldest change first."""
    since = Q(pk__in=())
    for store in stores:
        since |= Q(store=store.pk, seq__gt=_reached(store))
    return (
        MemoryVersion.objects.filter(since, seq=F("entry__changed_seq"))
        .select_related("entry")
        .defer("spans", "note")
        .order_by("store", "seq")
    )


def with_blobs(versions: Sequence[MemoryVersion]) -> Sequence[MemoryVersion]:
    """Return the versions with the bytes of their files read in."""
    blobs = Blob.objects.in_bulk({version.entry.blob_id for version in versions if version.entry.blob_id})
    for version in versions:
        version.entry.blob = blobs.get(version.entry.blob_id) if version.entry.blob_id else None
    return versions


def catch_up(seconds: float, *, stores: Collection[int] | None = None, patience: float = PATIENCE) -> bool:
    """Index what changed, for ``seconds`` at most, and return whether that was all; the stores take turns.

    Gives up early when others hold the database for more than ``patience`` seconds.
    """
    deadline = time.monotonic() + seconds
    while True:
        late = behind() if stores is None else behind().filter(pk__in=stores)
        found = list(late.order_by("pk"))
        if not found:
            return True
        for store in found:
            if time.monotonic() > deadline:
                return False
            try:
                index_batch(store, patience=patience)
            except Busy:
                return False


def index_batch(store: MemoryStore, *, patience: float = PATIENCE) -> bool:
    """Index the next files of a store, which was read with its ``indexed``; return whether this was the one to do it.

    Somebody else who indexes the same meanwhile wins or loses; either way it is done once.
    """
    began = _reached(store)
    versions = list(waiting([store])[:BATCH_FILES])
    some = _bounded(versions)
    # Where all that waits was read, the index is up to date with the store as it was before.
    reached = store.seq if len(some) == len(versions) < BATCH_FILES else some[-1].seq
    documents = documents_of(with_blobs(some))
    with in_turn(patience), transaction.atomic():
        if not _moved_on(store.pk, began, max(reached, began)):
            return False
        Document.objects.filter(entry__in=[version.entry_id for version in some]).delete()
        engine().add(documents)
    return True


def forget(entries: Collection[int]) -> None:
    """Take files out of the index whose rows go, or whose text was blanked without a new version of it.

    To be called in the transaction that does it. The words themselves are scrubbed by the next :func:`clean_up`.
    """
    gone = Document.objects.filter(entry__in=entries)
    stores = list(gone.values_list("store", flat=True).distinct())
    Indexed.objects.filter(store__in=stores).update(unclean_since=timezone.now())
    gone.delete()


def renew(entries: Collection[int]) -> None:
    """Index files as they are now, whether or not they changed: where a text was blanked without a new version of it.

    To be called in the transaction that does it.
    """
    forget(entries)
    versions = MemoryVersion.objects.filter(entry__in=entries, seq=F("entry__changed_seq")).select_related("entry")
    engine().add(documents_of(with_blobs(list(versions))))


def clean_up() -> bool:
    """Leave nothing in the index of words that were taken out of it, where any were; return whether there was work.

    Whoever waits to write comes in between its steps. One that is killed is begun again.
    """
    since = Indexed.objects.aggregate(newest=Max("unclean_since"))["newest"]
    if since is None:
        return False
    goes_on = True
    step = 0
    while goes_on:
        with in_turn():
            goes_on = engine().scrub(goes_on=step > 0)
        step += 1
    Indexed.objects.filter(unclean_since__lte=since).update(unclean_since=None)
    forget_freed_bytes()
    return True


def _reached(store: MemoryStore) -> int:
    indexed: Indexed | None = getattr(store, "indexed", None)
    return indexed.seq if indexed else 0


def _moved_on(store_id: int, began: int, reached: int) -> bool:
    """Move the index's number on, unless somebody has done so; whoever else tries waits until this is committed."""
    if began:
        return Indexed.objects.filter(store=store_id, seq=began).update(seq=reached) == 1
    if Indexed.objects.filter(store=store_id, seq=0).update(seq=reached):
        return True
    try:
        with transaction.atomic():
            Indexed.objects.create(store_id=store_id, seq=reached)
    except IntegrityError:
        return False
    return True


def _bounded(versions: Sequence[MemoryVersion]) -> Sequence[MemoryVersion]:
    """Return as many of the first versions as a batch may hold the text of, and one at least."""
    size = 0
    for place, version in enumerate(versions):
        size += version.entry.size
        if place and size > BATCH_BYTES:
            return versions[:place]
    return versions
