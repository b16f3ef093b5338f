"""The memory tool beside the SDK's plain files: the same calls, in turns, each with its own copy of the same memory."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool

from tests.benchmarks.measure import Line, Step, growth, processor_time, ratio
from tests.benchmarks.subject import Product

ROUNDS = 200
FEW_ROUNDS = 20

SMALL = "".join(f"- line {number:03d} of a note that an agent wrote\n" for number in range(24))
"""About 1 KB."""

MANY_MATCHES_MS = 50


class Subject(Protocol):
    """Something that answers memory tool inputs."""

    def call(self, raw_input: object, /) -> str: ...

    def seed(self, files: Iterable[tuple[str, str]], /) -> None: ...


class PlainFiles:
    """The SDK's filesystem tool."""

    def __init__(self, folder: Path) -> None:
        self.tool = BetaLocalFilesystemMemoryTool(str(folder))

    def call(self, raw_input: object) -> str:
        """Return the answer, which the SDK raises when it is an error."""
        try:
            return str(self.tool.call(raw_input))
        except ToolError as error:
            return str(error)

    def seed(self, files: Iterable[tuple[str, str]]) -> None:
        # Its own way, with the sync to disk: files that never reached the disk are deleted ten times as fast.
        for path, text in files:
            self.call({"command": "create", "path": path, "file_text": text})


def comparison(ours: Subject, theirs: Subject) -> Iterator[Line]:
    """Measure every command against plain files; both start empty."""
    for subject in (ours, theirs):
        subject.seed(seeds())

    def compare(name: str, bar: float, rounds: int = ROUNDS, **fields: object) -> Line:
        """Time one call; ``{n}`` in a text becomes the number of the round."""
        return ratio(name, bar, calling(ours, fields), calling(theirs, fields), rounds)

    yield compare("view a file of 1 KB", 0.5, command="view", path="/memories/small.md")
    yield compare("view a directory with 110 entries", 0.05, command="view", path="/memories/some")
    yield compare("view a directory with 1,000 entries", 0.05, FEW_ROUNDS, command="view", path="/memories/many")
    yield compare(
        "view a range of a file of 100 KB", 0.5, command="view", path="/memories/long.md", view_range=[1_000, 1_050]
    )
    yield compare("view a missing path", 0.3, command="view", path="/memories/missing.md")
    yield compare("create", 0.95, command="create", path="/memories/made/{n}.md", file_text=SMALL)
    yield compare(
        "str_replace", 0.7, command="str_replace", path="/memories/edited/{n}.md", old_str="012 of", new_str="twelve of"
    )
    yield compare(
        "insert", 0.7, command="insert", path="/memories/edited/{n}.md", insert_line=12, insert_text="- one more\n"
    )
    yield compare(
        "rename a file", 2.0, command="rename", old_path="/memories/edited/{n}.md", new_path="/memories/moved/{n}.md"
    )
    yield compare("delete a file", 2.0, command="delete", path="/memories/moved/{n}.md")
    yield compare("delete a directory of 100 files", 0.3, FEW_ROUNDS, command="delete", path="/memories/full/{n}")
    yield processor_time(
        "str_replace with many matches in 1 MB",
        MANY_MATCHES_MS,
        calling(ours, {"command": "str_replace", "path": "/memories/mega.md", "old_str": "tea", "new_str": "milk"}),
        FEW_ROUNDS,
    )


def grown(small: Product, large: Product) -> Iterator[Line]:
    """Measure the same calls on a store of 100 files and on one of 100,000; both start empty."""
    small.seed(tree(1))
    large.seed(tree(1_000))

    def written() -> None:
        # One of two stores in one process has to write what it remembers before the other's turn.
        small.flush()
        large.flush()

    def compare(name: str, bar: float, **fields: object) -> Line:
        title = f"{name}, 100 to 100,000 files"
        return growth(title, bar, calling(small, fields), calling(large, fields), ROUNDS, after=written)

    yield compare("view of the root", 1.5, command="view", path="/memories")
    yield compare("view of a file", 2.5, command="view", path="/memories/5/5/0.md")
    yield compare("view of a missing path", 1.5, command="view", path="/memories/5/5/missing.md")
    yield compare("create", 1.5, command="create", path="/memories/5/made/{n}.md", file_text=SMALL)
    yield compare("insert", 1.5, command="insert", path="/memories/5/5/0.md", insert_line=1, insert_text="- one more\n")


def calling(subject: Subject, fields: dict[str, object]) -> Step:
    """Return a step that sends ``fields``, with the number of the round in the place of ``{n}``."""

    def step(number: int) -> None:
        subject.call(
            {
                name: value.replace("{n}", str(number)) if isinstance(value, str) else value
                for name, value in fields.items()
            }
        )

    return step


def seeds() -> Iterator[tuple[str, str]]:
    """Yield the files that the comparison needs."""
    yield "/memories/small.md", SMALL
    yield "/memories/long.md", SMALL * 100
    yield "/memories/mega.md", "- tea with milk, and water for the tea\n" * 25_000
    for number in range(10):
        for leaf in range(10):
            yield f"/memories/some/{number}/{leaf}.md", "- tea\n"
    for number in range(1_000):
        yield f"/memories/many/{number:04d}.md", "- tea\n"
    for number in range(ROUNDS):
        yield f"/memories/edited/{number}.md", SMALL
    for number in range(FEW_ROUNDS):
        for leaf in range(100):
            yield f"/memories/full/{number}/{leaf}.md", "- tea\n"


def tree(files: int) -> Iterator[tuple[str, str]]:
    """Yield ``files`` files in each of 100 directories, all too deep for a view of the root to list."""
    for outer in range(10):
        for inner in range(10):
            for leaf in range(files):
                yield f"/memories/{outer}/{inner}/{leaf}.md", SMALL
