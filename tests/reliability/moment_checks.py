"""What a made-up history is compared with: the past as the product rebuilds it, puts it back and tells it."""

from collections.abc import Iterator, Sequence

from memories import moments, undo
from memories.models import MemoryEntry
from memories.moments import news
from memories.undo import Answer, Moment, NothingToUndo, Reply
from tests.reliability.histories import Broken, Files, History, Person, different

PAGE = 20
"""Files that are asked about at a time, as on a page."""


def rebuilt_wrong(history: History, seqs: Sequence[int]) -> Iterator[str]:
    """Yield in which of these moments the store is not rebuilt as it was, and how."""
    for seq in seqs:
        files, wanted = moments.files_at(history.memory, seq), history.taken[seq]
        found = {file.entry_id: (file.path, moments.content_at(file) or b"") for file in files}
        lasting = not_purged(history, wanted)
        expected = {key: lasting.get(key, (path, b"")) for key, (path, _) in wanted.items()}
        if found != expected:
            yield f"moment {seq} is not rebuilt: {different(expected, found)}"
        then = moments.then(history.memory, seq)
        if (then.files, then.size) != (len(wanted), sum(file.size for file in files)):
            yield f"moment {seq} has other figures than files"
        if then.files - then.gone + then.came != len(history.now):
            yield f"moment {seq} counts other files than there are now"
        for file in files[:PAGE]:
            if moments.file_on(history.memory, seq, file.memory_path) != file:
                yield f"moment {seq} has another file at {file.path} than there was"


def put_back_wrong(history: History, seqs: Sequence[int]) -> Iterator[str]:
    """Yield at which of these moments putting back, or undoing that, brings something else than was there."""
    for seq in seqs:
        start, wanted = history.now, not_purged(history, history.taken[seq])
        replies = {made.entry.uuid: Reply(Answer.WHOLE) for made in undo.plan(Moment(history.memory.pk, seq))}
        try:
            done = undo.put_back(history.memory, seq, actor=history.person(), replies=replies)
        except NothingToUndo:
            if start != wanted:
                yield f"moment {seq} is not what is there, and nothing is put back: {different(wanted, start)}"
            continue
        history.remember()
        if history.now != wanted:
            yield f"moment {seq}, put back, is not what it was: {different(wanted, history.now)}"
        try:
            history.undo_again(done, start, f"undo of putting back to {seq}")
        except Broken as fault:
            yield str(fault)


def news_wrong(history: History) -> Iterator[str]:
    """Yield for whom the differences since they looked do not lead from what they saw to what is there."""
    for person in history.people:
        name = person.user.username
        yield from (f"{name} at {history.memory.seq}: {fault}" for fault in _told_wrong(history, person))


def not_purged(history: History, files: Files) -> Files:
    """Return those of the files that were not purged since."""
    gone = MemoryEntry.objects.filter(store=history.memory, state="purged").values_list("pk", flat=True)
    return {key: file for key, file in files.items() if key not in set(gone)}


def _told_wrong(history: History, person: Person) -> Iterator[str]:
    stores = [each for each in news.changed_stores(person.user) if each.store.pk == history.memory.pk]
    tree, shown = dict(person.knows), 0
    purged = tree.keys() - not_purged(history, tree).keys()
    while versions := news.page(person.user, stores, shown, PAGE):
        shown += len(versions)
        for each in news.news_of(person.user, stores, versions):
            before, after = each.difference
            if before:
                seen = tree.pop(before.entry_id, None)
                told = (before.path, moments.content_at(before) or b"")
                if seen != told and (before.entry_id not in purged or seen is None or told != (seen[0], b"")):
                    yield f"what was seen as {seen} is told as {told}"
            if after:
                tree[after.entry_id] = (after.path, moments.content_at(after) or b"")
    if tree != history.now:
        yield f"the differences lead elsewhere: {different(history.now, tree)}"
    counted = news.counts(person.user, stores).get(history.memory.pk, news.Counts(0, 0))
    passed = news.passing(person.user, stores, 10_000).get(history.memory.pk, [])
    if counted != (shown, len(passed)):
        yield f"{counted} are counted, {shown} files are shown and {len(passed)} came and went"
