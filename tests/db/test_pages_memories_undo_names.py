"""The page that takes an act back, where a path is taken: it asks for another name and forgets no answer."""

import re
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memories import store as memory
from memories.actors import Actor
from memories.commands import Create, Delete, Pin, Rename, StrReplace
from memories.models import ChangeSet, Member, MemoryStore, Role
from memories.paths import MemoryPath
from memories.undo import trails
from tests.support.stores import files_of

A, B, C, D = (MemoryPath(f"/memories/{name}.md") for name in "abcd")


@pytest.fixture
def browser(store: MemoryStore, client: Client, mara: User) -> Client:
    Member.objects.update_or_create(store=store, user=mara, defaults={"role": Role.CURATOR})
    client.force_login(mara)
    return client


def act_of(store: MemoryStore) -> ChangeSet:
    return ChangeSet.objects.get(store=store, key="act")


def fields(body: str) -> dict[str, Any]:
    """Return what a browser would send of the form as it stands: hidden fields, names, ticked boxes, chosen answers."""
    found: dict[str, Any] = {}
    for tag in re.findall(r"<input[^>]*>", body.partition('<form class="page')[2]):
        given = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        if given.get("type") not in ("checkbox", "radio") or " checked" in tag:
            found.setdefault(given["name"], []).append(given.get("value", ""))
    return found


def test_a_box_that_is_emptied_may_lead_to_a_question_and_the_other_answers_stay(
    browser: Client, store: MemoryStore, agent: Actor, person: Actor
) -> None:
    act = replace(agent, change_set="act")
    for path in (A, B):
        memory.apply(store.pk, Create(path, f"{path.name}\n"), actor=person)
    for move in (Rename(B, C), Rename(A, B)):
        memory.apply(store.pk, move, actor=act)
    memory.apply(store.pk, Create(D, "d\n"), actor=act)
    address = f"/acts/{act_of(store).uuid}/undo"
    file = {entry.path: str(entry.uuid) for entry in store.entries.filter(kind="file")}
    form = fields(browser.get(address).content.decode())
    assert sorted(form["back"]) == sorted(file.values())

    form["back"].remove(file[B.text])
    asked = browser.post(address, form)
    form = fields(asked.content.decode())

    assert asked.status_code == 409
    assert "b.md is taken; give" in asked.content.decode()
    assert (form["file"], form["back"]) == ([file[C.text]], [file[D.text]])
    assert form[f"path-{file[C.text]}"] == ["b-restored.md"]
    wrong = browser.post(address, form | {f"path-{file[C.text]}": "x//y"})
    assert wrong.status_code == 409
    assert fields(wrong.content.decode()) | {"csrfmiddlewaretoken": ""} == form | {"csrfmiddlewaretoken": ""}
    browser.post(address, form | {f"path-{file[C.text]}": "old/b.md"})
    assert files_of(store) == {B.text: b"a.md\n", "/memories/old/b.md": b"b.md\n"}


def test_a_name_that_was_given_stays_while_another_answer_is_missing(
    browser: Client, store: MemoryStore, agent: Actor, person: Actor
) -> None:
    act = replace(agent, change_set="act")
    for path in (A, B):
        memory.apply(store.pk, Create(path, "one\n"), actor=person)
    memory.apply(store.pk, Delete(A), actor=act)
    memory.apply(store.pk, StrReplace(B, "one", "ONE"), actor=act)
    memory.apply(store.pk, Create(A, "new\n"), actor=person)
    memory.apply(store.pk, StrReplace(B, "ONE", "ONE, by hand"), actor=person)
    address = f"/acts/{act_of(store).uuid}/undo"
    gone, changed = (str(store.entries.get(state="trash").uuid), str(store.entries.get(path=B.text).uuid))

    form = fields(browser.get(address).content.decode())
    answers = {f"answer-{gone}": "whole", f"path-{gone}": "old.md"}
    form = fields(browser.post(address, form | answers).content.decode())

    assert (form[f"answer-{gone}"], form[f"path-{gone}"]) == (["whole"], ["old.md"])
    browser.post(address, form | {f"answer-{changed}": "keep"})
    assert files_of(store) == {A.text: b"new\n", B.text: b"ONE, by hand\n", "/memories/old.md": b"one\n"}


def test_an_act_beyond_the_limit_is_named_with_what_to_do_instead(
    browser: Client, store: MemoryStore, agent: Actor, person: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    act = replace(agent, change_set="act")
    for path in (A, B, C):
        memory.apply(store.pk, Create(path, "one\n"), actor=act)
    memory.apply(store.pk, Pin(A), actor=act)
    monkeypatch.setattr(trails, "FILES", 2)
    address = f"/acts/{act_of(store).uuid}/undo"

    looked = browser.get(address)
    done = browser.post(address, {"next": "/stores/"}, follow=True)

    for answer in (looked, done):
        assert answer.status_code == 200
        assert "This changed 3 files, and one undo takes 2 files at most." in answer.content.decode()
        assert "from their histories" in answer.content.decode()
    assert 'class="btn primary"' not in looked.content.decode()
    assert len(files_of(store)) == 3
