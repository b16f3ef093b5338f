"""Every page about the past of a store whose agents and people did all sorts of things: none fails, all stay small."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client

from memories.models import ChangeSet, MemoryEntry
from memories.views import addresses
from tests.reliability.histories import History
from tests.reliability.random_acts import play
from tests.support.people import browser_of

pytestmark = pytest.mark.django_db

LARGEST = 100_000


@pytest.fixture
def history(db: None) -> History:
    history = History(1)
    play(history, 160)
    return history


@pytest.fixture
def browser(history: History) -> Client:
    return browser_of(history.people[0].user)


def pages(history: History) -> Iterator[str]:
    """Yield the addresses of the past: of moments, acts, and files that are there, were moved, deleted or purged."""
    slug = history.memory.slug
    yield from (
        "/since/",
        "/activity/",
        "/trash/",
        f"/stores/{slug}/health",
        f"/stores/{slug}/all",
        f"/stores/{slug}/files/",
    )
    for seq in history.luck.sample(list(history.taken), 6):
        yield addresses.time(slug, "/memories", at=seq)
        yield f"/stores/{slug}/put-back?at={seq}"
        yield f"/compare/?source={slug}&source_at={seq}&target={slug}"
        yield addresses.agent_view(slug, "/memories", at=seq)
        for path, _ in history.luck.sample(list(history.taken[seq].values()), min(2, len(history.taken[seq]))):
            yield addresses.time(slug, path, at=seq)
            yield addresses.time(slug, path, at=seq, view="now")
    for act in history.luck.sample(list(ChangeSet.objects.filter(store=history.memory)), 25):
        yield f"/acts/{act.uuid}/undo"
    for entry in history.luck.sample(list(MemoryEntry.objects.files().filter(store=history.memory)), 15):
        yield addresses.history(slug, entry.path, file=entry.uuid)
        yield f"/since/files/{entry.uuid}"
        yield f"/trash/{entry.uuid}"
        if entry.state != "purged":
            yield from (f"/files/{entry.uuid}/versions/{number}" for number in {1, entry.version})


def test_no_page_of_the_past_fails(history: History, browser: Client) -> None:
    browser.raise_request_exception = False
    answers = {address: browser.get(address, follow=True) for address in pages(history)}

    assert len(answers) > 80
    missing = {address for address, answer in answers.items() if answer.status_code == 404}
    # What is new to nobody, or not in the trash, has no such page.
    assert {address for address in missing if not address.startswith(("/since/files/", "/trash/"))} == set()
    assert {address: answer.status_code for address, answer in answers.items() if answer.status_code >= 500} == {}
    assert {address for address, answer in answers.items() if len(answer.content) > LARGEST} == set()


def test_activity_lists_every_act_once_and_its_filters_divide_them(history: History, browser: Client) -> None:
    store = history.memory
    acts = {str(act.uuid) for act in ChangeSet.objects.filter(store=store)}

    assert sorted(listed(browser, f"/activity/?store={store.slug}")) == sorted(acts)
    by = [listed(browser, f"/activity/?store={store.slug}&by={kind}") for kind in ("people", "agents", "imports")]
    assert sorted(act for part in by for act in part) == sorted(acts)
    undos = listed(browser, f"/activity/?store={store.slug}&kind=undos")
    assert {*undos} == {str(act.uuid) for act in ChangeSet.objects.filter(store=store, undoes__isnull=False)}
    for kind in ("edits", "renames", "deletions", "restores", "marks"):
        found = listed(browser, f"/activity/?store={store.slug}&kind={kind}")
        assert len(found) == len({*found}) and {*found} <= acts


def listed(browser: Client, address: str) -> list[str]:
    """Return the acts of all pages of a list, as the links by which they can be taken back tell them."""
    found: list[str] = []
    while True:
        html = browser.get(address).content.decode()
        main = html.partition("<main")[2]
        found += re.findall(r'href="/acts/([0-9a-f-]{36})/undo"', main)
        following = re.search(r'rel="next" href="([^"]*)"', main)
        if not following:
            return found
        address = "/activity/" + following[1].replace("&amp;", "&")
