"""The page that takes an act back, and the list of acts."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.demo import SUPPORT_DESK
from agents.making import create_agent
from agents.models import RunState
from memories import store as memory
from memories.actors import Actor
from memories.commands import Command, Create, Delete, Rename, StrReplace
from memories.models import ChangeSet, Member, MemoryStore, Role
from memories.paths import MemoryPath
from tests.support.run_rows import run_in
from tests.support.stores import files_of

A = MemoryPath("/memories/a.md")
B = MemoryPath("/memories/<b> & c.md")
IN_DIR, BESIDE = MemoryPath("/memories/dir/b.md"), MemoryPath("/memories/dir/c.md")


@pytest.fixture
def browser(client: Client, mara: User) -> Client:
    client.force_login(mara)
    return client


@pytest.fixture
def ours(store: MemoryStore, mara: User) -> MemoryStore:
    Member.objects.update_or_create(store=store, user=mara, defaults={"role": Role.CURATOR})
    return store


def newest(store: MemoryStore) -> ChangeSet:
    return ChangeSet.objects.filter(store=store).latest("pk")


def address(act: ChangeSet) -> str:
    return f"/acts/{act.uuid}/undo"


def test_a_toast_takes_an_act_back_at_once_and_offers_the_way_forth(
    browser: Client, ours: MemoryStore, agent: Actor
) -> None:
    memory.apply(ours.pk, Create(A, "tea\n"), actor=agent)
    memory.apply(ours.pk, StrReplace(A, "tea", "milk"), actor=agent)

    answer = browser.post(address(newest(ours)), {"next": "/stores/"}, follow=True)

    assert files_of(ours) == {A.text: b"tea\n"}
    body = answer.content.decode()
    assert "Undone. 1 file went back." in body
    assert f'action="{address(newest(ours))}"' in body
    browser.post(address(newest(ours)))
    assert files_of(ours) == {A.text: b"milk\n"}


@pytest.mark.parametrize(
    ("before", "act", "at", "leads_to"),
    [
        ([Create(A, "tea\n")], Rename(A, MemoryPath("/memories/old/a.md")), "old/a.md", "a.md#heading"),
        ([Create(A, "tea\n")], Delete(A), "", "a.md#heading"),
        ([Create(IN_DIR, "tea\n"), Create(BESIDE, "tea\n")], Delete(IN_DIR.parent), "", "dir#heading"),
        ([Create(BESIDE, "tea\n")], Create(IN_DIR, "tea\n"), "dir/b.md", "dir#heading"),
        ([], Create(IN_DIR, "tea\n"), "dir/b.md?view=raw", "#heading"),
        ([Create(A, "tea\n")], StrReplace(A, "tea", "milk"), "a.md?view=raw", "a.md?view=raw"),
    ],
    ids=["moved", "deleted", "folder deleted", "made", "made with its folder", "edited"],
)
def test_undo_leads_from_a_page_of_files_to_what_came_back(
    browser: Client, ours: MemoryStore, person: Actor, before: list[Command], act: Command, at: str, leads_to: str
) -> None:
    for command in before:
        memory.apply(ours.pk, command, actor=person)
    memory.apply(ours.pk, act, actor=person)
    files = f"/stores/{ours.slug}/files/"

    from_a_file = browser.post(address(newest(ours)), {"next": files + at})
    is_there = browser.get(files + leads_to).status_code == 200
    from_elsewhere = browser.post(address(newest(ours)), {"next": "/activity/"})

    assert from_a_file.headers["Location"] == files + leads_to
    assert is_there
    assert from_elsewhere.headers["Location"] == "/activity/"


def test_where_others_wrote_later_the_page_asks_first_and_does_what_is_answered(
    browser: Client, ours: MemoryStore, agent: Actor, person: Actor
) -> None:
    memory.apply(ours.pk, Create(A, "tea\nmilk\n"), actor=person)
    act = ChangeSet.objects.get(
        uuid=memory.apply(ours.pk, StrReplace(A, "tea\n", "TEA\n"), actor=agent).change_set or ""
    )
    memory.apply(ours.pk, StrReplace(A, "TEA", "TEA, green"), actor=person)

    asked = browser.post(address(act), follow=True)
    body = asked.content.decode()
    file = ours.entries.get(kind="file").uuid
    shown = body.partition('name="shown" value="')[2].partition('"')[0]
    missing = browser.post(address(act), {"shown": shown, "file": file})

    assert asked.redirect_chain == [(address(act), 302)]
    assert "Your answer is needed" in body
    assert "Changed later by" in body
    assert missing.status_code == 409
    assert files_of(ours) == {A.text: b"TEA, green\nmilk\n"}
    browser.post(address(act), {"shown": shown, "file": file, f"answer-{file}": "whole"})
    assert files_of(ours) == {A.text: b"tea\nmilk\n"}


def test_a_plan_that_is_out_of_date_is_shown_anew_and_changes_nothing(
    browser: Client, ours: MemoryStore, agent: Actor
) -> None:
    memory.apply(ours.pk, Create(A, "tea\n"), actor=agent)

    answer = browser.post(address(newest(ours)), {"shown": "0" * 64, "offered": "no file", "back": "x"})

    assert answer.status_code == 409
    assert "A file changed while you looked" in answer.content.decode()
    assert files_of(ours) == {A.text: b"tea\n"}


def test_a_file_whose_box_is_empty_stays(browser: Client, ours: MemoryStore, agent: Actor) -> None:
    actor = replace(agent, change_set="bulk")
    for path in (A, B):
        memory.apply(ours.pk, Create(path, "tea\n"), actor=actor)
    act = newest(ours)
    body = browser.get(address(act)).content.decode()
    shown = body.partition('name="shown" value="')[2].partition('"')[0]
    kept = ours.entries.get(path=B.text).uuid
    back = ours.entries.get(path=A.text).uuid

    browser.post(address(act), {"shown": shown, "offered": [kept, back], "back": [back]})

    assert files_of(ours) == {B.text: b"tea\n"}
    assert "&lt;b&gt; &amp;" in body


@pytest.mark.parametrize("role", [Role.VIEWER, None])
def test_who_may_not_change_the_store_undoes_nothing(
    browser: Client, store: MemoryStore, mara: User, agent: Actor, role: Role | None
) -> None:
    User.objects.filter(pk=mara.pk).update(is_superuser=False)
    Member.objects.filter(store=store, user=mara).delete()
    if role:
        Member.objects.create(store=store, user=mara, role=role)
    memory.apply(store.pk, Create(A, "tea\n"), actor=agent)

    looked, done = browser.get(address(newest(store))), browser.post(address(newest(store)))

    assert (looked.status_code, done.status_code) == ((200, 403) if role else (404, 404))
    assert ('type="submit" class="btn primary"' in looked.content.decode()) is False
    assert files_of(store) == {A.text: b"tea\n"}


def test_a_run_leads_to_what_takes_it_back(browser: Client, mara: User, agent: Actor) -> None:
    helper = create_agent(name="Helper", model=SUPPORT_DESK)
    Member.objects.create(store=helper.store, user=mara, role=Role.CURATOR)
    run, idle = (run_in(RunState.DONE, helper) for _ in range(2))
    actor = replace(agent, agent_id=helper.pk, run_id=run.uuid, turn=1, change_set=f"run:{run.uuid}")
    memory.apply(helper.store_id, Create(A, "tea\n"), actor=actor)

    page = browser.get(f"/runs/{run.uuid}/").content.decode()
    led = browser.get(f"/runs/{run.uuid}/undo", follow=True)

    assert f'href="/runs/{run.uuid}/undo"' in page
    assert led.redirect_chain[0][0].startswith(address(newest(helper.store)))
    assert "Undo <bdi>run 1</bdi>" in led.content.decode()
    assert browser.get(f"/runs/{idle.uuid}/undo").status_code == 404
    assert f"/runs/{idle.uuid}/undo" not in browser.get(f"/runs/{idle.uuid}/").content.decode()
