"""From rows to the snapshot that a command covers."""

from memories.commands import Covers, Entry, Looks, Several, Snapshot, Totals, Words
from memories.paths import ROOT, MemoryPath, directories
from memories.store import blobs
from memories.store.driver import batches
from memories.store.sql import Sql

_TOTALS = len(Totals._fields)
_DATA = _TOTALS + Entry._fields.index("data")


class StoreMissing(LookupError):
    """There is no store of that id; no name a model or a person can send leads here."""


def load(sql: Sql, store_id: int, covers: Covers | Looks | Several) -> Snapshot:
    """Return what ``covers`` asks for, as it is now."""
    if isinstance(covers, Looks):
        return _look(sql, store_id, covers)
    return _cover(sql, store_id, covers) if isinstance(covers, Covers) else _cover_many(sql, store_id, covers)


def _look(sql: Sql, store_id: int, looks: Looks) -> Snapshot:
    """Return the file or the directory at the path; a name without a dot suggests a directory, which is tried first."""
    path = looks.path
    seen = None if "." in path.name else _look_into(sql, store_id, path)
    if seen is None and path.is_root:
        raise StoreMissing(store_id)
    return seen or _look_at(sql, store_id, path) or Snapshot(Totals(0), {})


def _look_at(sql: Sql, store_id: int, path: MemoryPath) -> Snapshot | None:
    for seq, encoding, data, entry_id, text, kind, media, size, lines, version in sql.found(store_id, path.text):
        content = blobs.unpack(encoding, data) if encoding else None
        entry = Entry(entry_id, text, kind, media, size, lines, version, content)
        return Snapshot(Totals(seq), {path.text: entry}) if entry.is_file else _look_into(sql, store_id, path)
    return None


def _look_into(sql: Sql, store_id: int, path: MemoryPath) -> Snapshot | None:
    found = sql.listing(store_id, path.text)
    return Snapshot(Totals(found[0]), {}, listing=found[1]) if found else None


def _cover(sql: Sql, store_id: int, covers: Covers) -> Snapshot:
    paths = [path.text for path in covers.paths]
    if covers.above:
        paths += {above for path in paths for above in directories(path) if above != ROOT}
    rows = sql.covered(store_id, paths, content=covers.content)
    entries = {}
    for row in rows:
        fields = list(row)
        encoding, data = fields.pop(), fields[_DATA]
        if data is not None:
            fields[_DATA] = blobs.unpack(encoding, data)
        entry = Entry._make(fields[_TOTALS:])
        entries[entry.path] = entry
    totals = Totals._make(rows[0][:_TOTALS]) if rows else _totals(sql, store_id)
    first = entries.get(covers.paths[0].text) if covers.below else None
    below = sql.below(store_id, first.path) if first and not first.is_file else ()
    trashed = sql.trashed(store_id, covers.trashed) if covers.trashed else None
    words = Words(*sql.words_of(first.id)) if covers.words and (first := entries.get(paths[0])) else None
    doomed = sql.all_trashed(store_id, covers.doomed) if covers.doomed else ()
    return Snapshot(totals, entries, below, trashed=trashed, words=words, doomed=doomed)


def _cover_many(sql: Sql, store_id: int, several: Several) -> Snapshot:
    files = [entry for ids in batches(several.files) for entry in sql.files(store_id, ids)]
    asked = {path.text for path in several.paths}
    paths = asked | {above for path in (*asked, *(file.path for file in files)) for above in directories(path)}
    found = (entry for some in batches(sorted(paths - {ROOT})) for entry in sql.living(store_id, some))
    return Snapshot(_totals(sql, store_id), {entry.path: entry for entry in (*files, *found)})


def _totals(sql: Sql, store_id: int) -> Totals:
    for row in sql.totals(store_id):
        return Totals._make(row)
    raise StoreMissing(store_id)
