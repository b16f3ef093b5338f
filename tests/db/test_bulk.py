"""Acts on many files: what the page shows is what happens, all of it or nothing, with one undo."""

import re
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories import store as memory
from memories import undo
from memories.bulk import VERBS, Chosen, Verdict, carry_out, planned
from memories.commands import Lock, Pin
from memories.models import ChangeSet, MemoryEntry, MemoryStore, MemoryVersion, Role
from memories.refusals import ContentChanged, Refused
from memories.transfer.zipped import zip_parts
from memories.views.listing import Asked
from memories.views.marks import eyes_of
from memories.views.selections import Selection
from tests.support.files import at, move, remove, write, write_image
from tests.support.people import browser_of, member, stranger
from tests.support.stores import PERSON, assert_sound, files_of, new_store

pytestmark = pytest.mark.django_db

NAMES = ("a.md", "b.md", "d/a.md", "d/b.md", "d/e/a.md", "f/x.md/y.md", "long" * 60 + ".md")


def chosen(store: MemoryStore) -> list[Chosen]:
    return Selection(asked=Asked()).chosen(store, eyes_of(0, store))


def state(store: MemoryStore) -> dict[str, tuple[bytes, bool, bool]]:
    """Return every live file with its bytes and marks."""
    marks = {entry.path: (entry.pinned, entry.locked) for entry in store.entries.live().files()}
    return {path: (data, *marks[path]) for path, data in files_of(store).items()}


@given(
    files=st.sets(st.sampled_from(NAMES), min_size=1),
    locked=st.sets(st.sampled_from(NAMES)),
    pinned=st.sets(st.sampled_from(NAMES)),
    verb=st.sampled_from([verb for verb in VERBS.values() if verb.changes]),
    to=st.sampled_from(["/", "d", "new/" + "n" * 200, "a.md", "x"]),
    keep=st.booleans(),
)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_shown_is_what_happens_and_one_undo_brings_all_back(db, files, locked, pinned, verb, to, keep) -> None:  # type: ignore[no-untyped-def]
    store = new_store()
    for name in sorted(files):
        write(store, name, f"{name}\r\nno end")
    for name in sorted(locked & files):
        memory.apply(store.pk, Lock(at(name)), actor=PERSON)
    for name in sorted(pinned & files):
        memory.apply(store.pk, Pin(at(name)), actor=PERSON)
    ask = {"to": to, "keep": "1" if keep else ""}
    before = state(store)
    plan = planned(store, verb, lambda: chosen(store), ask)
    changing = plan.of(Verdict.CHANGES)

    if not changing:
        with pytest.raises(Refused):
            carry_out(store, verb, lambda: chosen(store), ask, actor=PERSON, shown=plan.shown)
        assert state(store) == before
        return
    acts = ChangeSet.objects.count()
    _, outcome = carry_out(store, verb, lambda: chosen(store), ask, actor=PERSON, shown=plan.shown)

    after = state(store)
    stayed = {row.file.path for row in plan.rows} - {row.file.path for row in changing}
    assert {path: after[path] for path in stayed} == {path: before[path] for path in stayed}
    if verb.key == "move":
        assert {path: after[path] for path in after if path not in stayed} == {
            row.to: before[row.file.path] for row in changing
        }
    elif verb.key == "delete":
        assert set(after) == stayed
    else:
        assert all(after[row.file.path] != before[row.file.path] for row in changing)
    assert_sound(store)
    assert ChangeSet.objects.count() == acts + 1
    undo.undo(ChangeSet.objects.get(uuid=outcome.change_set or ""), actor=PERSON, replies={})
    assert state(store) == before
    assert_sound(store)


@pytest.fixture
def full(store: MemoryStore) -> MemoryStore:
    """A store of 60 files in two folders, one of them locked and one pinned."""
    for number in range(60):
        write(store, f"{'even' if number % 2 == 0 else 'odd'}/{number:02}.md", f"{number}\n")
    memory.apply(store.pk, Lock(at("even/00.md")), actor=PERSON)
    memory.apply(store.pk, Pin(at("even/02.md")), actor=PERSON)
    return store


@pytest.fixture
def curator(full: MemoryStore) -> Client:
    return browser_of(member(full, Role.CURATOR))


def shown_in(body: str) -> str:
    found = re.search(r'name="shown" value="(\w+)"', body)
    assert found
    return found[1]


def test_all_that_match_are_chosen_beyond_the_page_and_the_count_is_true(full: MemoryStore, curator: Client) -> None:
    address, given_ = f"/stores/{full.slug}/bulk", {"verb": "delete", "all": "1", "within": "even"}

    listed = curator.get(f"/stores/{full.slug}/all?within=even&all=1").content.decode()
    preview = curator.get(address, given_).content.decode()
    answer = curator.post(address, given_ | {"shown": shown_in(preview)}, follow=True).content.decode()

    assert "All 30 files that match are chosen" in listed
    assert "Delete 29 files" in preview
    assert 'name="pick"' not in preview
    assert "Deleted 29 files. 1 file left as it is." in answer
    assert set(files_of(full)) == {f"/memories/odd/{n:02}.md" for n in range(1, 60, 2)} | {"/memories/even/00.md"}
    undone = re.search(r'action="(/acts/[^"]+/undo)"', answer)
    assert undone
    curator.post(undone[1])
    assert len(files_of(full)) == 60


def test_a_change_between_the_preview_and_the_confirmation_stops_everything(full: MemoryStore, curator: Client) -> None:
    address, given_ = f"/stores/{full.slug}/bulk", {"verb": "move", "all": "1", "q": "even", "to": "archive"}
    shown = shown_in(curator.get(address, given_).content.decode())
    write(full, "even/02.md", "changed\n")
    before = state(full)

    answer = curator.post(address, given_ | {"shown": shown})

    assert answer.status_code == 409
    assert state(full) == before
    assert curator.post(address, given_ | {"shown": shown_in(answer.content.decode())}).status_code == 302
    assert len([path for path in files_of(full) if path.startswith("/memories/archive/")]) == 29


def test_a_ticked_folder_moves_with_its_name(full: MemoryStore, curator: Client) -> None:
    folder = MemoryEntry.objects.get(store=full, path="/memories/odd", kind="directory")
    address, given_ = f"/stores/{full.slug}/bulk", {"verb": "move", "pick": str(folder.uuid), "to": "archive"}

    curator.post(address, given_ | {"shown": shown_in(curator.get(address, given_).content.decode())})

    assert "/memories/archive/odd/01.md" in files_of(full)
    into_itself = curator.get(
        address, {"verb": "move", "pick": str(folder.uuid), "to": "archive/odd/deep"}
    ).content.decode()
    assert "No file is chosen" in into_itself


FILTERS = {
    "q=EVEN": 30,
    "within=odd": 30,
    "pinned=yes": 1,
    "pinned=no": 59,
    "locked=yes&within=even": 1,
    "size=small": 60,
    "size=huge": 0,
    "age=day": 60,
    "age=before-month": 0,
    "new=yes": 60,
    "new=no": 0,
    "order=-size&q=1": 15,
    "within=..&order=x&page=99&new=perhaps": 60,
}


def test_filters_leave_what_they_say_and_empty_lists_name_them(full: MemoryStore, curator: Client) -> None:
    found = {}
    for query in FILTERS:
        body = curator.get(f"/stores/{full.slug}/all?{query}").content.decode()
        said = re.search(r"Choose all (\d+) that match", body)
        found[query] = int(said[1]) if said else 0 if "No file matches" in body else None

    assert found == FILTERS


def test_a_page_of_the_list_and_of_a_preview_takes_few_queries_and_little_room(
    store: MemoryStore, django_assert_max_num_queries: object
) -> None:
    user = member(store, Role.OWNER)
    for number in range(51):
        write(store, "/".join(["東\u3000\u0430p" * 20] * 4 + [f"{number}.md"]), "tea")
    browser = browser_of(user)

    for address in (f"/stores/{store.slug}/all", f"/stores/{store.slug}/bulk?verb=move&all=1&to=x&keep=1"):
        with django_assert_max_num_queries(14):  # type: ignore[operator]
            answer = browser.get(address)
        assert len(answer.content) <= 100 * 1024, address


@pytest.mark.parametrize(("role", "status"), [(None, 404), (Role.VIEWER, 403), (Role.CURATOR, 302)])
def test_only_who_may_write_acts_on_files(full: MemoryStore, role: Role | None, status: int) -> None:
    browser = browser_of(member(full, role) if role else stranger())
    plan = planned(full, VERBS["delete"], lambda: chosen(full), {})
    before = len(files_of(full))

    answer = browser.post(f"/stores/{full.slug}/bulk", {"verb": "delete", "all": "1", "shown": plan.shown})
    assert answer.status_code == status
    assert len(files_of(full)) == (before if status != 302 else 1)
    looks = [f"/stores/{full.slug}/{name}?all=1&verb=export" for name in ("all", "bulk")]
    assert {browser.get(look).status_code for look in looks} == ({404} if role is None else {200})


def test_files_of_other_stores_are_not_chosen(full: MemoryStore, curator: Client) -> None:
    theirs = write(new_store(), "secret.md", "tea")

    body = curator.get(f"/stores/{full.slug}/bulk?verb=delete&pick={theirs.uuid}").content.decode()

    assert "No file is chosen" in body
    assert "secret.md" not in body


def test_an_export_holds_every_byte_under_names_that_lead_nowhere_else(store: MemoryStore) -> None:
    write(store, "a.md", "tea\r\nno end")
    write(store, "C:|<b>/aux.txt", "")
    write(store, "~/-rf *.md", "x")
    write(store, "東/é ..x.md", "\ufeffmilk\n" * 10_000)
    write_image(store, "picture.png")

    data = b"".join(zip_parts(store, [file.id for file in chosen(store)]))

    with ZipFile(BytesIO(data)) as archive:
        assert archive.testzip() is None
        held = {info.filename: archive.read(info) for info in archive.infolist()}
    assert {f"/{name}": content for name, content in held.items()} == files_of(store)
    assert all(name.startswith("memories/") and ".." not in name.split("/") for name in held)


def test_marks_of_many_files_are_one_act_and_one_statement_each_way(
    full: MemoryStore, django_assert_max_num_queries: object
) -> None:
    plan = planned(full, VERBS["pin"], lambda: chosen(full), {})
    versions = MemoryVersion.objects.count()

    _, outcome = carry_out(full, VERBS["pin"], lambda: chosen(full), {}, actor=PERSON, shown=plan.shown)
    act = ChangeSet.objects.get(uuid=outcome.change_set or "")

    assert len(act.marks) == 59
    undo.undo(act, actor=PERSON, replies={})
    assert full.entries.filter(pinned=True).count() == 1
    assert MemoryVersion.objects.count() == versions


def test_a_command_for_many_files_refuses_what_was_not_decided_on(full: MemoryStore) -> None:
    verb, ask = VERBS["move"], {"to": "x"}
    plan = planned(full, verb, lambda: chosen(full), ask)
    rows = plan.of(Verdict.CHANGES)
    assert verb.act
    for spoil in (
        lambda: write(full, "odd/01.md", "new"),
        lambda: move(full, "odd/03.md", "y"),
        lambda: remove(full, "odd/05.md"),
    ):
        spoil()
        before = state(full)
        with pytest.raises(Refused), memory.locked(full.pk) as tx:
            verb.act(tx, rows, ask, PERSON)
        assert state(full) == before
    with pytest.raises(ContentChanged):
        carry_out(full, verb, lambda: chosen(full), ask, actor=PERSON, shown=plan.shown)
