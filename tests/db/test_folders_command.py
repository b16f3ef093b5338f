"""``memdash watch`` as a command that ends: what it says, and what it refuses."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from agents.models import Agent
from memories.models import MemoryVersion

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a directory with one file."""
    (tmp_path / "folder" / "memories").mkdir(parents=True)
    (tmp_path / "folder" / "memories" / "a.md").write_text("tea\n")
    return tmp_path / "folder"


def watch(folder: Path, agent: str = "Pipeline", *options: str) -> list[str]:
    out = StringIO()
    call_command("watch_folder", str(folder), "--agent", agent, "--once", *options, stdout=out)
    return out.getvalue().splitlines()


def test_once_takes_what_is_there_and_fails_when_something_is_left(folder: Path) -> None:
    taken, again = watch(folder), watch(folder)
    (folder / "memories" / "bad.md").write_bytes(b"\xff\xfe")

    assert taken[1:] == ["taken a.md, version 1", "In all 1 taken."]
    assert again[1:] == ["In all 1 already there."]
    with pytest.raises(CommandError, match=r"^1 file could not be taken, named above with the reason\.$"):
        watch(folder)


def test_deletions_are_accepted_for_what_is_gone_at_the_start(folder: Path) -> None:
    (folder / "memories" / "b.md").write_text("milk\n")
    watch(folder)
    for file in (folder / "memories").iterdir():
        file.unlink()
    with pytest.raises(CommandError, match=r"^2 files are gone from the folder"):
        watch(folder)

    said = watch(folder, "Pipeline", "--accept-deletions")

    assert said[1:] == ["deleted a.md, version 2", "deleted b.md, version 2", "In all 2 deleted."]
    assert set(MemoryVersion.objects.filter(number=2).values_list("operation", flat=True)) == {"deleted"}
    assert watch(folder)[1:] == ["In all nothing yet."]


def test_an_agent_of_another_kind_and_a_folder_that_is_not_there_are_refused(folder: Path) -> None:
    call_command("import_memory", str(folder), "--agent", "Imported", stdout=StringIO())

    with pytest.raises(CommandError, match=r"^Imported is an agent of another kind \(runs here\)"):
        watch(folder, "Imported")
    with pytest.raises(CommandError, match="nowhere is not there"):
        watch(folder / "nowhere", "New")

    assert Agent.objects.count() == 1
