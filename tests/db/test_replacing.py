"""Find and replace over files and stores: what is shown is what changes, and one undo brings every byte back."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories import replacing, undo
from memories import store as memory
from memories.commands import Lock
from memories.models import ChangeSet, Member, MemoryStore, Role
from memories.paths import MemoryPath
from memories.refusals import Refused
from memories.replacing import Scope, TooMuch, Wanted, hits, plans
from memories.undo import trails
from tests.support.files import at, write, write_image
from tests.support.people import browser_of, member, stranger
from tests.support.stores import PERSON, assert_sound, files_of, new_store

pytestmark = pytest.mark.django_db

LETTERS = "aA_ \r\n\u00e9\u0130\u03a3\u03c3\U0001f389-"
BOMB = "a" * 50_000


@given(
    text=st.text(LETTERS, max_size=60),
    find=st.text(LETTERS.replace("\n", "").replace("\r", ""), min_size=1, max_size=3),
    put=st.text("xA\u00e9", max_size=3),
    case=st.booleans(),
    word=st.booleans(),
)
def test_a_text_is_found_as_a_pattern_would_find_it_and_line_ends_stay(
    text: str, find: str, put: str, case: bool, word: bool
) -> None:
    wanted = Wanted(find, put, case=case, word=word)
    found = wanted.hits(text)
    new = wanted.replaced(text, found)

    if case and not word:
        assert new == text.replace(find, put)
    lines, kept = re.split("(\r|\n)", text), re.split("(\r|\n)", new)
    assert lines[1::2] == kept[1::2]
    assert len(lines) == len(kept)
    for hit in found:
        assert len(text[hit.start : hit.stop]) == len(find)
        if word and find[0].isalnum():
            assert not text[: hit.start][-1:].isalnum()
    shown = list(hits.rows_of(wanted, text, found))
    assert sum(row.hits for row in shown) == len(found)
    for row in shown:
        old = text.split("\n")[row.old.number - 1]
        assert "".join(each.text for each in row.old.segments) == old
        assert "".join(each.text for each in row.new.segments) == new.split("\n")[row.old.number - 1]


def test_a_long_line_shows_every_hit_and_what_stands_beside_it() -> None:
    text = ("tea " + "x" * 500) * 40 + "tea" * 300
    wanted = Wanted("tea", "milk" * 100)
    found = wanted.hits(text)

    rows = list(hits.rows_of(wanted, text, found))

    assert sum(row.hits for row in rows) == len(found) == 340
    assert all(sum(len(each.text) for each in row.new.segments) < 3_000 for row in rows)
    assert Counter(each.text for row in rows for each in row.old.segments if each.marked) == {"tea": 340}


@pytest.mark.parametrize("wanted", [Wanted("a" * 199 + "b", "x"), Wanted("a" * 100, "x", word=True)])
def test_a_text_made_to_keep_the_search_busy_does_not(wanted: Wanted) -> None:
    assert wanted.hits(BOMB * 3) == []
    with pytest.raises(TooMuch):
        Wanted("a", "x", word=True).hits(BOMB * 5)


@given(
    texts=st.lists(st.text("tea T\r\n", max_size=30), min_size=1, max_size=5), taken=st.integers(0, 31), data=st.data()
)
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_counts_are_what_changes_and_undo_brings_every_byte_back(  # type: ignore[no-untyped-def]
    db, texts, taken, data
) -> None:
    stores = [new_store(), new_store()]
    for number, text in enumerate(texts):
        for store in stores:
            write(store, f"d{number % 2}/{number}.md", text)
    if data.draw(st.booleans()):
        memory.apply(stores[0].pk, Lock(at("d0/0.md")), actor=PERSON)
    before = [files_of(store) for store in stores]
    wanted = Wanted("te", "coff", word=data.draw(st.booleans()))
    plan = replacing.planned(wanted, Scope(tuple(stores)))
    chosen = [file for number, file in enumerate(plan.files) if taken >> number & 1]

    if not chosen:
        with pytest.raises(Refused):
            replacing.carry_out(plan, set(), actor=PERSON)
        assert [files_of(store) for store in stores] == before
        return
    done = replacing.carry_out(plan, {file.uuid for file in chosen}, actor=PERSON)

    after = [files_of(store) for store in stores]
    changed = {(n, path) for n, files in enumerate(after) for path in files if files[path] != before[n][path]}
    assert changed == {(stores.index(file.memory), file.meant.path) for file in chosen}
    assert (done.files, done.hits) == (len(chosen), sum(len(file.hits) for file in chosen))
    assert len(done.change_sets) == len({file.memory.pk for file in chosen})
    for store in stores:
        assert_sound(store)
    acts = list(undo.siblings_of(ChangeSet.objects.get(uuid=done.change_sets[0])))
    assert {act.uuid for act in acts} == set(done.change_sets)
    undone = undo.undo_together(acts, actor=PERSON)
    assert [files_of(store) for store in stores] == before
    undo.undo_together(list(undo.siblings_of(ChangeSet.objects.get(uuid=undone[0].change_set))), actor=PERSON)
    assert [files_of(store) for store in stores] == after


@pytest.fixture
def five() -> list[MemoryStore]:
    """Five stores in which the same wrong fact stands."""
    stores = [new_store() for _ in range(5)]
    for number, store in enumerate(stores):
        write(store, "facts.md", f"# Facts {number}\r\nThe office closes at 17:00\r\nand closes AT 17:00.")
        write(store, "other.md", "nothing\n")
    return stores


@pytest.fixture
def curator(five: list[MemoryStore]) -> Client:
    user = member(five[0], Role.CURATOR)
    Member.objects.bulk_create(Member(store=store, user=user, role=Role.OWNER) for store in five[1:])
    return browser_of(user)


FIX = {"find": "at 17:00", "put": "at 18:00", "in": "every"}


def fields_of(body: str) -> dict[str, Any]:
    """Return what the form on the page sends when nothing is unticked."""
    names = {name: re.findall(rf'name="{name}" value="([^"]*)"', body) for name in ("shown", "offered")}
    return FIX | {"shown": names["shown"][0], "offered": names["offered"], "file": names["offered"]}


def test_the_same_wrong_fact_in_five_stores_is_mended_in_all_and_undone_at_once(
    five: list[MemoryStore], curator: Client
) -> None:
    before = [files_of(store) for store in five]

    shown = curator.get("/replace", FIX).content.decode()
    answer = curator.post("/replace", fields_of(shown), follow=True).content.decode()

    assert shown.count("<del>at 17:00</del>") == 5
    assert shown.count("<del>AT 17:00</del>") == 5
    assert shown.count("<ins>at 18:00</ins>") == 10
    assert "Replaced 10 places in 5 files of 5 stores." in answer
    assert "Found nowhere" in answer
    assert all(b"17:00" not in data for store in five for data in files_of(store).values())
    assert files_of(five[1])["/memories/facts.md"].endswith(b"18:00\r\nand closes at 18:00.")
    way_back = re.search(r'action="(/acts/[^"]+/undo-everywhere)"', answer)
    assert way_back
    assert "Undo it in all of them" in curator.get(way_back[1].replace("-everywhere", "")).content.decode()
    undone = curator.post(way_back[1], follow=True).content.decode()
    assert "Undone in 5 stores. 5 files went back." in undone
    assert [files_of(store) for store in five] == before


def test_where_somebody_wrote_since_the_undo_of_all_shows_what_stays_first(
    five: list[MemoryStore], curator: Client
) -> None:
    answer = curator.post("/replace", fields_of(curator.get("/replace", FIX).content.decode()), follow=True)
    way_back = re.findall(r'action="(/acts/[^"]+/undo-everywhere)"', answer.content.decode())[0]
    write(five[2], "facts.md", "The office closes at 18:00 or later\n")

    asked = curator.post(way_back, follow=True)
    body = asked.content.decode()
    shown = re.findall(r'name="shown" value="(\w+)"', body)[0]
    stale = curator.post(way_back, {"shown": "0"})
    curator.post(way_back, {"shown": shown})

    assert asked.redirect_chain == [(way_back, 302)]
    assert "1 file that somebody changed later stays as it is" in body
    assert stale.status_code == 409
    assert [b"17:00" in files_of(store)["/memories/facts.md"] for store in five] == [True, True, False, True, True]


def test_what_changed_since_the_preview_stops_it_in_every_store(five: list[MemoryStore], curator: Client) -> None:
    fields = fields_of(curator.get("/replace", FIX).content.decode())
    write(five[4], "late.md", "at 17:00")
    before = [files_of(store) for store in five]

    answer = curator.post("/replace", fields)

    assert answer.status_code == 409
    assert "late.md" in answer.content.decode()
    assert [files_of(store) for store in five] == before


def test_a_file_that_changes_at_the_last_moment_leaves_all_stores_as_they_are(five: list[MemoryStore]) -> None:
    plan = replacing.planned(Wanted("17:00", "18:00"), Scope(tuple(five)))
    taken = {file.uuid for file in plan.files}
    spoilers: list[Callable[[], object]] = [
        lambda: write(five[4], "facts.md", "x"),
        lambda: memory.apply(five[3].pk, Lock(at("facts.md")), actor=PERSON),
    ]
    for spoil in spoilers:
        spoil()
        before = [files_of(store) for store in five]
        with pytest.raises(Refused):
            replacing.carry_out(plan, taken, actor=PERSON)
        assert [files_of(store) for store in five] == before
        assert not ChangeSet.objects.filter(key__startswith=undo.TOGETHER).exists()


def test_what_is_left_alone_is_said(store: MemoryStore) -> None:
    user = member(store, Role.OWNER)
    write_image(store, "tea.png")
    write(store, "locked.md", "tea")
    memory.apply(store.pk, Lock(at("locked.md")), actor=PERSON)
    write(store, "large.md", "tea" + "x" * 1024)
    write(store, "sub/small.md", "tea")
    MemoryStore.objects.filter(pk=store.pk).update(max_file_bytes=1024)
    find = {"find": "tea", "put": "coffee", "store": store.slug}

    body = browser_of(user).get("/replace", find).content.decode()
    narrowed = browser_of(user).get("/replace", find | {"within": "sub/small.md"}).content.decode()

    assert "1 image not looked at" in body
    assert ">locked<" in body
    assert "it would be larger than the 1.0K of its store’s limit" in body
    assert body.count('name="file"') == 1
    assert "of 1 looked through" in narrowed


def test_boxes_that_were_emptied_on_other_pages_stay_empty(store: MemoryStore) -> None:
    browser = browser_of(member(store, Role.OWNER))
    for number in range(8):
        write(store, f"{number}.md", "".join(f"\u202e<b>tea {line}\u200b\n" for line in range(40)))
    find: dict[str, str] = {"find": "tea", "put": "<i>", "store": store.slug, "in": "some"}

    seen: dict[str, int] = {}
    body, number = browser.get("/replace", find).content.decode(), 1
    while f'name="page" value="{number + 1}"' in body:
        assert len(body.encode()) <= 100 * 1024
        offered = re.findall(r'name="offered" value="([^"]*)"', body)
        seen |= dict.fromkeys(offered, 0)
        skip = re.findall(r'name="skip" value="([^"]*)"', body)[0]
        fields: dict[str, Any] = find | {"offered": offered, "file": offered[1:], "skip": skip, "page": number + 1}
        answer = browser.post("/replace", fields, follow=True)
        body, number = answer.content.decode(), number + 1
    offered = re.findall(r'name="offered" value="([^"]*)"', body)
    skip = re.findall(r'name="skip" value="([^"]*)"', body)[0]
    shown = re.findall(r'name="shown" value="([^"]*)"', body)[0]
    browser.post("/replace", find | {"offered": offered, "file": offered, "skip": skip, "shown": shown})

    assert number > 2
    left = {path for path, data in files_of(store).items() if b"tea" in data}
    skipped = {entry.path for entry in store.entries.all() if entry.uuid.hex in skip.split(",")}
    assert left == skipped
    assert 0 < len(left) < 8


@pytest.mark.parametrize(("role", "status"), [(None, 404), (Role.VIEWER, 403), (Role.CURATOR, 200)])
def test_only_who_may_write_finds_and_replaces(store: MemoryStore, role: Role | None, status: int) -> None:
    write(store, "a.md", "a secret")
    browser = browser_of(member(store, role) if role else stranger())
    fields = {"find": "secret", "put": "x", "store": store.slug}

    assert browser.get("/replace", fields).status_code == status
    assert browser.post("/replace", fields | {"shown": "0"}).status_code == (409 if status == 200 else status)
    everywhere = browser.get("/replace", {"find": "secret", "put": "x", "in": "every"})
    assert ("a.md" in everywhere.content.decode()) is (status == 200)
    assert files_of(store) == {"/memories/a.md": b"a secret"}


@pytest.mark.parametrize(
    "fields",
    [
        {"find": ""},
        {"find": "a\nb"},
        {"find": "x" * 201},
        {"find": "a", "put": "a\r\nb"},
        {"find": "a", "put": "a", "case": "on"},
        {"find": "a", "within": "../x"},
        {"find": "a", "in": "some"},
    ],
)
def test_what_cannot_be_looked_for_is_said_at_its_field(store: MemoryStore, fields: dict[str, str]) -> None:
    browser = browser_of(member(store, Role.OWNER))

    answer = browser.get("/replace", fields)

    assert answer.status_code == 422
    assert "Nothing was looked for." in answer.content.decode()


def test_more_than_one_act_takes_is_refused_with_its_limit(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        write(store, f"{number}.md", "tea tea tea")
    for name in ("FILES", "HITS", "SCANNED", "TAKEN", "LOOKED_THROUGH"):
        with monkeypatch.context() as patched:
            patched.setattr(plans, name, 2)
            with pytest.raises(TooMuch, match="2"):
                replacing.planned(Wanted("tea", "milk"), Scope((store,), MemoryPath.ROOT))


def test_a_preview_takes_few_queries(
    five: list[MemoryStore], curator: Client, django_assert_max_num_queries: object
) -> None:
    with django_assert_max_num_queries(17):  # type: ignore[operator]
        curator.get("/replace", FIX)


def test_an_undo_everywhere_that_is_too_large_says_so(
    five: list[MemoryStore], curator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = curator.post("/replace", fields_of(curator.get("/replace", FIX).content.decode()), follow=True)
    made = re.findall(r'action="(/acts/[^"]+/undo-everywhere)"', answer.content.decode())[0]
    monkeypatch.setattr(trails, "VERSIONS", 0)

    for answer in (curator.get(made), curator.post(made)):
        assert answer.status_code == 302
        assert answer["Location"].endswith("/undo")
    assert "one undo takes 0 versions at most" in curator.get(made, follow=True).content.decode()
