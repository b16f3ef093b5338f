"""Pausing what agents change in a store, from any of its pages, and letting them write again."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.making import create_agent
from agents.models import Agent, RunState
from memories import tool
from memories.models import ChangeSet, Member, MemoryStore, Role
from tests.support.files import url_of, write
from tests.support.people import browser_of, member, operator, stranger
from tests.support.run_rows import run_in
from tests.support.stores import AGENT

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def written_by_an_agent(memory: MemoryStore) -> bool:
    """Say whether an agent could write to the store just now."""
    call = {"command": "create", "path": "/memories/by-agent.md", "file_text": "tea"}
    return not tool.execute(memory, call, AGENT).is_error


def test_a_paused_store_refuses_the_next_call_of_an_agent_and_says_who_paused_it(
    store: MemoryStore, browser: Client
) -> None:
    answer = browser.post(f"/stores/{store.slug}/pause", {"next": f"/stores/{store.slug}/agent-view/"}, follow=True)

    store.refresh_from_db()
    assert answer.redirect_chain == [(f"/stores/{store.slug}/agent-view/", 302)]
    assert not written_by_an_agent(store)
    assert f'paused by <bdi class="clip">{store.paused_by}</bdi>' in answer.text
    assert "just now" in answer.text
    assert "Let agents write again" in answer.text
    assert "Pause changes" not in answer.text


def test_the_toast_lets_agents_write_again(store: MemoryStore, browser: Client) -> None:
    page = browser.post(f"/stores/{store.slug}/pause", follow=True).text
    assert f'action="/stores/{store.slug}/unpause"' in page[page.index("data-toast") :]

    page = browser.post(f"/stores/{store.slug}/unpause", follow=True).text

    assert f'action="/stores/{store.slug}/pause"' in page[page.index("data-toast") :]
    assert "Pause changes" in page
    assert written_by_an_agent(store)


def test_what_somebody_else_did_before_is_said_and_leaves_their_name(store: MemoryStore, browser: Client) -> None:
    first = member(store, Role.OWNER)
    browser_of(first).post(f"/stores/{store.slug}/pause")

    page = browser.post(f"/stores/{store.slug}/pause", follow=True).text

    store.refresh_from_db()
    assert store.paused_by == first.username
    assert f"{store.name} was paused already." in page
    assert ChangeSet.objects.filter(store=store).count() == 1


@pytest.mark.parametrize("verb", ["pause", "unpause"])
@pytest.mark.parametrize(("role", "status"), [(None, 404), (Role.VIEWER, 403)])
def test_only_curators_and_owners_turn_the_switch(
    store: MemoryStore, verb: str, role: Role | None, status: int
) -> None:
    user = member(store, role) if role else stranger()

    answer = browser_of(user).post(f"/stores/{store.slug}/{verb}")

    assert answer.status_code == status
    assert not ChangeSet.objects.filter(store=store).exists()


def test_a_viewer_sees_that_changes_are_paused_and_no_switch(store: MemoryStore) -> None:
    viewer = browser_of(member(store, Role.VIEWER))
    before = viewer.get(url_of(store)).text
    browser_of(operator()).post(f"/stores/{store.slug}/pause")

    page = viewer.get(url_of(store)).text

    assert "Pause changes" not in before
    assert "Reads only, paused by" in page
    assert "Let agents write again" not in page


def test_every_page_of_a_store_and_its_agent_has_the_switch(store: MemoryStore) -> None:
    agent = create_agent(name="Support desk", store=store)
    run = run_in(RunState.RUNNING, agent)
    write(store, "a.md", "x")
    browser = browser_of(member(store, Role.OWNER))
    pages = [
        url_of(store),
        url_of(store, "a.md"),
        url_of(store, "nowhere.md"),
        f"/stores/{store.slug}/history/a.md",
        f"/stores/{store.slug}/agent-view/a.md",
        f"/stores/{store.slug}/settings",
        "/agents/support-desk/runs",
        "/agents/support-desk/settings",
        "/agents/support-desk/delete",
        f"/runs/{run.uuid}/",
    ]

    switches = {page: browser.get(page).text.count("Pause changes</button>") for page in pages}
    browser.post(f"/stores/{store.slug}/pause")
    paused = {page: browser.get(page).text.count("Let agents write again</button>") for page in pages}

    assert switches == paused == dict.fromkeys(pages, 1)


def test_a_store_without_an_agent_has_the_switch_too(store: MemoryStore, browser: Client) -> None:
    assert not Agent.objects.exists()
    assert "Pause changes</button>" in browser.get(url_of(store)).text


def test_the_lists_say_which_stores_are_read_only_and_by_whom(store: MemoryStore) -> None:
    create_agent(name="Support desk", store=store)
    mara = User.objects.create_user("<b>mara\u202e")
    Member.objects.create(store=store, user=mara, role=Role.CURATOR)
    browser = browser_of(mara)
    browser.post(f"/stores/{store.slug}/pause")
    MemoryStore.objects.filter(pk=store.pk).update(max_bytes=0, max_files=0)

    for page in ("/agents/", "/agents/?layout=cards", "/agents/?need=1", "/stores/", "/stores/?state=paused"):
        answer = browser.get(page).text
        assert "Reads only, by &lt;b&gt;mara" in answer, page
        assert "\u202e" not in answer[answer.index("Reads only, by") :][:40], page


def test_the_way_back_leads_to_pages_of_ours_only(store: MemoryStore, browser: Client) -> None:
    answer = browser.post(f"/stores/{store.slug}/pause", {"next": "https://evil.example/"})

    assert answer["Location"] == url_of(store)
