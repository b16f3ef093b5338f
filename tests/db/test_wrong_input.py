"""What the pages of time, compare, health, activity, trash and many files at once answer to wrong input.

Each answer is a page that says what is wrong and nothing of the inside; nothing changes, and who comes second is told.
"""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client

from memories import store as memory
from memories.commands import Create
from memories.models import ChangeSet, Member, MemoryEntry, MemoryStore, Role
from tests.support.files import at, page, remove, write
from tests.support.people import browser_of, member, stranger
from tests.support.stores import PERSON, assert_sound, files_of, new_store

pytestmark = pytest.mark.django_db

NOBODY = UUID(int=7)
INSIDE = ("Traceback", "Error", "Exception", "DoesNotExist", "Http404", "None", "MemoryEntry", "matching query")


@pytest.fixture
def store() -> MemoryStore:
    """A store of four changes: a text with two versions, and a file in the trash."""
    store = new_store()
    write(store, "a.md", "one\n")
    write(store, "a.md", "two\n")
    write(store, "d/b.md", "x\n")
    remove(store, "d/b.md")
    store.refresh_from_db()
    return store


@pytest.fixture
def empty() -> MemoryStore:
    return new_store()


@pytest.fixture
def owner(store: MemoryStore, empty: MemoryStore) -> User:
    user = member(store, Role.OWNER)
    Member.objects.create(store=empty, user=user, role=Role.OWNER)
    return user


@pytest.fixture
def browser(owner: User) -> Client:
    return browser_of(owner)


def said(html: str) -> str:
    """Return what the page says in its main part."""
    main = html.partition("<main")[2].partition("</main>")[0]
    return " ".join(re.sub(r"<svg.*?</svg>|<[^>]+>", " ", main, flags=re.DOTALL).split())


WRONG_ADDRESSES = [
    ("/stores/{s}/time/?at=5", 404),
    ("/stores/{s}/time/?at=-1", 404),
    ("/stores/{s}/time/?at=1.5", 404),
    ("/stores/{s}/time/?at=%D9%A3", 404),
    ("/stores/{s}/time/?at=99999999999999999999", 404),
    ("/stores/{e}/time/?at=1", 404),
    ("/stores/{s}/time/?date=soon", 400),
    ("/stores/{s}/time/?date=2026-13-45T00:00", 400),
    ("/stores/{s}/time/nothing.md?at=1", 404),
    ("/stores/{s}/time/d/b.md?at=2", 404),
    ("/stores/{s}/time/%2e%2e/x?at=1", 404),
    ("/stores/{s}/time-tree/?at=5", 404),
    ("/stores/{s}/put-back?at=5", 404),
    ("/stores/{s}/put-back?at=then", 404),
    ("/compare/?source={s}&target=nowhere", 404),
    ("/compare/?source={s}&source_at=5&target={s}", 404),
    ("/compare/?source={s}&source_at=then&target={e}", 404),
    ("/compare/?source={s}&target={s}&source_on=soon&target_on=", 400),
    ("/compare/file?source={s}&target={e}&key=0", 404),
    ("/compare/file", 404),
    ("/compare-versions?old={a}@1&new={a}@9", 404),
    ("/compare-versions?old=x&new=y", 404),
    ("/compare-versions?pick=x", 404),
    ("/compare-versions?find=1&old-store=nowhere&old-path=x&old-number=x", 422),
    ("/stores/nowhere/health", 404),
    ("/stores/{s}/health/pair", 404),
    ("/stores/{s}/health/pair?one={a}&other=x", 404),
    ("/trash/{nobody}", 404),
    ("/stores/{s}/bulk", 404),
    ("/stores/{s}/bulk?verb=burn", 404),
    ("/stores/{s}/bulk?verb=move&pick={a}&to=../x", 422),
    ("/stores/{s}/export", 404),
    ("/stores/{e}/export?all=1", 404),
    ("/replace?find=x&store=nowhere", 404),
    ("/acts/{nobody}/undo", 404),
    ("/since/files/{nobody}", 404),
]

WRONG_FORMS = [
    ("/stores/{s}/put-back?at=5", {"shown": "x"}, 404),
    ("/stores/{s}/put-back?at=1", {}, 409),
    ("/stores/{s}/put-back?at=1", {"shown": "x", "file": "{a}", "answer-{a}": "burn", "path-{a}": "../x"}, 409),
    ("/stores/{s}/put-back?at=1&ticked=1", {"shown": "x"}, 409),
    ("/compare/", {"source": "{s}", "target": "nowhere"}, 404),
    ("/compare/", {"source": "{s}", "target": "{e}"}, 409),
    ("/compare/", {"source": "{s}", "target": "{e}", "take": "0123456789ab"}, 409),
    ("/compare/", {"source": "{s}", "target": "{e}", "base": "every", "print": "x"}, 409),
    ("/compare/", {"source": "{e}", "target": "{s}", "target_at": "1", "take": "0123456789ab"}, 409),
    ("/compare/", {"source": "{s}", "source_at": "9", "target": "{e}"}, 404),
    ("/stores/{s}/bulk", {"verb": "burn"}, 404),
    ("/stores/{s}/bulk", {"verb": "delete", "pick": "x"}, 409),
    ("/stores/{s}/bulk", {"verb": "delete", "pick": "{a}", "shown": "x"}, 409),
    ("/stores/{s}/bulk", {"verb": "delete", "pick": "{a}"}, 409),
    ("/stores/{s}/bulk", {"verb": "export", "pick": "{a}"}, 409),
    ("/replace", {}, 422),
    ("/replace", {"find": "two", "put": "2", "shown": "x"}, 409),
    ("/acts/{nobody}/undo", {"shown": "x"}, 404),
    ("/acts/{act}/undo", {"shown": "x"}, 409),
    ("/since/seen", {}, 400),
    ("/since/seen", {"file": "x", "upto": "y"}, 400),
    ("/files/{a}/seen", {"version": "x"}, 400),
    ("/files/{a}/merge", {}, 400),
    ("/files/{b}/restore", {"version": "9"}, 404),
    ("/files/{b}/restore", {"version": "x"}, 422),
]


def named(store: MemoryStore, empty: MemoryStore) -> Callable[[str], str]:
    """Return what puts the ids of this world into an address or a field."""
    ids = {entry.path: entry.uuid for entry in MemoryEntry.objects.filter(store=store, kind="file")}
    act = ChangeSet.objects.filter(store=store).earliest("pk").uuid
    a, b = ids[at("a.md").text], ids[at("d/b.md").text]
    return lambda text: text.format(s=store.slug, e=empty.slug, a=a, b=b, act=act, nobody=NOBODY)


@pytest.mark.parametrize(("address", "status"), WRONG_ADDRESSES)
def test_a_wrong_address_is_answered_by_a_page_that_says_so(
    browser: Client, store: MemoryStore, empty: MemoryStore, address: str, status: int
) -> None:
    words = said(page(browser, named(store, empty)(address), status=status))

    assert len(words) > 60
    assert not any(inside in words for inside in INSIDE), words


@pytest.mark.parametrize(("address", "fields", "status"), WRONG_FORMS)
def test_a_wrong_form_changes_nothing_and_is_answered_by_a_page(
    browser: Client, store: MemoryStore, empty: MemoryStore, address: str, fields: dict[str, str], status: int
) -> None:
    put = named(store, empty)
    before = files_of(store), files_of(empty), ChangeSet.objects.count()

    answer = browser.post(put(address), {put(name): put(value) for name, value in fields.items()})

    assert answer.status_code == status
    words = said(answer.content.decode())
    assert len(words) > 60
    assert not any(inside in words for inside in INSIDE), words
    assert (files_of(store), files_of(empty), ChangeSet.objects.count()) == before


@pytest.mark.parametrize(
    "address",
    [
        "/stores/{e}/time/",
        "/stores/{e}/time/?at=0",
        "/stores/{e}/put-back?at=0",
        "/compare/?source={e}&target={s}",
        "/compare/?source={e}&target={e}",
        "/stores/{e}/health",
        "/stores/{e}/health?kind=by-length",
        "/stores/{e}/all",
        "/stores/{e}/bulk?verb=delete&all=1",
        "/stores/{e}/trash/empty",
        "/activity/?store={e}",
        "/trash/?store={e}",
        "/activity/?store=nowhere&by=x&kind=x&from=soon&to=1&before=x",
        "/trash/?store=nowhere&page=x",
        "/stores/{s}/health?kind=x&page=x&aside=x",
        "/stores/{s}/all?sort=x&page=999&label=x",
    ],
)
def test_a_store_without_files_and_an_unknown_filter_have_pages(
    browser: Client, store: MemoryStore, empty: MemoryStore, address: str
) -> None:
    assert len(said(page(browser, named(store, empty)(address)))) > 40


@pytest.mark.parametrize(("date", "seq"), [("0001-01-01T00:00", 0), ("1900-01-01", 0), ("2999-01-01T00:00", 4)])
def test_a_date_outside_the_life_of_a_store_leads_to_its_beginning_or_to_now(
    browser: Client, store: MemoryStore, date: str, seq: int
) -> None:
    assert browser.get(f"/stores/{store.slug}/time/?date={date}")["Location"].endswith(f"?at={seq}")
    asked = {"source": store.slug, "target": store.slug, "source_on": date, "target_on": ""}
    assert (f"source_at={seq}" in browser.get("/compare/", asked)["Location"]) is (seq == 0)


def test_no_box_ticked_means_no_file_and_never_all_of_them(browser: Client, store: MemoryStore) -> None:
    before = files_of(store)
    form = page(browser, f"/stores/{store.slug}/time/?at=1")
    assert re.search(r'<button[^>]*name="ticked" value="1"', form)

    for query in ("ticked=1", "file=x", f"ticked=1&file={NOBODY}"):
        address = f"/stores/{store.slug}/put-back?at=1&{query}"
        shown = page(browser, address)
        answer = browser.post(address, form_in(shown))

        assert "Nothing to put back" in shown
        assert "Nothing is left to put back" in answer.text
        assert answer.status_code == 409
        assert files_of(store) == before
    assert "No file was ticked" in page(browser, f"/stores/{store.slug}/put-back?at=1&ticked=1")


Opened = Callable[[Client, MemoryStore, MemoryStore], tuple[str, dict[str, Any]]]
"""Opens a page that shows what would happen, and returns where its form goes and what it sends as it stands."""


def put_back_all(browser: Client, store: MemoryStore, _other: MemoryStore) -> tuple[str, dict[str, Any]]:
    address = f"/stores/{store.slug}/put-back?at=1"
    return address, form_in(page(browser, address))


def take_all(browser: Client, store: MemoryStore, other: MemoryStore) -> tuple[str, dict[str, Any]]:
    return "/compare/", form_in(page(browser, f"/compare/?source={store.slug}&target={other.slug}&base=every"))


def delete_all(browser: Client, store: MemoryStore, _other: MemoryStore) -> tuple[str, dict[str, Any]]:
    address = f"/stores/{store.slug}/bulk"
    return address, form_in(page(browser, f"{address}?verb=delete&all=1"))


def replace_all(browser: Client, store: MemoryStore, _other: MemoryStore) -> tuple[str, dict[str, Any]]:
    return "/replace", form_in(page(browser, f"/replace?find=two&put=2&store={store.slug}"))


def undo_last(browser: Client, store: MemoryStore, _other: MemoryStore) -> tuple[str, dict[str, Any]]:
    address = f"/acts/{ChangeSet.objects.filter(store=store).latest('pk').uuid}/undo"
    return address, form_in(page(browser, address))


OPENED = (put_back_all, take_all, delete_all, replace_all, undo_last)


def form_in(html: str) -> dict[str, Any]:
    """Return what the form of a page that posts sends as it stands: hidden fields, and boxes that are ticked."""
    main = html.partition("<main")[2]
    form = max(re.findall(r'<form[^>]*method="post".*?</form>', main, re.DOTALL), key=len)
    fields: dict[str, list[str]] = {}
    for tag in re.findall(r"<input [^>]*>", form):
        given = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        if given.get("type") == "hidden" or (given.get("type") == "checkbox" and " checked" in tag):
            fields.setdefault(given["name"], []).append(given["value"])
    return fields


@pytest.mark.parametrize("opened", OPENED)
def test_of_two_who_decide_on_the_same_page_the_second_is_told_and_changes_nothing(
    store: MemoryStore, empty: MemoryStore, owner: User, opened: Opened
) -> None:
    first, second = browser_of(owner), browser_of(stranger())
    Member.objects.bulk_create(
        Member(store=each, user=User.objects.latest("pk"), role=Role.CURATOR) for each in (store, empty)
    )
    address, fields = opened(first, store, empty)
    _, same = opened(second, store, empty)

    done = first.post(address, fields)
    after = files_of(store), files_of(empty), ChangeSet.objects.count()
    late = second.post(address, same)

    assert done.status_code == 302, said(done.content.decode())
    assert late.status_code == 409, late.get("Location")
    assert "This is how it stands now." in said(late.content.decode())
    assert (files_of(store), files_of(empty), ChangeSet.objects.count()) == after
    assert_sound(store)
    assert_sound(empty)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("opened", OPENED)
def test_of_two_who_press_the_button_at_the_same_moment_one_does_it_and_one_is_told(
    store: MemoryStore, empty: MemoryStore, browser: Client, opened: Opened
) -> None:
    address, fields = opened(browser, store, empty)
    acts, start = ChangeSet.objects.count(), Barrier(2)

    def press(_: int) -> int:
        try:
            # The client of each thread has the session of the same person, as two of their tabs do.
            tab = Client()
            tab.cookies = browser.cookies
            start.wait(20)
            return tab.post(address, fields).status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        statuses = sorted(pool.map(press, range(2)))

    assert statuses == [302, 409]
    assert ChangeSet.objects.count() == acts + 1
    assert_sound(store)
    assert_sound(empty)


@pytest.mark.parametrize("opened", OPENED)
def test_a_change_by_somebody_else_after_the_preview_is_never_written_over(
    browser: Client, store: MemoryStore, empty: MemoryStore, opened: Opened
) -> None:
    write(store, "c.md", "two of c\n")
    address, fields = opened(browser, store, empty)
    write(store, "c.md" if opened is undo_last else "a.md", "two, but better\n")
    if opened is take_all:
        write(empty, "a.md", "mine\n")
    before = files_of(store), files_of(empty)

    late = browser.post(address, fields)

    assert late.status_code == 409
    assert (files_of(store), files_of(empty)) == before


def test_two_thousand_files_are_previewed_deleted_and_brought_back(browser: Client, empty: MemoryStore) -> None:
    with memory.locked(empty.pk) as tx:
        for number in range(2_000):
            tx.apply(Create(at(f"d{number % 7}/{number}.md"), f"# {number}\ntea\n"), actor=PERSON)
    before = files_of(empty)
    empty.refresh_from_db()
    pages = (
        f"/stores/{empty.slug}/time/?at=1000",
        f"/stores/{empty.slug}/put-back?at=1000",
        f"/compare/?source={empty.slug}&source_at=1000&target={empty.slug}",
        f"/stores/{empty.slug}/health",
        "/trash/",
        "/activity/",
    )

    address, fields = delete_all(browser, empty, empty)
    assert browser.post(address, fields).status_code == 302
    assert files_of(empty) == {}
    sizes = {each: len(page(browser, each).encode()) for each in pages}
    address = f"/stores/{empty.slug}/put-back?at=2000"
    back = browser.post(address, form_in(page(browser, address)))

    assert max(sizes.values()) < 100_000, sizes
    assert back.status_code == 302
    assert files_of(empty) == before
    address, fields = undo_last(browser, empty, empty)
    assert browser.post(address, fields).status_code == 302
    assert files_of(empty) == {}
    assert_sound(empty)
