"""Where files come to lie that are moved into one directory together, and which of them cannot."""

from collections.abc import Iterator, Sequence

from memories.bulk.plans import Ask, AskMissing, Chosen, Row, Verdict
from memories.models import MemoryEntry, MemoryStore
from memories.paths import ROOT, MemoryPath, directories
from memories.refusals import PathRefused
from memories.undo.trails import batches


def moved(memory: MemoryStore, chosen: Sequence[Chosen], ask: Ask) -> list[Row]:
    """Say where each file goes below the directory that ``to`` names; with ``keep``, in the directories it is in.

    A file whose place is taken, also by another of them, is refused; so is a locked one.
    """
    folder = _folder(ask)
    wanted = [_wanted(file, folder, keep=bool(ask.get("keep"))) for file in chosen]
    places = _Places(memory, [to.text for to in wanted if isinstance(to, MemoryPath)])
    return [_row(file, folder, to, places) for file, to in zip(chosen, wanted, strict=True)]


def _folder(ask: Ask) -> MemoryPath:
    typed = ask.get("to", "").strip()
    if not typed:
        raise AskMissing("to")
    is_whole = typed.rstrip("/") == ROOT or typed.startswith(f"{ROOT}/")
    try:
        return MemoryPath.parse(typed if is_whole else f"{ROOT}/{typed.lstrip('/')}")
    except PathRefused as refusal:
        raise AskMissing("to", refusal.words) from refusal


def _wanted(file: Chosen, folder: MemoryPath, *, keep: bool) -> MemoryPath | str:
    """Return where a file shall lie, or why no path leads there."""
    base = MemoryPath(ROOT if keep else file.base)
    try:
        return MemoryPath(file.path).moved(base, folder)
    except PathRefused:
        return "the path would be too long"


def _row(file: Chosen, folder: MemoryPath, to: MemoryPath | str, places: "_Places") -> Row:
    if isinstance(to, str):
        return Row(file, Verdict.REFUSED, to)
    if to.text == file.path:
        return Row(file, Verdict.SO, "there already")
    if file.locked:
        return Row(file, Verdict.REFUSED, "locked")
    within = file.path[len(file.base) + 1 :].partition("/")
    if within[1] and (chosen := MemoryPath(f"{file.base}/{within[0]}")) and (chosen == folder or chosen.holds(folder)):
        return Row(file, Verdict.REFUSED, "a folder cannot move into itself")
    if why := places.take(to.text):
        return Row(file, Verdict.REFUSED, why)
    return Row(file, Verdict.CHANGES, to=to.text)


class _Places:
    """The paths that are free, fewer with each file that got one."""

    def __init__(self, memory: MemoryStore, wanted: Sequence[str]) -> None:
        self._living = dict(_living(memory, wanted))
        self._arriving: set[str] = set()
        self._above: set[str] = set()

    def take(self, path: str) -> str:
        """Take a path for a file; return why it cannot have it."""
        if path in self._arriving or path in self._above:
            return "another of these files would have this path"
        if path in self._living:
            return "something lives there"
        for directory in directories(path):
            if self._living.get(directory) == "file" or directory in self._arriving:
                return f"{MemoryPath(directory).relative} is a file"
        self._arriving.add(path)
        self._above.update(directories(path))
        return ""


def _living(memory: MemoryStore, wanted: Sequence[str]) -> Iterator[tuple[str, str]]:
    paths = {path for to in wanted for path in (to, *directories(to))} - {ROOT}
    for some in batches(sorted(paths)):
        found = MemoryEntry.objects.filter(store=memory).at(*map(MemoryPath, some))
        yield from found.values_list("path", "kind")
