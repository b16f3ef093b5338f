"""The memory tool beside the SDK's filesystem tool: the same calls give the same answers and the same trees.

The two differ on purpose in what follows, which is evened out before answers and trees are compared. Everything else
has to be equal to the character.

- Errors: the SDK raises them and leaves out ``Error: ``; of a missing path its insert says as much as its view. Where
  the specification is silent the words differ (``OTHER_WORDS``), and some of the SDK's errors are the system's own.
- Directories: the SDK keeps empty ones, so its folder is stripped of them after each step; it lists ``node_modules``;
  it prints the size of the directory's own inode; its header does not name ``node_modules``.
- Sizes: the SDK prints ``4K`` for ``4.0K``.
- A final newline is no further line: the SDK shows an empty one for it, in view and in the snippet of str_replace.
- A view_range with no line in it: the SDK answers with the header alone, memdash refuses, save in an empty file.
- str_replace: the SDK adds a sentence, and shows two lines around the first changed line instead of all changed lines.
- Several occurrences: the SDK repeats the number of a line that has two.
- insert: the SDK ends the last line of the file in any case, and loses it when it is empty; memdash leaves a last line
  without an end as it is unless something follows it. The SDK's file is then given the text that memdash has.

Not drawn, since the SDK is wrong there: an empty ``old_str``, occurrences that overlap (it replaces the first), several
newlines at the end of an inserted text (it drops them), a range that runs backwards (it shows none of it), paths that
are not canonical, missing fields and wrong types.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.support.stores import ToolStore

Input = dict[str, Any]

names = st.sampled_from(["a", "b.md", "notes", "A", "é", ".hidden", "node_modules", "100%.md", "a_b", "v1..v2.md"])
paths = st.lists(names, min_size=1, max_size=3).map(lambda parts: "/".join(["/memories", *parts]))
few_paths = st.sampled_from(["/memories/a", "/memories/notes", "/memories/notes/b.md", "/memories/notes/deep/c.md"])
any_paths = few_paths | few_paths | paths | st.just("/memories")
lines = st.lists(st.sampled_from(["tea", "milk", "tea tea", "", "\ttea\r", "ü\u2028x", "`old`"]), max_size=6)
texts = st.builds(lambda parts, end: "\n".join(parts) + end, lines, st.sampled_from(["", "\n"]))

ranges = st.tuples(st.integers(-1, 7), st.integers(0, 4)).map(lambda ends: [ends[0], max(ends[0], 1) + ends[1]]) | (
    st.integers(1, 7).map(lambda first: [first, -1])
)

commands: st.SearchStrategy[Input] = st.one_of(
    st.builds(dict, command=st.just("view"), path=any_paths),
    st.builds(
        dict,
        command=st.just("view"),
        path=any_paths,
        view_range=ranges,
    ),
    st.builds(dict, command=st.just("create"), path=any_paths, file_text=texts),
    st.builds(dict, command=st.just("create"), path=any_paths, file_text=texts),
    st.builds(
        dict,
        command=st.just("str_replace"),
        path=any_paths,
        old_str=st.sampled_from(["tea", "milk", "a\nm", "\n", "ü", "ea t", "absent"]),
        new_str=texts,
    ),
    st.builds(
        dict,
        command=st.just("insert"),
        path=any_paths,
        insert_line=st.integers(-1, 8),
        insert_text=texts.map(lambda text: text.rstrip("\n") + "\n" * text.endswith("\n")),
    ),
    st.builds(dict, command=st.just("delete"), path=any_paths),
    st.builds(dict, command=st.just("rename"), old_path=any_paths, new_path=any_paths),
)


class Plain:
    """The SDK's tool over a folder of its own, evened out."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "memories"
        self._tool = BetaLocalFilesystemMemoryTool(str(folder))

    def call(self, value: Input) -> tuple[str, bool]:
        try:
            answer = str(self._tool.call(value)), False
        except ToolError as error:
            answer = str(error), True
        except OSError:
            answer = "a system error", True
        self._strip(self.root)
        return answer

    def files(self) -> dict[str, str]:
        return {
            f"/memories/{file.relative_to(self.root)}": file.read_bytes().decode()
            for file in self.root.rglob("*")
            if file.is_file()
        }

    def write(self, path: str, text: str) -> None:
        (self.root.parent / path.removeprefix("/")).write_bytes(text.encode())

    def _strip(self, directory: Path) -> None:
        for inner in list(directory.iterdir()):
            if inner.is_dir() and not inner.is_symlink():
                self._strip(inner)
        if directory != self.root and not any(directory.iterdir()):
            directory.rmdir()


@pytest.mark.django_db
def test_random_calls_give_the_sdks_answers_and_trees() -> None:
    @settings(max_examples=150, suppress_health_check=list(HealthCheck))
    @given(st.lists(commands, min_size=1, max_size=25))
    @example(
        [
            {"command": "create", "path": "/memories/a", "file_text": "tea\n" * 700},
            {"command": "view", "path": "/memories"},
        ]
    )
    @example(
        [
            {"command": "create", "path": "/memories/a", "file_text": "tea"},
            {"command": "str_replace", "path": "/memories/a", "old_str": "t", "new_str": "\ncoffee and t"},
        ]
    )
    def alike(steps: list[Input]) -> None:
        with TemporaryDirectory() as folder:
            play(steps, Plain(Path(folder)), ToolStore())

    alike()


def play(steps: list[Input], theirs: Plain, ours: ToolStore) -> None:
    for step in steps:
        before = theirs.files()
        if overlapping(before.get(step.get("path", ""), ""), step.get("old_str", "")):
            continue

        their_answer, our_answer = theirs.call(step), ours.call(step)

        text = before.get(step.get("path", ""), "")
        same = (our_answer[1] and their_answer[1] and same_refusal(our_answer[0], their_answer[0])) or (
            evened(step, *our_answer, text) == evened(step, *their_answer, text)
        )
        assert same, (step, text, our_answer, their_answer)
        if step["command"] == "str_replace" and not our_answer[1]:
            assert set(numbered(their_answer[0], ours.files()[step["path"]])) <= set(numbered(our_answer[0]))
        even_out_ends(step, theirs, ours)
        assert ours.files() == theirs.files(), step


OTHER_WORDS = {
    r"\S+ is a directory; send the path of a file\.": r"File \S+ already exists",
    r"\S+ is a file, so nothing can be stored below it\.": r"a system error",
    r"Cannot rename \S+ to \S+, which lies inside it": r"a system error",
    # On a directory; where both paths of a rename are at fault; and below a file.
    r"The path \S+ does not exist": r"The path \S+ is not a file\.|The destination \S+ already exists|a system error",
    r"Invalid `insert_line` parameter: .* (\[0, \d+\])": r"Invalid `insert_line` parameter: .* (\[0, \d+\])\.",
}
"""Our words where the specification is silent, and the SDK's in their place; what is grouped is the same."""


def same_refusal(ours: str, theirs: str) -> bool:
    """Return whether two refusals say the same."""
    ours, theirs = (answer.removesuffix(". Please provide a valid path.") for answer in (ours, theirs))
    ours = ours.removeprefix("Error: ")
    if several := re.fullmatch(
        r"(No replacement was performed\. Multiple .* in lines: )([\d, ]+)(\. .*)", theirs, re.S
    ):
        theirs = several[1] + ", ".join(dict.fromkeys(several[2].split(", "))) + several[3]
    for our_words, their_words in OTHER_WORDS.items():
        if (mine := re.fullmatch(our_words, ours)) and (other := re.fullmatch(their_words, theirs)):
            return mine.groups() == other.groups()
    return ours == theirs


def evened(step: Input, answer: str, is_error: bool, text: str) -> Any:
    """Return what has to be the same in both answers; ``text`` is the file's before the step."""
    match step["command"]:
        case "view" if is_error:
            return "no lines" if "view_range" in answer else answer
        case "view" if answer.startswith("Here's the content"):
            # Nothing in the range: a refusal in one tool, a header in the other.
            shown = list(numbered(answer, text))
            return [answer.partition("\n")[0], shown] if shown or "view_range" not in step else "no lines"
        case "view":
            return listing(answer)
        case "str_replace" if not is_error:
            return answer.startswith("The memory file has been edited.")
    return answer, is_error


def listing(answer: str) -> list[str]:
    """Return the lines of a listing without its header, directories' sizes and what lies in ``node_modules``."""
    header, *rows = answer.split("\n")
    directory = re.search(r"levels deep in (.*), excluding hidden items", header)
    assert directory
    shown = []
    for number, row in enumerate(rows):
        size, path = row.split("\t")
        if "/node_modules/" in path[len(directory[1]) :] + "/":
            continue
        is_directory = number == 0 or path.endswith("/")
        size = "" if is_directory else re.sub(r"^(\d+)([KMG])$", r"\1.0\2", size)
        shown.append(f"{size}\t{path}")
    return shown


def numbered(answer: str, text: str | None = None) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of an answer, but for the one that the final newline of ``text`` would begin."""
    beyond = text.count("\n") + 1 if text is not None and (not text or text.endswith("\n")) else 0
    for row in answer.split("\n"):
        if (found := re.fullmatch(r" *(\d+)\t(.*)", row, re.S)) and not (int(found[1]) == beyond and not found[2]):
            yield int(found[1]), found[2]


def overlapping(text: str, part: str) -> bool:
    return bool(part) and len(re.findall(f"(?={re.escape(part)})", text)) != text.count(part)


def even_out_ends(step: Input, theirs: Plain, ours: ToolStore) -> None:
    """Give the SDK's file our text where an insert left the two with one final newline more or less."""
    if step["command"] == "insert":
        mine, other = ours.files().get(step["path"]), theirs.files().get(step["path"])
        if (
            mine is not None
            and other is not None
            and mine != other
            and mine in (other + "\n", other.removesuffix("\n"))
        ):
            theirs.write(step["path"], mine)
