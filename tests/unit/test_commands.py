"""The commands as pure functions: a snapshot in, effects or a refusal out."""

from collections.abc import Callable
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.commands import (
    JPEG,
    PNG,
    TEXT,
    Command,
    Create,
    Delete,
    Entry,
    ImportFile,
    Insert,
    Lock,
    Mark,
    Move,
    Overwrite,
    Pin,
    Put,
    Remove,
    Rename,
    Snapshot,
    StrReplace,
    Totals,
    View,
)
from memories.diffs import carried
from memories.paths import MemoryPath
from memories.refusals import (
    ContentChanged,
    InsideItself,
    LineOutOfRange,
    NotText,
    PathMissing,
    PathTaken,
    Refused,
    RootKept,
    TextAmbiguous,
    TextNotFound,
    TooManyLines,
)
from memories.text import count_lines, lines_of

A = MemoryPath("/memories/a.md")
D = MemoryPath("/memories/d")
PIXEL = b"\x89PNG\r\n\x1a\n rest"
texts = st.text(st.sampled_from("ab\n"), max_size=25)


def file(text: str | bytes, path: MemoryPath = A, *, media: str = TEXT, pinned: bool = False) -> Entry:
    """Return a live file as a command sees it."""
    data = text.encode() if isinstance(text, str) else text
    lines = count_lines(data.decode()) if media == TEXT else 0
    digest = sha256(data).hexdigest()
    return Entry(1, path.text, "file", media, len(data), lines, 3, data, pinned=pinned, blob_id=9, sha256=digest)


def directory(path: MemoryPath = D) -> Entry:
    return Entry(2, path.text, "directory", "", 5, 0, 0, file_count=1)


def seen(*entries: Entry, below: tuple[Entry, ...] = (), overwrites: bool = False) -> Snapshot:
    totals = Totals(0, create_overwrites=overwrites)
    return Snapshot(totals, {entry.path: entry for entry in entries}, below)


def put_of(command: Command, snapshot: Snapshot) -> Put:
    """Return the one change that a command makes, which gives a file its content."""
    (change,) = command.run(snapshot).changes
    assert isinstance(change, Put)
    return change


def lines_carried(old: str, change: Put) -> list[str]:
    """Return the new lines as the spans tell them: kept ones from ``old``, the rest from the new text."""
    new_lines = lines_of(change.data.decode())
    return carried(lines_of(old), change.hunks, lambda number: new_lines[number])


@given(texts)
def test_a_new_file_holds_the_text_and_all_its_lines_are_new(text: str) -> None:
    change = put_of(Create(A, text), seen())

    assert change.data.decode() == text
    assert (change.operation, change.lines) == ("created", count_lines(text))
    assert lines_carried("", change) == lines_of(text)


@given(texts, texts, texts, texts)
def test_a_replacement_is_verbatim_and_its_span_tells_every_changed_line(
    before: str, old: str, after: str, new: str
) -> None:
    text = before + old + after
    command = StrReplace(A, old or "a", new)
    try:
        effects = command.run(seen(file(text)))
    except TextNotFound:
        assert command.old not in text
        return
    except TextAmbiguous:
        start = text.find(command.old)
        assert text.find(command.old, start + 1) > start
        return

    wanted = text.replace(command.old, new, 1)
    if wanted == text:
        assert effects.changes == ()
        return
    change = put_of(command, seen(file(text)))
    assert change.data.decode() == wanted
    assert change.lines == count_lines(wanted)
    assert lines_carried(text, change) == lines_of(wanted)


@given(texts, texts, st.integers(-1, 8))
def test_inserted_text_becomes_lines_of_its_own(text: str, inserted: str, line: int) -> None:
    command = Insert(A, line, inserted)
    if not 0 <= line <= count_lines(text):
        with pytest.raises(LineOutOfRange):
            command.run(seen(file(text)))
        return

    change = put_of(command, seen(file(text)))

    old, new = lines_of(text), lines_of(change.data.decode())
    own = lines_of(inserted) or [""]
    assert new == old[:line] + own + old[line:]
    assert [hunk.new_count for hunk in change.hunks] == [len(own)]
    assert lines_carried(text, change) == new


@given(texts, texts)
def test_a_save_tells_the_lines_that_a_comparison_finds(old: str, new: str) -> None:
    entry = file(old)
    effects = Overwrite(A, new, entry.sha256).run(seen(entry))

    assert bool(effects.changes) == (old != new)
    for change in effects.changes:
        assert isinstance(change, Put)
        assert change.data.decode() == new
        assert lines_carried(old, change) == lines_of(new)


def test_lines_that_were_only_quoted_keep_their_author() -> None:
    change = put_of(StrReplace(A, "one\ntwo\nthree", "one\nTWO\nthree"), seen(file("one\ntwo\nthree\n")))

    assert [(hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) for hunk in change.hunks] == [(1, 1, 1, 1)]


def test_a_line_that_only_gains_its_final_newline_keeps_its_author() -> None:
    inserted = put_of(Insert(A, 1, "b"), seen(file("a")))
    replaced = put_of(StrReplace(A, "a", "a\n"), seen(file("a")))

    assert inserted.data == b"a\nb\n"
    assert [(hunk.old_start, hunk.old_count, hunk.new_count) for hunk in inserted.hunks] == [(1, 0, 1)]
    assert replaced.hunks == ()


def test_a_stale_save_is_refused() -> None:
    with pytest.raises(ContentChanged):
        Overwrite(A, "mine", sha256(b"what I opened").hexdigest()).run(seen(file("theirs")))


@pytest.mark.parametrize(
    ("old", "new", "summary"),
    [
        ("", "\n\n  first words \nmore\n", "first words"),
        ("a\nb\n", "a\n", "b"),
        ("a\n", "a\n\n", ""),
        ("", "x" * 100, "x" * 79 + "…"),
    ],
)
def test_the_summary_is_the_first_line_added_or_else_removed(old: str, new: str, summary: str) -> None:
    entry = file(old)

    assert put_of(Overwrite(A, new, entry.sha256), seen(entry)).summary == summary


def test_create_overwrites_only_where_store_and_caller_both_allow_it() -> None:
    for snapshot, caller in [(seen(file("old")), True), (seen(file("old"), overwrites=True), False)]:
        with pytest.raises(PathTaken):
            Create(A, "new", may_overwrite=caller).run(snapshot)

    change = put_of(Create(A, "new", may_overwrite=True), seen(file("old"), overwrites=True))

    assert (change.operation, change.data) == ("modified", b"new")


def test_the_same_text_is_no_change() -> None:
    entry = file("same")
    commands: list[Command] = [
        Create(A, "same", may_overwrite=True),
        Overwrite(A, "same", entry.sha256),
        ImportFile(A, b"same"),
        StrReplace(A, "a", "a"),
    ]

    assert [command.run(seen(entry, overwrites=True)).changes for command in commands] == [()] * 4


@pytest.mark.parametrize(("data", "media"), [(PIXEL, PNG), (b"\xff\xd8\xff\xe0 rest", JPEG), (b"<svg/>", TEXT)])
def test_content_decides_what_a_file_is(data: bytes, media: str) -> None:
    assert put_of(ImportFile(A, data), seen()).media == media


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a\0b", b"GIF89a\xff"])
def test_bytes_that_are_neither_text_nor_an_image_are_not_imported(data: bytes) -> None:
    with pytest.raises(NotText):
        ImportFile(A, data).run(seen())


@pytest.mark.parametrize(
    "command",
    [
        StrReplace(A, "a", "b"),
        Insert(A, 0, "x"),
        Overwrite(A, "x", sha256(PIXEL).hexdigest()),
        Create(A, "x", may_overwrite=True),
    ],
)
def test_an_image_is_not_edited_as_text(command: Command) -> None:
    with pytest.raises(NotText) as refusal:
        command.run(seen(file(PIXEL, media=PNG), overwrites=True))

    assert str(refusal.value) == "Error: /memories/a.md is an image and cannot be edited as text."


def test_an_image_is_shown_as_an_image() -> None:
    effects = View(A).run(seen(file(PIXEL, media=PNG)))

    assert isinstance(effects.answer, list)
    (block,) = effects.answer
    assert (block["type"], block["source"]["media_type"]) == ("image", "image/png")


def test_text_of_just_the_limit_is_shown_whole_and_a_character_more_is_cut_with_a_hint() -> None:
    whole = View(A).run(seen(file(("x" * 99 + "\n") * 160)))
    cut = View(A).run(seen(file(("x" * 99 + "\n") * 160 + "END")))

    assert "view_range" not in str(whole.answer)
    assert "END" not in str(cut.answer)
    assert "lines up to 160 of 161 are shown" in str(cut.answer)
    assert "such as [161, -1]" in str(cut.answer)
    assert cut.look
    assert (cut.look.first_line, cut.look.last_line) == (1, 160)


def test_a_long_line_is_cut_unless_its_range_is_asked_for() -> None:
    entry = file("x" * 20_000 + "END\nsecond\n")

    plain, asked = View(A).run(seen(entry)), View(A, (1, 1)).run(seen(entry))

    assert "END" not in str(plain.answer)
    assert "[Line 1 is cut after 16,000 characters. Use view_range [1, 1] to read it whole" in str(plain.answer)
    assert "END" in str(asked.answer)


def test_a_file_of_a_million_lines_is_not_shown_at_all() -> None:
    entry = file("")._replace(lines=1_000_000)

    with pytest.raises(TooManyLines, match="exceeds maximum line limit of 999,999 lines"):
        View(A, (1, 2)).run(seen(entry))


def test_many_occurrences_are_listed_by_line_up_to_a_thousand() -> None:
    with pytest.raises(TextAmbiguous) as few:
        StrReplace(A, "a", "b").run(seen(file("a a\nx\na\n")))
    with pytest.raises(TextAmbiguous) as many:
        StrReplace(A, "\n", "").run(seen(file("\n" * 500_000)))

    assert str(few.value).endswith("in lines: 1, 3. Please ensure it is unique")
    assert ", 1000 and more. Please" in str(many.value)
    assert len(str(many.value)) < 6_000


def test_deleting_a_directory_removes_its_files_in_order() -> None:
    inner = [file("1", MemoryPath("/memories/d/1.md")), file("2", MemoryPath("/memories/d/x/2.md"))]
    below = (inner[0], directory(MemoryPath("/memories/d/x")), inner[1])

    effects = Delete(D).run(seen(directory(), below=below))

    assert effects.changes == (Remove(inner[0]), Remove(inner[1]))


def test_renaming_a_directory_moves_its_files() -> None:
    inner = file("1", MemoryPath("/memories/d/d/1.md"))

    effects = Rename(D, MemoryPath("/memories/e")).run(seen(directory(), below=(inner,)))

    assert effects.changes == (Move(inner, MemoryPath("/memories/e/d/1.md")),)


@pytest.mark.parametrize(
    ("command", "refusal"),
    [
        (Delete(MemoryPath.ROOT), RootKept),
        (Rename(MemoryPath.ROOT, MemoryPath("/memories/x")), RootKept),
        (Delete(MemoryPath("/memories/none")), PathMissing),
        (Rename(MemoryPath("/memories/none"), MemoryPath("/memories/x")), PathMissing),
        (Rename(A, MemoryPath.ROOT), PathTaken),
        (Rename(A, A), PathTaken),
        (Rename(A, D), PathTaken),
        (Rename(D, MemoryPath("/memories/d/e")), InsideItself),
        (Rename(A, MemoryPath("/memories/a.md/b")), InsideItself),
        (Rename(D, MemoryPath("/memories/a.md/b")), PathTaken),
        (Create(MemoryPath("/memories/a.md/b"), ""), PathTaken),
        (Create(D, ""), PathTaken),
        (Create(MemoryPath.ROOT, ""), PathTaken),
        (StrReplace(D, "a", "b"), PathMissing),
        (Insert(D, 0, "b"), PathMissing),
        (Pin(D), PathMissing),
    ],
)
def test_what_cannot_be_is_refused(command: Command, refusal: type[Refused]) -> None:
    with pytest.raises(refusal):
        command.run(seen(file("text"), directory()))


@pytest.mark.parametrize("mark", [Pin, Lock])
def test_a_mark_is_set_once_and_taken_away_once(mark: Callable[..., Command]) -> None:
    (change,) = mark(A).run(seen(file("text"))).changes

    assert isinstance(change, Mark)
    assert (change.before, change.after) == (False, True)
    assert mark(A, on=False).run(seen(file("text"))).changes == ()
