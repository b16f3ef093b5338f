"""Taking acts back in files that held an image before, meanwhile, or hold one now."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memories import store as memory
from memories import undo
from memories.actors import Actor
from memories.commands import ImportFile, StrReplace
from memories.models import ChangeSet, Member, MemoryStore, Role
from memories.paths import MemoryPath
from memories.undo import Answer, Reply, Verdict
from tests.support.stores import assert_sound, files_of

A = MemoryPath("/memories/a.md")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
JPEG = b"\xff\xd8\xff" + bytes(range(256))
TEXT = b"one\ntwo\nthree\n"


@pytest.fixture
def browser(store: MemoryStore, client: Client, mara: User) -> Client:
    Member.objects.update_or_create(store=store, user=mara, defaults={"role": Role.CURATOR})
    client.force_login(mara)
    return client


def put(store: MemoryStore, actor: Actor, data: bytes) -> ChangeSet:
    return ChangeSet.objects.get(uuid=memory.apply(store.pk, ImportFile(A, data), actor=actor).change_set or "")


@pytest.mark.parametrize(
    "contents",
    [
        (PNG, TEXT, b"one\ntwo\nthree\nfour\n"),
        (TEXT, PNG, b"one\ntwo\n"),
        (TEXT, b"ONE\ntwo\nthree\n", JPEG),
        (PNG, JPEG, TEXT),
    ],
)
def test_a_person_decides_where_one_of_the_contents_is_an_image(
    store: MemoryStore, browser: Client, agent: Actor, person: Actor, contents: tuple[bytes, ...]
) -> None:
    before, made, later = contents
    put(store, person, before)
    act = put(store, agent, made)
    put(store, person, later)

    (planned,) = undo.plan(act)
    page = browser.get(f"/acts/{act.uuid}/undo")

    assert (planned.verdict, list(planned.choices)) == (Verdict.ASKED, [Answer.WHOLE])
    assert page.status_code == 200
    assert "\ufffd" not in page.content.decode()
    undo.undo(act, actor=person, replies={planned.entry.uuid: Reply(Answer.WHOLE)})
    assert files_of(store) == {A.text: before}
    assert_sound(store)


def test_an_image_between_that_is_gone_again_leaves_the_lines_to_compare(
    store: MemoryStore, agent: Actor, person: Actor
) -> None:
    put(store, person, TEXT)
    act = put(store, agent, b"ONE\ntwo\nthree\n")
    put(store, person, PNG)
    put(store, person, b"ONE\ntwo\nTHREE\n")

    undo.undo(act, actor=person, replies={})

    assert files_of(store) == {A.text: b"one\ntwo\nTHREE\n"}


def test_an_image_that_nobody_touched_since_goes_back_at_once(store: MemoryStore, agent: Actor, person: Actor) -> None:
    put(store, person, PNG)
    act = put(store, agent, TEXT)

    undone = undo.undo(act, actor=person, replies={})
    assert files_of(store) == {A.text: PNG}
    undo.undo(ChangeSet.objects.get(uuid=undone.change_set), actor=person, replies={})

    assert files_of(store) == {A.text: TEXT}
    memory.apply(store.pk, StrReplace(A, "one", "ONE"), actor=person)


def test_the_history_shows_a_text_beside_the_image_that_was_there_before(
    store: MemoryStore, browser: Client, person: Actor
) -> None:
    put(store, person, PNG)
    put(store, person, TEXT)
    put(store, person, b"one\ntwo\n")

    change = browser.get(f"/stores/{store.slug}/history/a.md?v=2").content.decode()
    first = browser.get(f"/stores/{store.slug}/history/a.md?v=1").content.decode()
    last = browser.get(f"/stores/{store.slug}/history/a.md?v=3").content.decode()

    assert "\ufffd" not in change + first
    assert "image?v=1" in change
    assert "image?v=1" in first
    assert "three" in last
