"""Pages of stores and files as a whole: who reaches them, how many queries they take, how large they get."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memories.models import MemoryEntry, MemoryStore, Role, StoreSeen
from memories.views.tree import FRAGMENT_ROWS, OPEN_FOLDERS
from tests.support.files import page, read_in_run, write, write_image
from tests.support.people import browser_of, member, operator, stranger

pytestmark = pytest.mark.django_db

KIB = 1024


@pytest.fixture
def filled(store: MemoryStore) -> MemoryStore:
    """A store with a file of each kind, read and changed a few times."""
    for number in range(12):
        write(store, f"customers/c{number:02}.md", f"# Customer {number}\n")
    for text in ("one\n", "one\ntwo\n", "one\ntwo\nthree\n"):
        write(store, "notes.md", text)
    write(store, ".hidden/x.txt", "x")
    write_image(store, "chart.png")
    read_in_run(store, "notes.md")
    store.refresh_from_db()
    return store


def addresses(store: MemoryStore) -> dict[str, str]:
    """Return the address of each page about the store and its files."""
    slug, file_id = store.slug, MemoryEntry.objects.get(store=store, path="/memories/notes.md").uuid
    picture = MemoryEntry.objects.get(store=store, path="/memories/chart.png").uuid
    return {
        "root": f"/stores/{slug}/files/",
        "folder": f"/stores/{slug}/files/customers",
        "file": f"/stores/{slug}/files/notes.md",
        "raw": f"/stores/{slug}/files/notes.md?view=raw",
        "filter": f"/stores/{slug}/files/?q=c0",
        "history": f"/stores/{slug}/history/notes.md",
        "version": f"/stores/{slug}/history/notes.md?v=2&layout=unified",
        "agent's view": f"/stores/{slug}/agent-view/",
        "agent's view of a file": f"/stores/{slug}/agent-view/notes.md?range=1,2",
        "download": f"/files/{file_id}/download",
        "image": f"/files/{picture}/image",
    }


@pytest.mark.parametrize("role", [*Role, None])
def test_members_and_the_operator_reach_every_page_of_a_store(filled: MemoryStore, role: Role | None) -> None:
    client = browser_of(member(filled, role) if role else operator())

    answers = {name: client.get(address).status_code for name, address in addresses(filled).items()}

    assert set(answers.values()) == {200}, answers


@pytest.mark.parametrize("part", [False, True])
def test_somebody_who_is_no_member_meets_what_does_not_exist(filled: MemoryStore, part: bool) -> None:
    client = browser_of(stranger())
    headers = {"HX-Request": "true"} if part else {}

    looks = {name: client.get(address, headers=headers).status_code for name, address in addresses(filled).items()}
    acts = {verb: client.post(address).status_code for verb, address in actions(filled).items()}

    assert set(looks.values()) == {404}, looks
    assert set(acts.values()) == {404}, acts


def actions(store: MemoryStore) -> dict[str, str]:
    """Return where each action on the store and its file is sent."""
    file_id = MemoryEntry.objects.get(store=store, path="/memories/notes.md").uuid
    verbs = {verb: reverse(f"memories:{verb}", args=[file_id]) for verb in ("pin", "unpin", "lock", "unlock", "seen")}
    return verbs | {
        "note": reverse("memories:note", args=[file_id, 1]),
        "all seen": reverse("memories:all-seen", args=[store.slug]),
        "open a folder": reverse("memories:tree", kwargs={"slug": store.slug, "path": "customers"}),
        "settings": reverse("memories:store-settings", args=[store.slug]),
        "members": reverse("memories:members", args=[store.slug]),
    }


@pytest.mark.parametrize(
    ("role", "refused"),
    [
        (Role.VIEWER, {"pin", "unpin", "lock", "unlock", "note", "settings", "members"}),
        (Role.CURATOR, {"settings", "members"}),
        (Role.OWNER, set()),
    ],
)
def test_a_role_says_which_actions_are_refused(filled: MemoryStore, role: Role, refused: set[str]) -> None:
    client = browser_of(member(filled, role))

    answers = {verb: client.post(address).status_code for verb, address in actions(filled).items()}

    assert {verb for verb, status in answers.items() if status == 403} == refused
    assert 404 not in answers.values()


def test_a_viewer_is_offered_no_button_that_would_be_refused(filled: MemoryStore) -> None:
    viewer, curator = (browser_of(member(filled, role)) for role in (Role.VIEWER, Role.CURATOR))

    for address in (f"/stores/{filled.slug}/files/notes.md", f"/stores/{filled.slug}/history/notes.md"):
        assert page(curator, address).count('method="post"') > page(viewer, address).count('method="post"')
    assert "act-pin" not in page(viewer, f"/stores/{filled.slug}/files/notes.md")


def test_a_missing_store_and_a_foreign_one_answer_alike(filled: MemoryStore) -> None:
    client = browser_of(stranger())

    assert client.get("/stores/no-such-store/files/").status_code == 404
    assert client.get(f"/files/{uuid4()}/download").status_code == 404


def queries_of(client: Client, address: str, *, part: bool = False) -> int:
    page(client, address, part=part)
    with CaptureQueriesContext(
        connection,
    ) as seen:
        page(client, address, part=part)
    return len(seen)


@pytest.mark.parametrize("part", [False, True])
@pytest.mark.parametrize("name", ["root", "folder", "file", "raw", "filter", "history", "version", "agent's view"])
def test_more_rows_take_no_more_queries(filled: MemoryStore, name: str, part: bool) -> None:
    client = browser_of(member(filled, Role.OWNER))
    address = addresses(filled)[name]
    before = queries_of(client, address, part=part)

    for number in range(12, 40):
        write(filled, f"customers/c{number:02}.md", f"# Customer {number}\n")
        write(filled, "notes.md", f"one\n{number}\n")
        read_in_run(filled, "notes.md")

    assert queries_of(client, address, part=part) == before
    assert before <= 24


def test_the_tree_takes_one_query_for_each_open_folder_and_opens_only_so_many(store: MemoryStore) -> None:
    client = browser_of(operator())
    for number in range(OPEN_FOLDERS + 8):
        write(store, f"f{number:02}/x.md", "x")
    closed = queries_of(client, f"/stores/{store.slug}/files/")

    for number in range(OPEN_FOLDERS + 8):
        client.post(f"/stores/{store.slug}/tree/f{number:02}", {"open": "true"}, headers={"HX-Request": "true"})

    assert queries_of(client, f"/stores/{store.slug}/files/") == closed + OPEN_FOLDERS


def test_a_fragment_of_a_hundred_rows_is_small(store: MemoryStore) -> None:
    client = browser_of(operator())
    for number in range(100):
        write(store, f"progress/note-{number:03}.md", "x")

    fragment = page(client, f"/stores/{store.slug}/tree/progress", part=True)

    assert fragment.count('role="treeitem"') == 100
    assert len(fragment.encode()) <= 25 * KIB


def test_a_level_comes_in_stretches_that_join_without_gap_or_overlap(store: MemoryStore) -> None:
    client = browser_of(operator())
    names = [f"n{number:04}.md" for number in range(2 * FRAGMENT_ROWS + 50)]
    for name in names:
        write(store, f"many/{name}", "x")
    found: list[str] = []

    address: str | None = f"/stores/{store.slug}/tree/many"
    while address:
        fragment = page(client, address, part=True)
        found += [name for name in names if f">{name}<" in fragment]
        address = next((part.split('"')[0] for part in fragment.split('data-more href="')[1:]), None)

    assert found == names


def test_the_largest_pages_stay_below_a_hundred_kilobytes(store: MemoryStore) -> None:
    client = browser_of(operator())
    for number in range(300):
        write(store, f"many/a-file-with-a-longer-name-{number:03}.md", "x")
    write(store, "many/wide.md", "<" * 900_000)
    write(store, "many/blank.md", "\u200b" * 60_000)
    write(store, "many/list.md", "- *a* `b`\n" * 20_000)
    write(store, "many/lines.txt", "&&&\n" * 200_000)
    write(store, "many/lines.txt", "<<<\n" * 200_000)
    write(store, "many/list.md", "- <*a*> `b`\n" * 900)
    StoreSeen.objects.all().delete()
    pages = [
        "files/",
        "files/many",
        *(
            f"{kind}/many/{name}"
            for kind in ("files", "history", "agent-view")
            for name in ("wide.md", "blank.md", "list.md", "lines.txt")
        ),
    ]

    sizes = {name: len(page(client, f"/stores/{store.slug}/{name}").encode()) for name in pages}
    sizes["raw"] = len(page(client, f"/stores/{store.slug}/files/many/blank.md?view=raw").encode())
    sizes["unified"] = len(page(client, f"/stores/{store.slug}/history/many/list.md?layout=unified").encode())

    assert {name: size for name, size in sizes.items() if size > 100 * KIB} == {}
