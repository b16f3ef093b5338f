"""The menu of a line and the pages it leads to: what they take, and whom they are for."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memories.models import MemoryStore, Role
from tests.support.authors import AGENT, blame, readers_at
from tests.support.files import page, read_in_run, url_of, write
from tests.support.people import browser_of, member, operator, stranger

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def test_a_line_links_to_its_menu_and_the_menu_to_what_it_names(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "# One\n\n- two\n")
    write(store, "b.txt", "one\n")

    rendered, raw = page(browser, url_of(store, "a.md") + "?line=3"), page(browser, url_of(store, "b.txt") + "?line=1")

    assert '<li><a href="?line=3" aria-current="true">3</a>two<span class="linebar"' in rendered
    assert f'href="/files/{entry.uuid}/edit?line=3"' in rendered
    assert '<tr class="sel"><td class="n"><a href="?line=1">1</a>' in raw
    for html, line in ((rendered, 3), (raw, 1)):
        assert f'aria-label="Line {line}"' in html
        assert f'href="?view=blame&amp;line={line}" autofocus' in html
        assert f'href="?view=readers&amp;line={line}"' in html


def test_a_viewer_is_not_offered_to_mend_a_line(store: MemoryStore) -> None:
    write(store, "a.md", "one\n")

    html = page(browser_of(member(store, Role.VIEWER)), url_of(store, "a.md") + "?line=1")

    assert 'aria-label="Line 1"' in html
    assert "/edit?line" not in html


def test_a_link_in_a_text_is_no_line(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "[x](?line=9) [y](<#L3>) <a href='?line=9'>z</a>\n")

    html = page(browser, url_of(store, "a.md"))

    assert '"?line=9"' not in html


@pytest.mark.parametrize("view", ["blame", "readers"])
@pytest.mark.parametrize("part", [False, True])
def test_more_sources_and_readers_take_no_more_queries(store: MemoryStore, view: str, part: bool) -> None:
    client = browser_of(operator())
    address = f"{url_of(store, 'a.md')}?view={view}&line=1"
    counts = []
    for size in (1, 20):
        for number in range(size):
            write(store, "a.md", "one\n" + "".join(f"{number} {line}\n" for line in range(number)), actor=AGENT)
            read_in_run(store, "a.md", turn=number + 1)
        page(client, address, part=part)
        with CaptureQueriesContext(connection) as asked:
            page(client, address, part=part)
        counts.append(len(asked))

    assert counts[0] == counts[1] <= 22


@pytest.mark.parametrize("role", [*Role, None])
def test_members_see_these_views_and_others_meet_nothing(store: MemoryStore, role: Role | None) -> None:
    write(store, "a.md", "one\n", actor=AGENT)
    addresses = (blame(store, "a.md", "&line=1"), readers_at(store, "a.md", 1), url_of(store, "a.md") + "?line=1")
    client = browser_of(member(store, role) if role else operator())

    assert [client.get(address).status_code for address in addresses] == [200] * 3
    assert [browser_of(stranger()).get(address).status_code for address in addresses] == [404] * 3
