"""What is said of a folder and its files, a sentence at a time."""

from typing import Protocol

from agents.folders.taking import Taken
from memdash.web.formats import counted
from memories.paths import MemoryPath


class Told(Protocol):
    """Who hears what becomes of the files and of the folder."""

    def file(self, line: str) -> None:
        """Hear of one file, by its name."""
        ...

    def folder(self, line: str, *, is_bad: bool) -> None:
        """Hear that the folder as a whole cannot be followed, or can be again; no file is named."""
        ...


def word_for(taken: Taken) -> str:
    """Return in a word what became of a change that was not refused."""
    if taken.version is None:
        return "kept as they are here" if taken.note else "already there"
    if taken.change.found is None:
        return "deleted"
    return "renamed" if taken.change.came_from else "taken"


def line_on(taken: Taken) -> str:
    """Return the same in a sentence; nothing where there is nothing to say."""
    change, path = taken.change, MemoryPath(taken.change.path).relative
    if taken.version is None:
        return f"kept {path}: {taken.note}" if taken.note else ""
    what = f"{MemoryPath(change.came_from).relative} to {path}" if change.came_from else path
    note = f", {taken.note}" if taken.note else ""
    return f"{word_for(taken)} {what}, version {taken.version:,}{note}"


def missing_words(missing: int) -> str:
    """Return that so many files are gone and what to do about it; nothing when none is."""
    if not missing:
        return ""
    they, are, were = ("they", "are", "were") if missing > 1 else ("it", "is", "was")
    return (
        f"{counted(missing, 'file')} {are} gone from the folder, perhaps by mistake. Nothing was deleted here. Once"
        f" {they} {are} back all is well; if {they} {were} deleted on purpose, accept that."
    )


def paused_words(by: str) -> str:
    """Return that the store takes nothing now."""
    return f"What agents change is paused by {by}. Changes of the folder wait until that ends."
