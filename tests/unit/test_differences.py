"""How two states differ file by file: taking every difference turns one of them into the other."""

from hashlib import sha256
from itertools import count
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from memories.moments import FileAt
from memories.moments.differences import Difference, Kind, between, net

PATHS = st.sampled_from([f"/memories/{name}" for name in ("a", "b", "c", "d", "e")])
TEXTS = st.sampled_from(["", "tea", "milk", "sugar"])
IDS = st.integers(1, 6)
TREE = dict[str, str]


def file(entry_id: int, path: str, text: str) -> FileAt:
    """Return a file that holds the text."""
    return FileAt(entry_id, UUID(int=entry_id), path, 1, 1, 1, sha256(text.encode()).hexdigest(), len(text), 1)


@st.composite
def states(draw: st.DrawFn) -> list[FileAt]:
    """Return files of a store at a moment: no path twice and no file twice."""
    paths = draw(st.lists(PATHS, unique=True))
    ids = draw(st.lists(IDS, unique=True, min_size=len(paths), max_size=len(paths)))
    return [file(entry_id, path, draw(TEXTS)) for entry_id, path in zip(ids, paths, strict=True)]


def tree(files: list[FileAt]) -> TREE:
    """Return the content of each path."""
    return {each.path: each.sha256 for each in files}


def applied(before: TREE, differences: list[Difference]) -> TREE:
    """Return a tree with every difference made."""
    left = {side.path for side, _ in differences if side}
    came = {side.path: side.sha256 for _, side in differences if side}
    return {path: content for path, content in before.items() if path not in left} | came


@given(states(), states())
def test_net_differences_turn_what_was_seen_into_what_is_there_now(before: list[FileAt], after: list[FileAt]) -> None:
    found = net(before, after)

    assert applied(tree(before), found) == tree(after)
    assert len(found) <= len({each.entry_id for each in (*before, *after)})
    assert all(each.path == each.file.path for each in found)


@given(states(), states(), st.integers(0, 1))
def test_taking_every_difference_makes_the_target_equal_the_source(
    target: list[FileAt], source: list[FileAt], offset: int
) -> None:
    # In another store no file is the same one.
    source = [each._replace(entry_id=each.entry_id + 100 * offset) for each in source]

    found = between(target, source)

    assert applied(tree(target), found) == tree(source)
    assert all(each.kind is not Kind.SAME for each in found)
    assert (not found) == (tree(target) == tree(source))


def test_kinds_say_what_became_of_a_file() -> None:
    numbers = count(1)
    kept, changed, moved, gone, again = (next(numbers) for _ in range(5))
    before = [file(kept, "/memories/k", "x"), file(changed, "/memories/c", "x"), file(moved, "/memories/m", "x")]
    before += [file(gone, "/memories/g", "x"), file(again, "/memories/r", "x")]
    after = [file(kept, "/memories/k", "x"), file(changed, "/memories/c", "y"), file(moved, "/memories/n", "y")]
    after += [file(next(numbers), "/memories/r", "z"), file(next(numbers), "/memories/z", "")]

    said = {each.path: (each.kind, each.is_rewritten, each.is_replaced) for each in net(before, after)}

    assert said == {
        "/memories/k": (Kind.SAME, False, False),
        "/memories/c": (Kind.CHANGED, True, False),
        "/memories/n": (Kind.MOVED, True, False),
        "/memories/g": (Kind.REMOVED, False, False),
        "/memories/r": (Kind.CHANGED, True, True),
        "/memories/z": (Kind.ADDED, False, False),
    }


def test_same_bytes_at_another_path_are_one_move_and_empty_files_are_none() -> None:
    target = [file(1, "/memories/old", "tea"), file(2, "/memories/empty", "")]
    source = [file(11, "/memories/new", "tea"), file(12, "/memories/blank", "")]

    said = [(each.kind, each.path) for each in between(target, source)]

    assert said == [
        (Kind.ADDED, "/memories/blank"),
        (Kind.REMOVED, "/memories/empty"),
        (Kind.MOVED, "/memories/new"),
    ]
