"""The list of stores, making one, its settings and its members."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories import access
from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.models import Member, MemoryStore, Role
from memories.views import sparks
from memories.views.store_list import PAGE_STORES
from tests.support.files import page, write
from tests.support.people import browser_of, member, operator, stranger
from tests.support.plans import index_conditions
from tests.support.stores import AGENT

pytestmark = pytest.mark.django_db

SETTINGS = {"name": "Support desk", "description": "", "file_kib": 1024, "most_files": 10_000, "store_mib": 100}


def made(name: str, **fields: object) -> MemoryStore:
    store = memory.create_store(name=name)
    MemoryStore.objects.filter(pk=store.pk).update(**fields)
    store.refresh_from_db()
    return store


def names(html: str) -> list[str]:
    return re.findall(r'class="name"[^>]*><bdi>(.*?)</bdi>', html)


@pytest.fixture
def browser() -> Client:
    """The operator's browser."""
    return browser_of(operator())


def test_a_store_near_a_limit_stands_first_and_says_which(browser: Client) -> None:
    write(made("Changed last"), "a.md", "x")
    made("Full of files", file_count=9_400)
    made("Full of bytes", byte_count=95 * 1024 * 1024)

    html = page(browser, "/stores/")

    assert names(html)[2] == "Changed last"
    assert "94% of its files" in html
    assert "95% of its size" in html


def test_the_list_can_be_sorted_and_says_how_it_is(browser: Client) -> None:
    for name, files in (("Beta", 2), ("Alpha", 1), ("Gamma", 3)):
        made(name, file_count=files, byte_count=100 - files)

    assert names(page(browser, "/stores/?order=name")) == ["Alpha", "Beta", "Gamma"]
    assert names(page(browser, "/stores/?order=files")) == ["Gamma", "Beta", "Alpha"]
    assert names(page(browser, "/stores/?order=size")) == ["Alpha", "Beta", "Gamma"]
    assert page(browser, "/stores/?order=size").count("aria-sort") == 1
    assert names(page(browser, "/stores/?order=nonsense")) == names(page(browser, "/stores/"))


def test_the_list_counts_only_what_the_person_may_see() -> None:
    mine = made("Mine", file_count=3, byte_count=1024)
    made("Theirs", file_count=5)

    html = page(browser_of(member(mine, Role.VIEWER)), "/stores/")

    assert names(html) == ["Mine"]
    assert "1 store, 3 files, 1.0K. Stores you are not a member of are not counted." in html
    assert ">Viewer</td>" in html


def test_filters_narrow_the_list_and_stay_in_the_form() -> None:
    person = stranger()
    for name, role, files in (("Desk one", Role.OWNER, 0), ("Desk two", Role.VIEWER, 1), ("Other", Role.OWNER, 1)):
        Member.objects.create(store=made(name, file_count=files), user=person, role=role)
    browser = browser_of(person)

    assert names(page(browser, "/stores/?q=DESK")) == ["Desk one", "Desk two"]
    assert names(page(browser, "/stores/?q=desk&role=owner")) == ["Desk one"]
    assert names(page(browser, "/stores/?state=empty")) == ["Desk one"]
    assert '<option value="owner" selected>' in page(browser, "/stores/?role=owner")


def test_when_nothing_matches_each_filter_says_what_it_hides() -> None:
    person = stranger()
    for name, role in (("Desk one", Role.OWNER), ("Desk two", Role.OWNER), ("Other", Role.VIEWER)):
        Member.objects.create(store=made(name), user=person, role=role)

    html = page(browser_of(person), "/stores/?q=desk&role=viewer")

    assert "No store matches" in html
    said = re.sub(r"<[^>]+>", "", html)
    assert "Without the name “desk” there is 1 store." in said
    assert "Without the role viewer there are 2 stores." in said
    assert "Show all 3" in said


def test_somebody_without_a_store_is_told_why_there_is_none() -> None:
    made("Theirs")
    person = stranger()

    html = page(browser_of(person), "/stores/")

    assert "No store yet" in html
    assert f'Ask an owner to add <b class="strong">{person.username}</b>' in html
    assert "Ask an owner" not in page(browser_of(operator()), "/stores/")


def test_a_list_of_any_length_takes_the_same_queries_and_comes_in_pages(browser: Client) -> None:
    made("Store 0")
    page(browser, "/stores/")
    with CaptureQueriesContext(connection) as before:
        page(browser, "/stores/")
    few = len(before)
    for number in range(1, PAGE_STORES + 20):
        made(f"Store {number}")

    with CaptureQueriesContext(connection) as many:
        html = page(browser, "/stores/")
    # The next request empties the record of statements.
    asked = [query["sql"] for query in many]

    assert len(asked) == few
    assert len(names(html)) == PAGE_STORES
    assert len(names(page(browser, "/stores/?page=2"))) == 20
    assert len(html.encode()) < 100 * 1024
    # The rail counts what is in the trash.
    assert not any("memoryentry" in statement and "trash" not in statement for statement in asked)
    assert sum("memoryversion" in statement for statement in asked) == 1


def write_days_ago(store: MemoryStore, *days: float) -> None:
    for number, ago in enumerate(days):
        actor = Actor(ActorKind.PERSON, "mia", authored_at=timezone.now() - timedelta(days=ago))
        write(store, f"{number}.md", "x", actor=actor)


def test_each_store_shows_its_writes_of_thirty_days_by_whomever(browser: Client) -> None:
    write_days_ago(made("Quiet"), 40)
    busy = made("Busy")
    write_days_ago(busy, 40, 29.9, 2, 2, 2)
    write(busy, "agents.md", "x", actor=AGENT)

    html = page(browser, "/stores/?order=name")

    day = timezone.now() - timedelta(days=2)
    assert f"5 writes in the last 30 days, most on {day.day} {day:%b}: 3" in html
    assert "0 writes in the last 30 days" in html
    drawn = re.findall(r'aria-label="\d+ writes in[^>]*><path d="([^"]*)"', html)
    assert [path.count("M") for path in drawn] == [30, 30]


def test_the_busiest_store_can_stand_first(browser: Client) -> None:
    write_days_ago(made("Little"), 1, 50, 50)
    write_days_ago(made("Much"), 1, 1)
    made("Nothing")

    html = page(browser, "/stores/?order=writes")

    assert names(html) == ["Much", "Little", "Nothing"]
    assert 'aria-sort="descending"><a class="sort" href="/stores/?order=writes">Writes, 30 days' in html


def test_writes_beyond_those_that_are_counted_are_said_to_be_more(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sparks, "WITHIN", 2)
    write_days_ago(made("Busy"), 1, 1, 1)
    write_days_ago(made("Quiet"), 1)

    html = page(browser, "/stores/?order=writes")

    assert names(html) == ["Busy", "Quiet"]
    assert "2 writes or more in the last 30 days" in html
    assert "1 write in the last 30 days, most" in html


@pytest.mark.parametrize("order", ["name", "writes"])
def test_writes_are_looked_up_among_the_newest_changes_of_each_store(
    browser: Client, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    monkeypatch.setattr(sparks, "WITHIN", 1)
    for name in ("One", "Two"):
        write_days_ago(made(name), 1, 1)

    with CaptureQueriesContext(connection) as seen:
        page(browser, f"/stores/?order={order}")

    asked = [query["sql"] for query in seen if "memoryversion" in query["sql"] and "fileseen" not in query["sql"]]
    for statement in asked:
        conditions = [each for each in index_conditions(statement) if "seq>" in each]
        assert conditions and all("store_id=" in each for each in conditions)
    assert len(asked) == {"name": 1, "writes": 2}[order]


def test_a_new_store_belongs_to_whoever_made_it() -> None:
    person = stranger()

    answer = browser_of(person).post("/stores/new", {"name": "Support desk", "description": "Notes"})

    store = MemoryStore.objects.get(slug="support-desk")
    assert answer.headers["Location"] == "/stores/support-desk/files/"
    assert access.role_of(person, store) is Role.OWNER
    assert store.description == "Notes"


def test_an_address_that_is_taken_is_refused_in_the_form(browser: Client) -> None:
    made("Desk")

    answer = browser.post("/stores/new", {"name": "Another", "slug": "desk"})

    assert answer.status_code == 422
    assert "This address is taken." in answer.content.decode()
    assert not MemoryStore.objects.filter(name="Another").exists()


def test_settings_change_what_was_changed_and_no_counter(browser: Client, store: MemoryStore) -> None:
    write(store, "a.md", "x")
    MemoryStore.objects.filter(pk=store.pk).update(max_file_bytes=1_000_001)

    answer = browser.post(
        f"/stores/{store.slug}/settings",
        {**SETTINGS, "file_kib": 977, "most_files": 50, "create_overwrites": "on", "seq": 99, "file_count": 99},
    )

    store.refresh_from_db()
    assert answer.status_code == 302
    assert (store.name, store.max_files, store.create_overwrites) == ("Support desk", 50, True)
    assert (store.max_file_bytes, store.max_bytes) == (1_000_001, 100 * 1024 * 1024)
    assert (store.seq, store.file_count) == (1, 1)


def test_a_limit_that_makes_no_sense_is_refused_at_its_field(browser: Client, store: MemoryStore) -> None:
    answer = browser.post(f"/stores/{store.slug}/settings", {**SETTINGS, "most_files": 0})

    assert answer.status_code == 422
    assert "Nothing was saved." in answer.content.decode()
    store.refresh_from_db()
    assert store.max_files == 10_000


def test_a_store_that_overwrites_lets_an_agents_create_do_so(browser: Client, store: MemoryStore) -> None:
    from memories import tool
    from tests.support.stores import AGENT

    write(store, "a.md", "old")
    browser.post(f"/stores/{store.slug}/settings", {**SETTINGS, "create_overwrites": "on"})
    store.refresh_from_db()

    answer = tool.execute(store, {"command": "create", "path": "/memories/a.md", "file_text": "new"}, AGENT)

    assert not answer.is_error


def test_an_owner_adds_changes_and_removes_members(store: MemoryStore) -> None:
    owner, friend = member(store, Role.OWNER), stranger()
    browser, members = browser_of(owner), f"/stores/{store.slug}/members"

    browser.post(members, {"username": friend.username, "role": "viewer"})
    assert access.role_of(friend, store) is Role.VIEWER
    browser.post(members, {"username": friend.username, "role": "curator"})
    assert access.role_of(friend, store) is Role.CURATOR
    browser.post(members, {"username": friend.username, "role": ""})
    assert access.role_of(friend, store) is None


def test_a_store_keeps_an_owner(store: MemoryStore) -> None:
    owner = member(store, Role.OWNER)
    browser = browser_of(owner)

    for role in ("viewer", ""):
        answer = browser.post(f"/stores/{store.slug}/members", {"username": owner.username, "role": role}, follow=True)
        assert "A store keeps at least one owner." in answer.content.decode()

    assert access.role_of(owner, store) is Role.OWNER


def test_the_first_member_of_a_store_is_offered_and_has_to_be_its_owner(store: MemoryStore) -> None:
    browser, friend, members = browser_of(operator()), stranger(), f"/stores/{store.slug}/members"

    nobody = browser.get(f"/stores/{store.slug}/settings").content.decode()
    refused = browser.post(members, {"username": friend.username, "role": "viewer"}, follow=True).content.decode()
    browser.post(members, {"username": friend.username, "role": "owner"})
    somebody = browser.get(f"/stores/{store.slug}/settings").content.decode()

    newcomer = 'id="id_role"'
    assert '"owner" selected' in nobody.partition(newcomer)[2].partition("</select>")[0]
    assert "The first member of a store is its owner." in refused
    assert "selected" not in somebody.partition(newcomer)[2].partition("</select>")[0]


def test_nobody_of_that_name_is_said(browser: Client, store: MemoryStore) -> None:
    answer = browser.post(f"/stores/{store.slug}/members", {"username": "nobody", "role": "viewer"}, follow=True)

    assert "Nobody here is called nobody." in answer.content.decode()
    assert not Member.objects.exists()


def test_the_rail_and_the_palette_lead_to_stores_and_files(browser: Client, store: MemoryStore) -> None:
    write(store, "customers/acme.md", "x")

    html = page(browser, "/palette?q=acme")

    assert f'href="/stores/{store.slug}/files/customers/acme.md"' in html
    assert f'href="/stores/{store.slug}/files/"' in page(browser, f"/palette?q={store.name}")
    assert 'href="/stores/"' in page(browser, "/stores/")
    assert "acme" not in page(browser_of(stranger()), "/palette?q=customers").split("palette-results")[-1]
