"""Which folders are followed, for whom, and by which process."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from agents import folders
from agents.folders import claims
from agents.folders.claims import ClaimLost
from agents.making import create_agent
from agents.models import Agent, Place, WatchedFolder
from tests.support.folders import Folder

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_process_whose_claim_is_taken_writes_nothing_more(disk: Folder) -> None:
    disk.look()
    WatchedFolder.objects.update(claim="elsewhere:1:0")
    disk.put("a.md", "tea\n")

    with pytest.raises(ClaimLost):
        disk.look()

    assert disk.files == {}


def test_one_process_at_a_time_follows_a_folder_and_a_dead_one_is_no_hindrance(disk: Folder) -> None:
    assert claims.take(disk.row.pk) is None

    later = timezone.now() + timedelta(hours=1)
    machine = os.uname().nodename
    WatchedFolder.objects.update(claim=f"{machine}:999999999:0", claimed_until=later)
    assert claims.take(disk.row.pk) is not None

    WatchedFolder.objects.update(claim="elsewhere:1:0", claimed_until=later)
    assert claims.take(disk.row.pk) is None
    WatchedFolder.objects.update(claimed_until=timezone.now())
    assert claims.take(disk.row.pk) is not None


@pytest.fixture
def operator(quick_passwords: None) -> User:
    return User.objects.create_superuser("ada")


def test_a_folder_is_registered_once_and_reads_of_its_store_are_unknown_from_then_on(
    tmp_path: Path, operator: User
) -> None:
    agent = create_agent(name="Pipeline", place=Place.FOLDER)
    row = folders.register(agent, str(tmp_path), operator)

    assert folders.register(agent, f"{tmp_path}/.", operator) == row
    assert (row.path, row.in_background, row.added_by) == (str(tmp_path.resolve()), True, "ada")
    agent.store.refresh_from_db()
    assert agent.store.unseen_since is not None
    assert not folders.status(row).is_in_order

    assert folders.unregister(agent)
    assert not folders.unregister(agent)
    agent.store.refresh_from_db()
    assert agent.store.unseen_since is None


def test_folders_that_cannot_be_followed_are_refused_with_the_reason(
    tmp_path: Path, operator: User, mara: User, settings: Any
) -> None:
    agent = create_agent(name="Pipeline", place=Place.FOLDER)
    other = create_agent(name="Other", place=Place.FOLDER)
    here = create_agent(name="Here")
    (tmp_path / "file").write_text("x")
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    folders.register(other, str(tmp_path / "a"), operator)

    def refusal(agent: Agent, folder: object) -> str:
        with pytest.raises(folders.FolderRefused) as refused:
            folders.register(agent, str(folder), operator)
        return str(refused.value)

    assert "whole path" in refusal(agent, "a/b")
    assert "whole path" in refusal(agent, "~nobody-at-all/b")
    assert "is not there" in refusal(agent, "/a\0b")
    assert "is not there" in refusal(agent, tmp_path / "nowhere")
    assert "not a directory" in refusal(agent, tmp_path / "file")
    assert "memdash's own data" in refusal(agent, settings.MEMDASH_DATA)
    assert "memdash's own data" in refusal(agent, "/")
    assert "folder of Other already" in refusal(agent, tmp_path / "a")
    assert "another kind (runs here)" in refusal(here, tmp_path / "b")
    assert "has the folder" in refusal(other, tmp_path / "b")
    with pytest.raises(PermissionDenied):
        folders.register(agent, str(tmp_path / "b"), mara)
    assert WatchedFolder.objects.count() == 1
