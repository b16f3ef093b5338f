"""From rows to the snapshot that a command covers."""

from memories.commands import NO_TOTALS, Below, Covers, Entry, Snapshot, Totals
from memories.store import blobs
from memories.store.sql import Sql

_TOTALS = len(Totals._fields)
_ENTRY = _TOTALS + len(Entry._fields) - 1


class StoreMissing(LookupError):
    """There is no store of that id; no name a model or a person can send leads here."""


def load(sql: Sql, store_id: int, covers: Covers) -> Snapshot:
    """Return what ``covers`` asks for, as it is now."""
    paths = [path.text for path in covers.paths]
    if covers.above:
        paths += {above.text for path in covers.paths for above in path.ancestors() if not above.is_root}
    rows = sql.covered(store_id, paths, content=covers.content)
    entries = {}
    for row in rows:
        data = blobs.unpack(*row[_ENTRY:]) if covers.content and row[_ENTRY] else None
        entries[row[_TOTALS + 2]] = Entry._make((*row[_TOTALS:_ENTRY], data))
    totals = _totals(sql, store_id) if covers.totals and not rows else NO_TOTALS
    if rows:
        totals = Totals._make(rows[0][:_TOTALS])
    first = covers.paths[0]
    found = entries.get(first.text)
    if covers.below is Below.NOTHING or not (first.is_root or (found and not found.is_file)):
        return Snapshot(totals, entries)
    if covers.below is Below.LISTING:
        return Snapshot(totals, entries, listing=sql.listing(store_id, first.text, first.depth))
    return Snapshot(totals, entries, below=() if first.is_root else sql.below(store_id, first.text))


def _totals(sql: Sql, store_id: int) -> Totals:
    for row in sql.totals(store_id):
        return Totals._make(row)
    raise StoreMissing(store_id)
