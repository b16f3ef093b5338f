"""Steps that all scripts are made of: look, read, change, and mend a change that was refused."""

from collections.abc import Collection, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from agents.demo.reading import Document, Listing, Shelf, document, last_line, listing
from agents.demo.scripts.edits import line_replaced
from agents.demo.turns import ROOT, Answer, Call, Turn, create, insert, short, view
from agents.demo.words import one_line, titled

CALLS_A_TURN = 8
LOOKS_DEEPER = 4
VIEWS_OF_ONE_FILE = 20
T = TypeVar("T")
Step: TypeAlias = Generator[Turn, list[Answer], T]

_VERBS = {
    "create": ("created", "create"),
    "str_replace": ("changed a line of", "change"),
    "insert": ("added to", "add to"),
    "delete": ("deleted", "delete"),
    "rename": ("renamed", "rename"),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one change, in words; one that is neither refused nor held for a person is done."""

    words: str
    is_refused: bool = False
    is_held: bool = False

    @property
    def is_done(self) -> bool:
        return not (self.is_refused or self.is_held)


class CannotLook(Exception):
    """The memory does not say what it holds; the text says why."""


@dataclass(slots=True)
class Journal:
    """What became of the changes: the last word on each path, and each refusal that was not mended later."""

    entries: dict[str, list[Outcome]] = field(default_factory=dict)

    def note(self, calls: Iterable[Call], answers: Iterable[Answer]) -> None:
        """Take down what the answers to the calls of one turn say."""
        noted: dict[str, list[Outcome]] = {}
        for call, answer in zip(calls, answers, strict=True):
            if call.command in _VERBS:
                before = [outcome for outcome in noted.get(call.path, []) if not outcome.is_done]
                noted[call.path] = [*before, _outcome(call, answer)]
        self.entries.update(noted)

    def lacks(self, path: str) -> bool:
        """Return whether something at ``path`` was refused, or waits, so that nothing may be built on it."""
        return not all(outcome.is_done for outcome in self.entries.get(path, []))

    def is_refused(self, path: str) -> bool:
        """Return whether something at ``path`` was refused."""
        return any(outcome.is_refused for outcome in self.entries.get(path, []))

    @property
    def is_all_done(self) -> bool:
        return not any(self.lacks(path) for path in self.entries)

    def told(self) -> str:
        """Return it in words."""
        if not self.entries:
            return "I changed nothing in my memory."
        outcomes = [outcome for each in self.entries.values() for outcome in each]
        return "In my memory I\n" + "\n".join(f"- {outcome.words}" for outcome in outcomes)


def _outcome(call: Call, answer: Answer) -> Outcome:
    done, wanted = _VERBS[call.command]
    if answer.is_error:
        return Outcome(f"could not {wanted} {short(call.path)}: {reason(answer)}", is_refused=True)
    to = f" to {short(call.input['new_path'])}" if call.command == "rename" else ""
    waits = ", which waits for review" if answer.is_held else ""
    return Outcome(f"{done} {short(call.path)}{to}{waits}", is_held=answer.is_held)


def reason(answer: Answer) -> str:
    """Return what an error says, in one line, without its prefix and its final stop."""
    return one_line(answer.text.removeprefix("Error: "), 200).rstrip(".")


def look(text: str, *, deep: bool = False) -> Step[Listing]:
    """View the memory directory; ``deep`` looks into the directories below its second level as well.

    Raises CannotLook if one of these views is refused.
    """
    [answer] = yield Turn(text, (view(ROOT),))
    found = _listed(answer)
    for _ in range(LOOKS_DEEPER if deep else 0):
        directories = found.unseen[:CALLS_A_TURN]
        if not directories:
            break
        calls = tuple(view(directory) for directory in directories)
        answers = yield Turn("Some directories go deeper than the list shows, so I look into them too.", calls)
        for directory, answer in zip(directories, answers, strict=True):
            found = found.looked_into(directory, _listed(answer))
    return found


def _listed(answer: Answer) -> Listing:
    """Return what a directory holds; one that is not there holds nothing."""
    if answer.is_error and not answer.is_missing:
        raise CannotLook(reason(answer))
    return listing(answer)


def read(text: str, paths: Iterable[str]) -> Step[Shelf]:
    """View the files at ``paths`` in one turn, and the rest of those whose view was cut."""
    shelf = Shelf()
    paths = list(dict.fromkeys(paths))[:CALLS_A_TURN]
    if not paths:
        return shelf
    answers = yield Turn(text, tuple(view(path) for path in paths))
    for path, answer in zip(paths, answers, strict=True):
        if answer.is_missing:
            shelf.missing.add(path)
        if answer.is_error:
            shelf.refusals[path] = reason(answer)
        else:
            shelf.documents[path] = document(path, answer)
    for _ in range(VIEWS_OF_ONE_FILE):
        cut = [known for known in shelf.documents.values() if known.rest]
        if not cut:
            break
        answers = yield Turn("Not all of it was shown, so I read on.", tuple(view(d.path, d.rest) for d in cut))
        for known, answer in zip(cut, answers, strict=True):
            shelf.documents[known.path] = document(known.path, answer, known)
    return shelf


def unread(shelf: Shelf, *, but: Collection[str] = ()) -> list[str]:
    """Return a sentence for each file that could not be read, those in ``but`` left out."""
    return [f"I could not read {short(path)}: {why}." for path, why in shelf.refusals.items() if path not in but]


def change(text: str, calls: Sequence[Call], journal: Journal) -> Step[list[Answer]]:
    """Make ``calls`` in one turn and note what became of them; without calls nothing is said."""
    if not calls:
        return []
    answers = yield Turn(text, tuple(calls))
    journal.note(calls, answers)
    return answers


def write(text: str, calls: Sequence[Call], journal: Journal) -> Step[None]:
    """Make ``calls`` in one turn; mend each create that found a file and each insert that missed its place.

    Mending looks at the file and adds the lines that it lacks, or creates it if it is not there. A line of which the
    file has another under the same name, the words before its colon, takes the place of that one.
    """
    answers = yield from change(text, calls, journal)
    refused = [(call, answer) for call, answer in zip(calls, answers, strict=True) if _can_be_mended(call, answer)]
    if not refused:
        return
    causes = " ".join(f"{reason(answer)}." for _, answer in refused)
    paths = [call.path for call, _ in refused]
    shelf = yield from read(f"That did not work: {causes} I look at what is there.", paths)
    mends = [mend for call, answer in refused if (mend := _mended(call, answer, shelf.get(call.path)))]
    yield from change("Now I know where it belongs.", mends, journal)
    for path in set(shelf.documents).difference(mend.path for mend in mends):
        del journal.entries[path]  # everything that was to be written stands there already


def _can_be_mended(call: Call, answer: Answer) -> bool:
    if call.command == "create":
        return answer.is_error and "already exists" in answer.text
    has_missed = last_line(answer) is not None or answer.is_missing
    return call.command == "insert" and answer.is_error and has_missed


def _mended(call: Call, answer: Answer, found: Document | None) -> Call | None:
    wanted: str = call.input.get("file_text") or call.input.get("insert_text") or ""
    if found is None:
        title = titled(call.path.rpartition("/")[2].partition(".")[0])
        return create(call.path, f"# {title}\n\n{wanted}") if call.command == "insert" else None
    lacking = [line for line in wanted.splitlines() if line and not line.startswith("#") and not found.holds(line)]
    if not lacking:
        return None
    same = [n for n, line in enumerate(found.lines) if _label(line) == _label(lacking[0])]
    if len(lacking) == 1 and same:
        return line_replaced(found, same[0], lacking[0])
    allowed = last_line(answer)
    return insert(call.path, found.end if allowed is None else min(allowed, found.end), "\n".join(lacking) + "\n")


def _label(line: str) -> str:
    return line.partition(": ")[0] if ": " in line else line


def line_added(path: str, title: str, line: str, found: Document | None) -> Call | None:
    """Return the call that brings ``line`` into the file at ``path``, or None if the file as ``found`` has it."""
    if found is None:
        return create(path, f"# {title}\n\n{line}\n")
    return None if found.holds(line) else insert(path, found.end, line + "\n")
