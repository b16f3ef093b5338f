"""Acts on settings: each is recorded and can be taken back, and what somebody changed since stays."""

import re
import threading
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, connections
from django.test import Client

from agents.making import create_agent
from agents.models import Agent, ApiToken, ModelPrice, Place, RunState, Scope, WatchedFolder
from agents.tokens import make_token
from memories import settings as changes
from memories.actors import Actor, ActorKind
from memories.models import ChangeSet, Member, MemoryEntry, MemoryStore, MemoryVersion, Role
from memories.models.slugs import with_free_slug
from memories.refusals import Refused
from memories.settings.stores import note_key
from memories.store import purging
from tests.support.files import remove, write
from tests.support.people import browser_of, member, operator
from tests.support.run_rows import run_in

pytestmark = pytest.mark.django_db

STORE = {"description": "", "file_kib": 1024, "most_files": 10_000, "store_mib": 100}


@pytest.fixture
def helper() -> Agent:
    return create_agent(name="Helper", place=Place.API, model="")


@pytest.fixture
def boss(helper: Agent) -> User:
    """An owner of the agent's store."""
    return member(helper.store, Role.OWNER)


@pytest.fixture
def owner(boss: User) -> Client:
    return browser_of(boss)


@pytest.fixture
def root() -> Client:
    return browser_of(operator())


def undo_in(html: str) -> str:
    """Return where the toast's Undo leads."""
    found = re.search(r'action="(/acts/[0-9a-f-]+/undo)"', html[html.index("data-toast") :])
    assert found
    return found[1]


def role_of(user: User, store: MemoryStore) -> str:
    return Member.objects.filter(user=user, store=store).values_list("role", flat=True).first() or ""


def done(browser: Client, address: str, fields: Mapping[str, object]) -> str:
    return browser.post(address, fields, follow=True).text


Act = Callable[[Client, Agent, User], tuple[str, dict[str, object]]]
Look = Callable[[Agent, User], object]

ACTS: dict[str, tuple[Act, Look, str]] = {
    "a name": (
        lambda browser, agent, user: (f"/agents/{agent.slug}/settings", {"name": "Other"}),
        lambda agent, user: Agent.objects.get(pk=agent.pk).name,
        "changed name of",
    ),
    "a deletion": (
        lambda browser, agent, user: (f"/agents/{agent.slug}/delete", {}),
        lambda agent, user: Agent.objects.get(pk=agent.pk).archived_at is None,
        "deleted",
    ),
    "a store's limits": (
        lambda browser, agent, user: (
            f"/stores/{agent.store.slug}/settings",
            STORE | {"name": "Other store", "most_files": 7},
        ),
        lambda agent, user: MemoryStore.objects.values_list("name", "max_files").get(pk=agent.store_id),
        "changed name and limits of",
    ),
    "a newcomer": (
        lambda browser, agent, user: (
            f"/stores/{agent.store.slug}/members",
            {"username": user.username, "role": "curator"},
        ),
        lambda agent, user: role_of(user, agent.store),
        "as curator",
    ),
}


@pytest.mark.parametrize("name", ACTS)
def test_an_act_on_settings_is_taken_back_and_done_again(owner: Client, helper: Agent, name: str) -> None:
    act, look, words = ACTS[name]
    user = User.objects.create_user("newcomer")
    address, fields = act(owner, helper, user)
    before = look(helper, user)

    html = done(owner, address, fields)
    after = look(helper, user)
    listed = owner.get("/activity/").text
    undone = done(owner, undo_in(html), {})
    was = look(helper, user)
    done(owner, undo_in(undone), {})

    assert after != before
    assert words in listed
    assert was == before
    assert look(helper, user) == after
    assert [bool(each.undoes) for each in ChangeSet.objects.order_by("pk")] == [False, True, True]


def test_what_somebody_changed_since_is_kept_and_named(owner: Client, helper: Agent) -> None:
    page = done(owner, f"/stores/{helper.store.slug}/settings", STORE | {"name": "Second", "most_files": 7})
    MemoryStore.objects.filter(pk=helper.store_id).update(name="Third")

    asked = owner.get(undo_in(page)).text
    undone = done(owner, undo_in(page), {})

    store = MemoryStore.objects.get(pk=helper.store_id)
    assert "Kept: changed since" in asked
    assert "Third" in asked
    assert "Undone. Name of Helper was changed since and stays." in undone
    assert (store.name, store.max_files) == ("Third", 10_000)
    again = done(owner, undo_in(page), {})
    assert "Nothing was undone. Name of Helper was changed since and stays." in again


def test_a_look_at_the_page_of_an_undo_changes_nothing(owner: Client, helper: Agent) -> None:
    page = done(owner, f"/agents/{helper.slug}/settings", {"name": "Other"})

    asked = owner.get(undo_in(page)).text

    assert "Goes back" in asked
    assert Agent.objects.get(pk=helper.pk).name == "Other"
    assert ChangeSet.objects.count() == 1


@pytest.mark.parametrize("role", [Role.VIEWER, Role.CURATOR])
def test_who_may_not_set_it_sees_that_it_was_set_and_no_value(owner: Client, helper: Agent, role: Role) -> None:
    agent = create_agent(name="Writer", store=helper.store)
    fields = {"name": "Writer", "system_prompt": "The secret plan", "max_output_tokens": "8,192"}
    fields |= {"model": agent.model, "max_turns": "40", "max_run_output_tokens": "100,000", "max_minutes": "60"}
    fields |= {
        "context_editing": "on",
        "context_trigger": "100,000",
        "context_keep": "3",
        "compaction_trigger": "150,000",
    }
    page = done(owner, f"/agents/{agent.slug}/settings", fields)
    other = browser_of(member(helper.store, role))

    listed, looked = other.get("/activity/").text, other.get(undo_in(page)).text

    assert "changed system prompt of" in listed
    assert "The secret plan" in owner.get(undo_in(page)).text
    assert "The secret plan" not in listed + looked
    assert undo_in(page) not in listed
    assert "Undo this change" not in looked
    assert other.post(undo_in(page)).status_code == 403
    assert Agent.objects.get(pk=agent.pk).system_prompt == "The secret plan"


def test_the_last_owner_is_not_lost_by_an_undo(owner: Client, boss: User, helper: Agent) -> None:
    second = member(helper.store, Role.VIEWER)
    made = done(owner, f"/stores/{helper.store.slug}/members", {"username": second.username, "role": "owner"})
    Member.objects.filter(user=boss, store=helper.store).delete()

    refused = done(browser_of(second), undo_in(made), {})

    assert "A store keeps at least one owner." in refused
    assert role_of(second, helper.store) == "owner"


def test_prices_are_set_and_taken_back_by_the_operator_alone(root: Client, owner: Client) -> None:
    page = done(root, "/models/", {"model": "claude-x", "input": "3", "output": "15.50"})
    act = undo_in(page)

    assert owner.get(act).status_code == owner.post(act).status_code == 404
    assert "claude-x" not in owner.get("/activity/").text
    assert "changed prices of" in root.get("/activity/").text
    again = undo_in(done(root, act, {}))
    assert not ModelPrice.objects.exists()
    done(root, again, {})
    assert ModelPrice.objects.get(model="claude-x").output == Decimal("15.5")


def test_making_an_agent_is_taken_back_with_the_store_it_brought_and_both_come_back(root: Client) -> None:
    page = done(root, "/agents/connect", {"once": "0" * 32, "place": "api", "name": "Fresh", "store": ""})
    act = f"/acts/{ChangeSet.objects.get().uuid}/undo"

    undone = done(root, act, {})

    assert "Undone." in undone
    assert "made Fresh" in re.sub(r"<[^>]+>", "", undone)
    agent = Agent.objects.get(name="Fresh")
    assert agent.archived_at
    assert root.get(f"/stores/{agent.store.slug}/files/").status_code == 404
    assert "Fresh" not in root.get("/stores/").text
    done(root, undo_in(undone), {})
    assert root.get(f"/stores/{agent.store.slug}/files/").status_code == 200
    assert Agent.objects.get(name="Fresh").archived_at is None
    assert act in page


def test_a_store_that_holds_memory_stays_when_its_making_is_taken_back(root: Client) -> None:
    done(root, "/stores/new", {"name": "Notes"})
    store = MemoryStore.objects.get(name="Notes")
    write(store, "a.md", "x")

    refused = done(root, f"/acts/{ChangeSet.objects.order_by('pk')[0].uuid}/undo", {})

    assert "holds memory, or the history of it, and stays" in refused
    assert root.get(f"/stores/{store.slug}/files/").status_code == 200


def test_an_agent_with_a_live_run_is_not_deleted_by_an_undo(owner: Client, helper: Agent) -> None:
    done(owner, f"/agents/{helper.slug}/delete", {})
    done(owner, f"/agents/{helper.slug}/restore", {})
    run_in(RunState.RUNNING, helper)

    refused = done(owner, f"/acts/{ChangeSet.objects.latest('pk').uuid}/undo", {})

    assert "has a run that has not ended, and stays" in refused
    assert Agent.objects.get(pk=helper.pk).archived_at is None


def test_a_folder_is_followed_no_longer_and_again(root: Client, tmp_path: Path) -> None:
    agent = create_agent(name="Disk", place=Place.FOLDER, model="")
    followed = done(root, f"/agents/{agent.slug}/connect", {"folder": str(tmp_path)})

    ended = done(root, undo_in(followed), {})
    assert not WatchedFolder.objects.exists()
    done(root, undo_in(ended), {})

    assert WatchedFolder.objects.get().path == str(tmp_path.resolve())


def test_a_note_is_taken_back_by_whoever_may_write(helper: Agent) -> None:
    entry: MemoryEntry = write(helper.store, "a b/ü.md", "x")
    curator = browser_of(member(helper.store, Role.CURATOR))

    page = done(curator, f"/files/{entry.uuid}/versions/1/note", {"note": "Mine"})
    listed = curator.get("/activity/?kind=notes").text
    done(curator, undo_in(page), {})

    assert MemoryVersion.objects.get().note == ""
    history = re.search(r'href="(/stores/[^"]+/history/[^"]+)"', listed)
    assert history
    assert curator.get(history[1]).status_code == 200


def test_a_revoked_token_stays_revoked(owner: Client, boss: User, helper: Agent) -> None:
    token, _ = make_token(helper, helper.store, "Build", Scope.WRITE, user=boss, expires_at=None)
    owner.post(f"/tokens/{token.uuid}/revoke")

    refused = done(owner, f"/acts/{ChangeSet.objects.get().uuid}/undo", {})

    assert "A token that was revoked stays so." in refused
    assert ApiToken.objects.get().revoked_at


@pytest.mark.django_db(transaction=True)
def test_two_things_of_one_name_made_at_once_get_a_slug_each(monkeypatch: pytest.MonkeyPatch) -> None:
    both = threading.Barrier(2, timeout=10)
    if connection.vendor == "sqlite":
        pytest.skip("SQLite takes one writer at a time")
    made: list[str] = []

    def make() -> None:
        try:

            def together(slug: str) -> MemoryStore:
                if slug == "twin":
                    both.wait()
                from django.utils import timezone

                return MemoryStore.objects.create(slug=slug, name="Twin", created_at=timezone.now())

            made.append(with_free_slug(MemoryStore, "Twin", "store", together).slug)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=make) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(made) == ["twin", "twin-2"]


def test_an_error_that_is_not_about_the_slug_is_told() -> None:
    def make(slug: str) -> MemoryStore:
        raise IntegrityError("something else")

    with pytest.raises(IntegrityError, match="something else"):
        with_free_slug(MemoryStore, "Twin", "store", make)


def test_somebody_who_was_deactivated_is_no_owner_that_a_store_keeps(helper: Agent, boss: User, owner: Client) -> None:
    gone = member(helper.store, Role.OWNER)
    gone.is_active = False
    gone.save()

    owner.post(f"/stores/{helper.store.slug}/members", {"username": boss.username, "role": ""})

    assert role_of(boss, helper.store) == Role.OWNER


def test_notes_on_versions_of_a_purged_file_are_gone_from_their_acts_too(helper: Agent, boss: User) -> None:
    entry = write(helper.store, "a.md", "one\n")
    actor = Actor(ActorKind.PERSON, boss.username, user_id=boss.pk)
    acts = [
        changes.change("note", note_key(entry, 1), {"note": words}, store=helper.store, actor=actor)
        for words in ("a secret", "another secret")
    ]
    other = write(helper.store, "b.md", "one\n")
    kept = changes.change("note", note_key(other, 1), {"note": "kept"}, store=helper.store, actor=actor)
    remove(helper.store, "a.md")
    purging.purge(helper.store.pk, (entry.pk,), actor=actor)

    assert acts[0]
    assert acts[1]
    assert kept
    assert "secret" not in str(list(ChangeSet.objects.values_list("settings", flat=True)))
    kept.refresh_from_db()
    assert changes.changes_of(kept)[0].after == "kept"
    acts[1].refresh_from_db()
    with pytest.raises(Refused):
        changes.take_back(acts[1], actor=actor)
    assert MemoryVersion.objects.get(entry=entry, number=1).note == ""
    assert browser_of(boss).get(f"/acts/{acts[1].uuid}/undo").status_code == 200
