"""How large a file and a store may grow. Only growth is refused: a store above its limits can still be tidied."""

from collections.abc import Sequence

from memories import replies
from memories.commands import Bring, Change, Put, Totals
from memories.refusals import StoreFull, TooLarge


def check(changes: Sequence[Change], totals: Totals) -> None:
    """Raise TooLarge or StoreFull, which name the limit, when the changes would grow past it."""
    files = added = 0
    for change in changes:
        if isinstance(change, Put):
            size = len(change.data)
            grown = size - (change.entry.size if change.entry else 0)
            if size > totals.max_file_bytes and grown > 0:
                raise TooLarge(replies.too_large(change.path, size, totals.max_file_bytes))
            files += change.entry is None
            added += grown
        elif isinstance(change, Bring):
            files += 1
            added += change.entry.size
    if files > 0 and totals.files + files > totals.max_files:
        raise StoreFull(replies.too_many_files(totals.files + files, totals.max_files))
    if added > 0 and totals.bytes + added > totals.max_bytes:
        raise StoreFull(replies.too_many_bytes(totals.bytes + added, totals.max_bytes))
