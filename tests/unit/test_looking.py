"""Looking through a directory without opening a file."""

import os
from pathlib import Path

import pytest

from memories.transfer.looking import Look, is_temporary
from memories.transfer.looking import look as look_below
from memories.transfer.opening import NoSource, open_top


def look(root: Path) -> Look:
    with open_top(root) as top:
        return look_below(top)


@pytest.mark.parametrize(
    "name",
    [
        ".a.md.swp", ".a.md.swo", "a.md~", ".#a.md", "#a.md#", "4913", ".goutputstream-A1B2C3", "a.md.tmp", "a.part",
        ".tmp-12-01234567-89ab-cdef-0123-456789abcdef", ".nfs000000000abc", ".~lock.a.odt#", ".memory_tmp",
    ],
)  # fmt: skip
def test_names_of_programs_at_work_are_temporary(name: str) -> None:
    assert is_temporary(name)


@pytest.mark.parametrize("name", ["a.md", ".hidden", "tmp", "4913.md", "a~b.md", "#1 priority.md", ".tmp-notes", "swp"])
def test_names_that_only_resemble_them_are_not(name: str) -> None:
    assert not is_temporary(name)


def test_a_look_finds_files_by_name_and_follows_no_link(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "notes" / "deep").mkdir(parents=True)
    (root / "a.md").write_text("a")
    (root / "notes" / "deep" / "b.md").write_text("bb")
    (root / "notes" / ".b.md.swp").write_text("swap")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_text("secret")
    (root / "link").symlink_to(tmp_path / "outside")

    seen = look(root)

    assert set(seen.files) == {"a.md", "notes/deep/b.md", "link"}
    assert seen.directories == {"notes", "notes/deep"}
    assert seen.files["notes/deep/b.md"].size == 2
    assert seen.closed == {}


def test_a_file_that_is_replaced_or_touched_has_other_facts(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    first = look(tmp_path)
    assert look(tmp_path) == first

    os.utime(tmp_path / "a.md", ns=(1, 1))

    assert look(tmp_path).files != first.files


def test_what_lies_deeper_than_a_path_can_be_is_named_and_hidden(tmp_path: Path) -> None:
    deep = tmp_path / "/".join(["d"] * 32)
    deep.mkdir(parents=True)
    (deep / "a.md").write_text("a")

    seen = look(tmp_path)

    assert seen.files == {}
    ((name, why),) = seen.closed.items()
    assert name == "/".join(["d"] * 32)
    assert "32" in why
    assert seen.hides(f"{name}/a.md")
    assert not seen.hides("a.md")


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.write_text("a file")])
def test_a_root_that_is_no_directory_is_told_apart_from_an_empty_one(tmp_path: Path, make: object) -> None:
    root = tmp_path / "root"
    assert callable(make)
    make(root)

    with pytest.raises(NoSource, match="root"):
        look(root)
