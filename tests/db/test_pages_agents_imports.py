"""Agents whose memory came from a folder: the page that imports it, and what their own pages say until they run."""

import re
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.making import create_agent
from agents.models import Agent, Place, RunState
from agents.views import last_seen
from memories import store
from memories.actors import Actor, ActorKind
from memories.commands import Create, ImportFile
from memories.models import MemoryVersion, Role
from memories.paths import MemoryPath
from tests.support.people import browser_of, member, operator
from tests.support.plans import index_conditions
from tests.support.run_rows import run_in
from tests.support.stores import PERSON

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser() -> Client:
    """The operator's browser."""
    return browser_of(operator())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory as the SDK's tool lays it out, with three files."""
    (tmp_path / "memories").mkdir()
    for number in range(3):
        (tmp_path / "memories" / f"{number}.md").write_text(f"note {number}\n")
    return tmp_path


def imported(folder: Path, name: str = "Imported") -> Agent:
    call_command("import_memory", str(folder), "--agent", name, stdout=StringIO())
    return Agent.objects.get(name=name)


def words_of(page: str) -> str:
    """Return the text of the page's main part, with one blank between words."""
    return " ".join(re.sub(r"<[^>]+>", "", page.partition("<main")[2]).split())


def test_an_import_is_rehearsed_first_and_changes_nothing_the_second_time(browser: Client, tmp_path: Path) -> None:
    (tmp_path / "memories").mkdir()
    (tmp_path / "memories" / "notes.md").write_text("tea\n")
    asked = {"folder": str(tmp_path), "agent": "Imported"}

    rehearsed = browser.post("/agents/import", {**asked, "act": "look"}).content.decode()
    assert "Import 1 file" in rehearsed
    assert not Agent.objects.exists()

    done = browser.post("/agents/import", {**asked, "act": "import"}).content.decode()
    again = browser.post("/agents/import", {**asked, "act": "import"}).content.decode()

    assert "notes.md" in done
    assert "already there" in again
    assert Agent.objects.get().store.seq == 1


def test_an_import_says_why_a_directory_cannot_be_read(browser: Client, tmp_path: Path) -> None:
    answer = browser.post("/agents/import", {"folder": str(tmp_path / "none"), "agent": "Imported", "act": "look"})

    assert answer.status_code == 422
    assert "is not a directory" in answer.content.decode()


def test_what_came_from_a_folder_is_the_agents_and_kept_as_imported(browser: Client, folder: Path) -> None:
    browser.post("/agents/import", {"folder": str(folder), "agent": "By browser", "act": "import"})
    imported(folder, "By command")

    for agent in Agent.objects.all():
        versions = MemoryVersion.objects.filter(store=agent.store)
        assert set(versions.values_list("actor_kind", "agent_id")) == {(ActorKind.IMPORT, agent.pk)}
        assert versions.count() == 3


@pytest.mark.parametrize("layout", ["table", "cards"])
def test_the_list_says_who_imported_how_much_and_when(browser: Client, folder: Path, layout: str) -> None:
    browser.post("/agents/import", {"folder": str(folder), "agent": "Imported", "act": "import"})
    name = Agent.objects.get().store.versions.get(path="/memories/0.md").actor_label

    page = words_of(browser.get(f"/agents/?layout={layout}").content.decode())

    assert f"Imported 3 files just now by {name}" in page
    assert "No run yet" not in page


def test_an_import_by_the_command_says_so_on_the_list_and_on_the_agents_page(browser: Client, folder: Path) -> None:
    agent = imported(folder)

    for address in ("/agents/", f"/agents/{agent.slug}/runs"):
        assert "Imported 3 files just now by memdash import" in words_of(browser.get(address).content.decode())


def test_of_several_imports_the_last_one_counts_also_after_a_persons_change(browser: Client, folder: Path) -> None:
    agent = imported(folder)
    (folder / "memories" / "1.md").write_text("another note\n")
    imported(folder)
    store.apply(agent.store_id, Create(MemoryPath.parse("/memories/by-mia.md"), "x"), actor=PERSON)

    assert "Imported 1 file just now" in words_of(browser.get("/agents/").content.decode())


def test_an_import_larger_than_what_is_looked_through_is_not_given_a_number_that_is_too_small(
    browser: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(last_seen, "WITHIN", 2)
    imported(folder)

    assert "Imported 2 files or more" in words_of(browser.get("/agents/").content.decode())


def test_a_run_is_told_of_before_an_import(browser: Client, folder: Path) -> None:
    run_in(RunState.DONE, imported(folder))

    page = words_of(browser.get("/agents/").content.decode())

    assert "Finished 1 min ago" in page
    assert "Imported 3 files" not in page


def test_files_from_a_folder_are_no_call_of_an_agent_elsewhere(browser: Client) -> None:
    agent = create_agent(name="Coach", place=Place.API)
    old = timezone.now() - timedelta(days=400)
    actor = Actor(ActorKind.IMPORT, "mara", agent_id=agent.pk, change_set="import:1", authored_at=old)
    store.apply(agent.store_id, ImportFile(MemoryPath.parse("/memories/a.md"), b"a"), actor=actor)

    page = words_of(browser.get("/agents/").content.decode())

    assert "Imported 1 file just now by mara" in page
    assert "Last call" not in page


def test_the_last_imports_are_looked_up_by_the_newest_changes_of_the_stores(
    browser: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(last_seen, "WITHIN", 2)
    imported(folder, "One")
    imported(folder, "Another")

    with CaptureQueriesContext(connection) as seen:
        browser.get("/agents/")

    (asked,) = [query["sql"] for query in seen if "actor_label" in query["sql"]]
    conditions = index_conditions(asked)
    assert len(conditions) == 2
    assert all("store_id=" in condition and "seq>" in condition for condition in conditions)


def test_an_agent_of_claude_is_said_to_run_elsewhere_until_there_is_a_key(browser: Client, folder: Path) -> None:
    agent = imported(folder)
    pages = [f"/agents/{agent.slug}/runs", f"/agents/{agent.slug}/settings", f"/runs/new?agent={agent.slug}"]

    for address in pages:
        page = words_of(browser.get(address).content.decode())
        assert "Imported cannot run here yet." in page, address
        assert "ANTHROPIC_API_KEY is not set" in page
        assert "Until then it runs elsewhere" in page
    memory = words_of(browser.get(f"/stores/{agent.store.slug}/files/").content.decode())
    assert "cannot run here yet: no API key is set" in memory
    assert "Elsewhere until there is an API key" in words_of(browser.get("/agents/").content.decode())
    assert "Elsewhere until there is an API key" in browser.get("/palette?q=Imp").content.decode()
    assert "Start a run" not in browser.get(pages[0]).content.decode()

    with override_settings(MEMDASH_ANTHROPIC_API_KEY="sk-ant-made-up"):
        for address in pages:
            assert "cannot run here" not in browser.get(address).content.decode()
        assert "Runs here" in browser.get("/agents/").content.decode()
        assert "Start a run" in browser.get(pages[0]).content.decode()


def test_the_page_of_an_import_says_that_the_new_agent_cannot_run_yet(browser: Client, folder: Path) -> None:
    asked = {"folder": str(folder), "agent": "Imported"}

    assert "cannot run here" not in browser.post("/agents/import", {**asked, "act": "look"}).content.decode()
    assert "cannot run here yet" in browser.post("/agents/import", {**asked, "act": "import"}).content.decode()


def test_who_may_not_change_the_settings_is_not_sent_to_them(folder: Path) -> None:
    agent = imported(folder)
    settings = f'href="/agents/{agent.slug}/settings"'

    for address in (f"/agents/{agent.slug}/runs", f"/runs/new?agent={agent.slug}"):
        assert settings in browser_of(member(agent.store, Role.OWNER)).get(address).content.decode()
        assert settings not in browser_of(member(agent.store, Role.CURATOR)).get(address).content.decode()
