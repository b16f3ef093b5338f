"""The trash of all stores: what was deleted, the way back, and the way out for good."""

import re
from dataclasses import replace
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from agents.demo import SUPPORT_DESK
from agents.making import create_agent
from agents.models import Message, RunState, ToolCall
from memories import store as stores
from memories import tool
from memories.actors import Actor, ActorKind
from memories.commands import Create, Delete, Undelete
from memories.models import ChangeSet, Emptying, MemoryEntry, MemoryStore, Role
from memories.tasks import empty_trash
from tests.support.files import at, page, remove, url_of, write, write_image
from tests.support.people import browser_of, member, operator, stranger
from tests.support.run_rows import run_in
from tests.support.stores import AGENT, PERSON, assert_sound, files_of, new_store

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owner(store: MemoryStore) -> Client:
    return browser_of(member(store, Role.OWNER))


def trashed(memory: MemoryStore, relative: str, text: str = "x\n", *, actor: Actor = PERSON) -> MemoryEntry:
    entry = write(memory, relative, text)
    remove(memory, relative, actor=actor)
    return MemoryEntry.objects.get(pk=entry.pk)


def listed(browser: Client, query: str = "") -> list[str]:
    html = page(browser, f"/trash/{query}")
    return re.findall(r'class="name" href="/trash/[^"]*" id="f\d+"><bdi>(.*?)</bdi>', html)


def test_the_list_says_who_removed_what_and_why_and_can_be_filtered_and_sorted(store: MemoryStore) -> None:
    other, foreign = new_store(), new_store()
    user = member(store, Role.OWNER)
    other.members.create(user=user, role=Role.VIEWER)
    browser = browser_of(user)
    trashed(store, "a.md", "# Alpha\nmore\n", actor=replace(AGENT, reason="Out of date"))
    trashed(store, "b.md", "x" * 5_000)
    trashed(other, "c.md", "\n  \n  words\n")
    trashed(foreign, "secret.md")

    html = page(browser, "/trash/")

    assert listed(browser) == ["c.md", "b.md", "a.md"]
    for words in ("# Alpha", "words", "support-bot", "Out of date", "3 files, kept until emptied", "4.9K"):
        assert words in html
    assert "secret" not in html
    assert re.search(r'href="/trash/"[^>]*aria-keyshortcuts="g t"[^>]*>.*?<span class="count">3<', html, re.DOTALL)
    assert listed(browser, f"?store={store.slug}") == ["b.md", "a.md"]
    assert listed(browser, "?by=agents") == ["a.md"]
    assert listed(browser, "?q=SUPPORT") == ["a.md"]
    assert listed(browser, "?q=b.m&by=people") == ["b.md"]
    assert listed(browser, "?order=size")[0] == "b.md"
    assert listed(browser, "?order=file") == ["a.md", "b.md", "c.md"]
    assert "Nothing in the trash matches" in page(browser, "/trash/?q=nowhere")
    assert "The trash is empty" in page(browser_of(stranger()), "/trash/")


def test_a_long_trash_comes_in_pages_of_few_queries(
    store: MemoryStore, owner: Client, django_assert_max_num_queries: object
) -> None:
    hostile = "\u202e<b>&" * 60
    for number in range(45):
        path = f"{number:02}/{hostile[:200]}{number}.md"
        trashed(store, path, f"{hostile}\n", actor=replace(AGENT, run_id=uuid4(), reason=hostile[:1000]))

    # With the session, the person, the rail and the runs.
    with django_assert_max_num_queries(17):  # type: ignore[operator]
        html = page(owner, "/trash/")

    assert len(listed(owner)) == 40
    assert len(listed(owner, "?page=2")) == 5
    assert len(html.encode()) < 100 * 1024


def test_a_deleted_file_can_be_read_and_one_that_is_back_is_shown_where_it_lives(
    store: MemoryStore, owner: Client
) -> None:
    text, picture = trashed(store, "a.md", "tea\n<b>milk\u200b</b>\n"), write_image(store, "p.png")
    remove(store, "p.png")

    html = page(owner, f"/trash/{text.uuid}")
    assert "&lt;b&gt;milk" in html
    assert "hidden-char" in html
    assert "until emptied" in html
    assert f"/files/{picture.uuid}/image" in page(owner, f"/trash/{picture.uuid}")
    stores.apply(store.pk, Undelete(text.pk, at("new.md")), actor=PERSON)
    assert owner.get(f"/trash/{text.uuid}").headers["Location"] == url_of(store, "new.md")


def test_many_come_back_as_one_act_and_what_cannot_is_said(store: MemoryStore, owner: Client) -> None:
    first, second, third = (trashed(store, f"{name}.md", name) for name in "abc")
    write(store, "c.md", "taken")
    acts = ChangeSet.objects.count()
    ids = [first.uuid, second.uuid, third.uuid, uuid4(), "no id"]

    html = owner.post("/trash/restore", {"file": ids}, follow=True).text

    assert "Restored 2 files" in html
    assert "c.md stays here. Its path is taken" in html
    assert files_of(store) == {"/memories/a.md": b"a", "/memories/b.md": b"b", "/memories/c.md": b"taken"}
    assert ChangeSet.objects.count() == acts + 1
    undo = re.search(r'action="(/acts/[0-9a-f-]+/undo)"', html)
    assert undo
    owner.post(undo[1])
    assert files_of(store) == {"/memories/c.md": b"taken"}
    assert_sound(store)


def test_purging_asks_first_and_only_owners_may(store: MemoryStore, owner: Client) -> None:
    entry = trashed(store, "a.md", "tea\n")
    curator = browser_of(member(store, Role.CURATOR))
    viewer = browser_of(member(store, Role.VIEWER))
    ask = f"/trash/purge?file={entry.uuid}"

    asked = owner.post("/trash/purge", {"file": entry.uuid})
    question = page(owner, asked.headers["Location"])

    assert asked.headers["Location"] == ask
    for words in ("Let 1 file go for good?", "/memories/a.md", "What cannot be brought back", "What stays"):
        assert words in question
    for browser, may in ((curator, 403), (viewer, 403), (browser_of(stranger()), 302)):
        assert browser.get(ask).status_code == may
        assert browser.post("/trash/purge", {"file": entry.uuid, "confirm": "yes"}).status_code == may
        status = 404 if may == 302 else 403
        assert browser.post(f"/stores/{store.slug}/trash/empty", {"upto": "99"}).status_code == status
    assert viewer.post("/trash/restore", {"file": entry.uuid}).status_code == 403
    assert "Purge" not in page(curator, "/trash/")
    assert MemoryEntry.objects.get(pk=entry.pk).state == "trash"

    html = owner.post("/trash/purge", {"file": entry.uuid, "confirm": "yes"}, follow=True).text
    assert "Purged 1 file. Nothing brings it back." in html
    assert MemoryEntry.objects.get(pk=entry.pk).state == "purged"
    assert_sound(store)


def test_emptying_takes_what_was_shown_and_goes_on_in_the_background(store: MemoryStore, owner: Client) -> None:
    trashed(store, "kept-history.md")
    with stores.locked(store.pk) as tx:
        for number in range(250):
            entry = f"{number}.md"
            tx.apply(Create(at(entry), entry), actor=PERSON)
            tx.apply(Delete(at(entry)), actor=PERSON)
    address = f"/stores/{store.slug}/trash/empty"

    question = page(owner, address)
    upto = re.search(r'name="upto" value="(\d+)"', question)
    assert upto
    assert "Let 251 files go for good?" in question
    assert "and 231 more" in question
    trashed(store, "later.md")
    answer = owner.post(address, {"upto": upto[1]})

    order = Emptying.objects.get()
    assert answer.headers["Location"] == f"/trash/emptying/{order.uuid}"
    assert "200 of 251 files gone for good" in page(owner, answer.headers["Location"])
    assert "hx-trigger" in page(owner, answer.headers["Location"], part=True)
    assert "is being emptied" in page(owner, "/trash/")
    assert browser_of(stranger()).get(answer.headers["Location"]).status_code == 404

    empty_trash()
    done = page(owner, answer.headers["Location"], part=True)
    assert "251 of 251" in done
    assert "hx-trigger" not in done
    assert listed(owner) == ["later.md"]
    again = owner.post(address, {"upto": "99999"}, follow=True).text
    assert "Emptied the trash: 1 file gone for good." in again
    assert_sound(store)


def test_every_page_that_knew_a_purged_file_says_that_it_is_gone_for_good() -> None:
    agent = create_agent(name="Support desk", model=SUPPORT_DESK)
    memory, run = agent.store, run_in(RunState.DONE, agent)
    browser = browser_of(operator())
    calls = [
        {"command": "create", "path": "/memories/a.md", "file_text": "secret tea\n"},
        {"command": "view", "path": "/memories/a.md"},
        {"command": "str_replace", "path": "/memories/a.md", "old_str": "tea", "new_str": "milk"},
        {"command": "delete", "path": "/memories/a.md"},
    ]
    blocks, seq = [], memory.seq
    for number, given in enumerate(calls):
        use = f"toolu_{number}"
        actor = Actor(
            ActorKind.AGENT,
            "Support desk",
            agent_id=agent.pk,
            run_id=run.uuid,
            turn=1,
            tool_use_id=use,
            change_set=f"run:{run.uuid}",
        )
        answer = tool.execute(memory, given, actor)
        memory.refresh_from_db()
        changed, seq = memory.seq > seq, memory.seq
        blocks.append({"type": "tool_use", "id": use, "name": "memory", "input": given})
        ToolCall.objects.create(
            run=run,
            tool_use_id=use,
            turn=1,
            position=number + 1,
            name="memory",
            input=given,
            content=answer.content,
            is_error=False,
            path=given["path"],
            first_seq=seq if changed else None,
            last_seq=seq if changed else None,
            created_at=timezone.now(),
        )
    last = run.messages.order_by("-seq").values_list("seq", flat=True).first() or 0
    Message.objects.create(run=run, seq=last + 1, role="assistant", content=blocks, turn=1, created_at=timezone.now())
    stores.reads.flush()
    entry = MemoryEntry.objects.get(store=memory, kind="file")
    browser.post("/trash/purge", {"file": entry.uuid, "confirm": "yes"})
    assert MemoryEntry.objects.get(pk=entry.pk).state == "purged"
    history = f"/stores/{memory.slug}/history/a.md"

    acts = [f"/acts/{act.uuid}/undo" for act in ChangeSet.objects.filter(store=memory)]
    pages = {
        address: browser.get(address, follow=True)
        for address in (
            *acts,
            *(f"{history}?v={number}" for number in range(1, entry.version + 2)),
            f"{history}?file={entry.uuid}",
            f"{url_of(memory, 'a.md')}",
            url_of(memory),
            f"/runs/{run.uuid}",
            f"/runs/{run.uuid}/undo",
            "/trash/",
            "/activity/",
            "/agents/",
            "/stores/",
        )
    }

    assert {address: answer.status_code for address, answer in pages.items() if answer.status_code != 200} == {
        url_of(memory, "a.md"): 404
    }
    for address in (*acts, f"{history}?v=1", url_of(memory, "a.md"), f"/runs/{run.uuid}", f"/runs/{run.uuid}/undo"):
        assert "gone for good" in pages[address].text or "for good" in pages[address].text, address
    assert "secret tea" not in "".join(pages[address].text for address in pages if not address.startswith("/runs/"))
    assert "Purged 1 file from the trash." in pages["/activity/"].text
    for verb in ("image", "download", "edit", "rename", "restore"):
        assert browser.get(f"/files/{entry.uuid}/{verb}").status_code == 404
    assert browser.post(f"/files/{entry.uuid}/restore", {"version": 1, "path": "b.md"}).status_code == 404
    statuses = [browser.post(act, {}, follow=True).status_code for act in acts]
    assert sorted(statuses) == [200] * (len(acts) - 1) + [409]
    assert files_of(memory) == {}
    assert_sound(memory)
