"""What the answers of the memory tool say: listings, numbered lines, and the range an error names."""

import re
from dataclasses import dataclass, field

from agents.demo.turns import Answer

_ROW = re.compile(r"^\S+\t(/memories(?:/.*)?)$")
_LINE = re.compile(r"^ *(\d+)\t(.*)$", re.DOTALL)
_RANGE = re.compile(r"\[0, (\d+)\]")


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of the memory, and the directories whose content the listing did not reach."""

    files: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.files or self.unseen)

    def below(self, directory: str) -> list[str]:
        return [path for path in self.files if path.startswith(directory + "/")]

    def looked_into(self, directory: str, found: "Listing") -> "Listing":
        """Return this listing with what a view of ``directory``, one of the unseen, has found."""
        unseen = (path for path in self.unseen + found.unseen if path != directory)
        return Listing(self.files + found.files, tuple(unseen))


@dataclass(frozen=True, slots=True)
class Document:
    """The lines of a file as a view numbered them; ``rest`` is the first line that the view left out, or 0."""

    path: str
    lines: tuple[str, ...] = ()
    rest: int = 0

    @property
    def end(self) -> int:
        """Return the line after which to insert at the end of the file."""
        return len(self.lines) - 1 if self.lines and not self.lines[-1].strip() else len(self.lines)

    def holds(self, line: str) -> bool:
        return line in (known.rstrip("\r") for known in self.lines)


@dataclass(slots=True)
class Shelf:
    """The documents a script has read, and why it could not read the others; ``missing`` are those not there."""

    documents: dict[str, Document] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)
    refusals: dict[str, str] = field(default_factory=dict)

    def get(self, path: str) -> Document | None:
        return self.documents.get(path)


def listing(answer: Answer) -> Listing:
    """Return the rows of a directory view; none if the view was refused or the memory is empty."""
    if answer.is_error:
        return Listing()
    rows = [match[1] for row in answer.text.split("\n") if (match := _ROW.match(row))]
    top = rows[0].rstrip("/").count("/") if rows else 0
    directories = [row.rstrip("/") for row in rows[1:] if row.endswith("/")]
    files = tuple(row for row in rows[1:] if not row.endswith("/"))
    deep = (d for d in directories if d.count("/") == top + 2 and not any(f.startswith(d + "/") for f in files))
    return Listing(files, tuple(deep))


def document(path: str, answer: Answer, before: Document | None = None) -> Document:
    """Return the numbered lines of a file view, after those of ``before`` if it is the view of the rest."""
    lines = list(before.lines) if before else []
    _, *rows = answer.text.split("\n")
    notice = ""
    for row in rows:
        if match := _LINE.match(row):
            lines.append(match[2])
        else:
            notice += row
    rest = len(lines) + 1 if "view_range" in notice and len(lines) > (len(before.lines) if before else 0) else 0
    return Document(path, tuple(lines), rest)


def last_line(answer: Answer) -> int | None:
    """Return the highest line that an error about ``insert_line`` allows, or None if it names no range."""
    match = _RANGE.search(answer.text)
    return int(match[1]) if answer.is_error and match else None
