"""The demo agents' past: written through the store, sound in every count, and a world the scripts can work on."""

import re
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from agents import runs
from agents.demo import history
from agents.demo.history.acts import Called
from agents.demo.history.moments import At
from agents.demo.history.runs import TRIES
from agents.models import Agent, Message, Run, ToolCall
from agents.runs.history import tool_uses
from memories import store
from memories.models import MemoryEntry, MemoryStore, MemoryVersion, ReadEvent
from memories.views.marks import eyes_of
from tests.support.stores import assert_sound

pytestmark = pytest.mark.django_db
MOMENTS = ("2026-12-02 10:00+00:00", "2027-01-03 00:20+00:00", "2028-02-29 23:50+00:00")


@pytest.fixture
def operator() -> User:
    return User.objects.create_superuser("admin")


@pytest.fixture
def loaded(operator: User) -> Iterator[User]:
    history.load(operator)
    yield operator


def live_files() -> list[MemoryEntry]:
    return list(MemoryEntry.objects.filter(kind="file", state="live").select_related("store"))


def marks(viewer: User) -> dict[str, list[str]]:
    """Return the paths of the files that carry each mark for ``viewer``."""
    found: dict[str, list[str]] = {}
    for memory in MemoryStore.objects.all():
        eyes = eyes_of(viewer.pk, memory)
        files = MemoryEntry.objects.filter(store=memory, kind="file", state="live")
        for entry in eyes.listed(eyes.over(files)):
            for mark in eyes.marks_of(entry):
                found.setdefault(mark.kind, []).append(entry.path)
    return found


def test_there_are_several_agents_some_40_files_and_200_versions_by_agents_and_people(loaded: User) -> None:
    versions = MemoryVersion.objects.order_by("authored_at")

    assert Agent.objects.filter(place="here").count() == 2
    assert set(Agent.objects.values_list("place", flat=True)) == {"here", "api", "folder"}
    assert 35 <= len(live_files()) <= 55
    assert 180 <= versions.count() <= 260
    assert {"agent", "person", "token", "import"} == set(versions.values_list("actor_kind", flat=True))
    assert {"created", "modified", "renamed", "deleted"} == set(versions.values_list("operation", flat=True))
    assert versions[versions.count() - 1].authored_at < timezone.now()
    recent = versions.filter(authored_at__gt=timezone.now() - timedelta(weeks=9))
    assert recent[len(recent) - 1].authored_at - recent[0].authored_at > timedelta(weeks=7)


def test_every_store_is_sound_and_its_past_goes_forward(loaded: User) -> None:
    for memory in MemoryStore.objects.all():
        assert_sound(memory)
        versions = list(memory.versions.order_by("seq"))
        assert all(earlier.authored_at <= later.authored_at for earlier, later in pairwise(versions))
        assert memory.created_at <= versions[0].authored_at
        assert memory.last_activity_at == versions[-1].authored_at


def test_the_list_of_agents_the_browser_and_the_database_count_the_same(loaded: User, client: Client) -> None:
    client.force_login(loaded)
    total = len(live_files())

    home = client.get("/agents/").content.decode()

    assert re.search(rf"Memory files.{{0,80}}\b{total}\b", home, re.DOTALL)
    for memory in MemoryStore.objects.all():
        count = memory.entries.filter(kind="file", state="live").count()
        page = client.get(f"/stores/{memory.slug}/files/").content.decode()
        assert memory.file_count == count
        assert f"{count} of 10,000 files" in " ".join(re.sub(r"<[^>]+>", "", page).split())


def test_it_says_what_is_scripted_and_who_runs_elsewhere(loaded: User, client: Client) -> None:
    client.force_login(loaded)

    home = client.get("/agents/").content.decode()

    assert home.count("Scripted demo model") == 2
    assert "Elsewhere, API" in home
    assert "A folder" in home
    assert "claude-" not in home
    assert all(memory.description.startswith("Scripted demo: ") for memory in MemoryStore.objects.all())


def test_there_is_a_file_of_each_mark_and_only_a_handful_is_new(loaded: User) -> None:
    found = marks(loaded)

    assert set(found) == {"new", "old", "lock", "pin"}
    assert len(found["new"]) <= 10
    assert "/memories/lessons.md" not in found["new"]


def test_each_tool_call_of_a_run_made_the_versions_that_name_it(loaded: User) -> None:
    for run in Run.objects.all():
        answers = run.messages.filter(role="assistant")
        said = {block["id"] for answer in answers for _, block in tool_uses(answer)}
        calls = list(run.tool_calls.all())
        assert said == {call.tool_use_id for call in calls}
        for call in calls:
            made = list(MemoryVersion.objects.filter(run_id=run.uuid, tool_use_id=call.tool_use_id).order_by("seq"))
            assert [call.first_seq, call.last_seq] == ([made[0].seq, made[-1].seq] if made else [None, None])
            assert all((version.turn, version.authored_at) == (call.turn, call.created_at) for version in made)
    of_runs = MemoryVersion.objects.filter(run_id__isnull=False)
    assert of_runs.count() == MemoryVersion.objects.filter(actor_kind="agent").count()


def test_a_run_counts_what_its_messages_say_and_its_clock_goes_forward(loaded: User) -> None:
    for run in Run.objects.all():
        sent = list(run.messages.all())
        answers = [message for message in sent if message.role == "assistant"]
        assert [message.seq for message in sent] == list(range(1, run.last_seq + 1))
        assert run.turns == len(answers)
        assert run.output_tokens == sum(answer.usage["output_tokens"] for answer in answers)
        assert all(earlier.created_at <= later.created_at for earlier, later in pairwise(sent))
        assert run.ended_at and run.created_at < run.ended_at < timezone.now()
        assert run.created_at.weekday() < 5
        assert 8 <= run.created_at.hour < 18


def test_runs_are_numbered_scripted_and_mostly_done(loaded: User) -> None:
    for agent in Agent.objects.filter(place="here"):
        numbers = list(agent.runs.order_by("created_at").values_list("number", flat=True))
        assert numbers == list(range(1, agent.last_run_number + 1))
    states = list(Run.objects.values_list("state", flat=True))

    assert all(run.settings["model"].startswith("demo/") for run in Run.objects.all())
    assert not Run.objects.exclude(agent__place="here").exists()
    assert set(states) == {"done", "stopped", "failed"}
    assert states.count("done") > 0.9 * len(states)
    failed = Run.objects.get(state="failed")
    assert "Overloaded" in failed.detail
    assert "retry" in failed.detail
    assert failed.failed_attempts.count() == TRIES
    assert set(Run.objects.filter(state="stopped").values_list("reason", flat=True)) == {"budget:turns"}


def test_files_say_who_read_them(loaded: User) -> None:
    acme = MemoryEntry.objects.get(path="/memories/customers/acme-corp.md")

    assert ReadEvent.objects.filter(entry=acme, run_id__isnull=False).count() > 3
    assert acme.accessed_at == max(ReadEvent.objects.filter(entry=acme).values_list("read_at", flat=True))


def test_a_customer_that_was_forgotten_and_came_back_is_another_file(loaded: User) -> None:
    back = MemoryEntry.objects.get(path="/memories/customers/vandelay-imports.md", state="live")
    before = MemoryEntry.objects.get(path="/memories/customers/vandelay-imports.md", state="trash")

    assert back.predecessor == before.uuid


def test_only_calls_that_the_demo_model_mends_itself_were_refused(loaded: User) -> None:
    refused = ToolCall.objects.filter(is_error=True)

    assert refused.exists()
    for call in refused:
        assert Message.objects.filter(run=call.run, turn__gt=call.turn).exists()


def test_nothing_a_program_elsewhere_did_was_refused(loaded: User) -> None:
    asked = sum(len(act.calls) for world in history.WORLDS for act in world.acts if isinstance(act, Called))
    wrote = MemoryVersion.objects.filter(actor_kind="token").count()

    assert ReadEvent.objects.filter(actor_kind="token").count() + wrote == asked


@pytest.mark.parametrize("moment", MOMENTS)
def test_it_can_be_loaded_at_any_moment(operator: User, moment: str) -> None:
    with time_machine.travel(moment, tick=False):
        history.load(operator)

        assert not history.is_due()
        assert set(marks(operator)) == {"new", "old", "lock", "pin"}


def test_loading_again_changes_nothing(loaded: User) -> None:
    before = list(MemoryStore.objects.values_list("slug", "seq"))

    history.load(loaded)

    assert not history.is_due()
    assert list(MemoryStore.objects.values_list("slug", "seq")) == before
    assert Agent.objects.count() == len(history.WORLDS)


def test_where_somebody_keeps_memory_already_nothing_is_loaded(operator: User) -> None:
    store.create_store(name="support-desk")

    assert not history.is_due()
    history.load(operator)

    assert not Agent.objects.exists()


def test_a_load_that_was_cut_off_is_finished_by_the_next_one(operator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_off(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(history.people, "call", cut_off)
        history.load(operator)
    assert MemoryStore.objects.get(slug="release-notes-writer").seq == 0
    assert history.is_due()

    history.load(operator)

    assert not history.is_due()
    assert all(memory.seq for memory in MemoryStore.objects.all())
    for memory in MemoryStore.objects.all():
        assert_sound(memory)


@pytest.mark.django_db(transaction=True)
def test_a_run_of_today_answers_from_what_the_past_has_left(loaded: User) -> None:
    run = runs.start(Agent.objects.get(slug="support-desk"), "How many seats does Acme Corp have?", user=loaded)

    runs.drive(run.pk)

    assert "240 seats" in Message.objects.filter(run=run).latest("seq").content[0]["text"]


@pytest.mark.django_db(transaction=True)
def test_runs_that_ended_early_go_on_where_they_were(loaded: User) -> None:
    unfinished = list(Run.objects.exclude(state="done"))
    for run in unfinished:
        runs.resume(run, user=loaded)

        runs.drive(run.pk)

        run.refresh_from_db()
        assert run.state == "done"
    assert len(unfinished) == 3


def test_a_working_day_ago_is_never_a_weekend() -> None:
    with time_machine.travel("2026-11-30 09:00+00:00"):
        friday = At(1, "16:00").before(timezone.now())
        monday = At(5, "16:00").before(timezone.now())

    assert (friday.isoformat(), monday.isoformat()) == ("2026-11-27T16:00:00+00:00", "2026-11-23T16:00:00+00:00")
