"""A search over stores: the index and, beside it, what changed since it was made, so that counts are true at once."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from memories.models import MemoryStore, MemoryVersion, State
from memories.paths import MemoryPath
from memories.search import index
from memories.search.documents import text_of
from memories.search.engines import Hit, engine
from memories.search.filters import Filters
from memories.search.queries import Query

NEWEST: Final = 1_000
"""As many matches are listed, the newest of them; all are counted."""

LOOK_FILES: Final = 100
LOOK_BYTES: Final = 2 * 1024 * 1024
LOOK_STORES: Final = 50
"""What a search looks through at most of what is not indexed yet."""

HELP_SECONDS: Final = 0.25
HELP_PATIENCE: Final = 0.1
"""For how long it indexes by itself when that is more, and waits for others to let it."""

STATES: Final = (State.LIVE, State.TRASH)


@dataclass(frozen=True, slots=True)
class Pending:
    """Files that changed since they were indexed. ``unseen`` counts changes that were too many to look through."""

    versions: Sequence[MemoryVersion] = ()
    unseen: int = 0


@dataclass(frozen=True, slots=True)
class Matches:
    """How many files match in each store and state, and what waits to be indexed of them."""

    counts: Mapping[tuple[int, str], int]
    pending: Pending
    fresh: tuple[Hit, ...]
    """Matches among what is not indexed yet."""

    def count(self, stores: Collection[int], states: Collection[str]) -> int:
        """Count the matches in some of the stores and states."""
        return sum(count for (store, state), count in self.counts.items() if store in stores and state in states)


def pending(stores: Sequence[MemoryStore]) -> Pending:
    """Return what is not indexed yet of stores that were read with their ``indexed``.

    Where that is too much to look through, some of it is indexed first.
    """
    late = [store for store in stores if index.lag(store)]
    if not late:
        return Pending()
    found = _looked_up(late)
    if found is None:
        index.catch_up(HELP_SECONDS, stores=[store.pk for store in late], patience=HELP_PATIENCE)
        late = list(index.behind().filter(pk__in=[store.pk for store in late]))
        found = _looked_up(late)
    if found is None:
        return Pending(unseen=sum(map(index.lag, late)))
    return Pending(found)


def matches(query: Query, stores: Collection[int], filters: Filters, waiting: Pending) -> Matches:
    """Count what matches in the stores; one statement."""
    versions = [version for version in waiting.versions if version.store_id in stores]
    changed = [version.entry_id for version in versions]
    found = Counter(dict(engine().counts(query, stores, filters, leaving_out=changed)))
    fresh = [hit_of(version) for version in versions if is_match(query, filters, version)]
    found.update((hit.store_id, hit.state) for hit in fresh)
    return Matches(found, waiting, tuple(fresh))


def newest(
    query: Query, stores: Collection[int], states: Collection[str], filters: Filters, counted: Matches
) -> list[Hit]:
    """Return the newest matches in these stores and states, those changed last first; one statement."""
    changed = {version.entry_id for version in counted.pending.versions}
    places = [place for place in counted.counts if place[0] in stores and place[1] in states]
    # Stores share the room, and each has enough of it for a few pages.
    most = max(NEWEST // max(len(places), 1), 100) + len(changed)
    indexed = engine().newest(query, places, filters, most)
    hits = [hit for hit in indexed if hit.entry_id not in changed]
    hits += [hit for hit in counted.fresh if hit.store_id in stores and hit.state in states]
    return sorted(hits, key=lambda hit: (hit.changed_at, hit.entry_id), reverse=True)[:NEWEST]


def named_first(query: Query, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits with those first of which the path alone is a match."""
    return sorted(hits, key=lambda hit: not query.matches(MemoryPath(hit.path).relative, ""))


def is_match(query: Query, filters: Filters, version: MemoryVersion) -> bool:
    """Say whether the file of its newest version, read with its bytes, matches as it is now."""
    entry = version.entry
    return (
        entry.state in STATES
        and filters.lets_through(version, entry.path, entry.updated_at)
        and query.matches(MemoryPath(entry.path).relative, text_of(version))
    )


def hit_of(version: MemoryVersion) -> Hit:
    """Return the file of its newest version as a hit."""
    entry = version.entry
    return Hit(version.entry_id, version.store_id, entry.state, entry.path, entry.updated_at)


def _looked_up(late: Sequence[MemoryStore]) -> Sequence[MemoryVersion] | None:
    """Return the files that wait, with their bytes; None when they are too many or too much."""
    if len(late) > LOOK_STORES:
        return None
    found = list(index.waiting(late).select_related("entry__blob")[: LOOK_FILES + 1])
    if len(found) > LOOK_FILES or sum(version.entry.size for version in found) > LOOK_BYTES:
        return None
    return found
