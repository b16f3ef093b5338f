"""From rows to the snapshot that a command covers."""

from memories.commands import Below, Covers, Entry, Snapshot, Totals
from memories.store import blobs
from memories.store.sql import Sql

_TOTALS = len(Totals._fields)
_ENTRY = _TOTALS + len(Entry._fields) - 1


class StoreMissing(LookupError):
    """There is no store of that id; no name a model or a person can send leads here."""


def load(sql: Sql, store_id: int, covers: Covers) -> Snapshot:
    """Return what ``covers`` asks for, as it is now."""
    paths = dict.fromkeys(path.text for path in covers.paths)
    if covers.above:
        paths |= dict.fromkeys(above.text for path in covers.paths for above in path.ancestors() if not above.is_root)
    rows = sql.covered(store_id, tuple(paths), content=covers.content)
    if not rows:
        raise StoreMissing(store_id)
    totals, entries = Totals._make(rows[0][:_TOTALS]), {}
    for row in rows:
        if row[_TOTALS] is not None:
            data = blobs.unpack(*row[_ENTRY:]) if covers.content and row[_ENTRY] else None
            entry = Entry._make((*row[_TOTALS:_ENTRY], data))
            entries[entry.path] = entry

    first = covers.paths[0]
    found = entries.get(first.text)
    if covers.below is Below.NOTHING or not (first.is_root or (found and not found.is_file)):
        return Snapshot(totals, entries)
    if covers.below is Below.LISTING:
        return Snapshot(totals, entries, listing=sql.listing(store_id, first.text, first.depth))
    return Snapshot(totals, entries, below=() if first.is_root else sql.below(store_id, first.text))
