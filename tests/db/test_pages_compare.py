"""Comparing stores and moments, and taking what is chosen: the page says what it would do, and does no more."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from memories import store as memory_store
from memories.commands import Create, Lock
from memories.models import Member, MemoryStore, Role
from memories.paths import MemoryPath
from tests.support.files import at, page, remove, write
from tests.support.people import browser_of, member, stranger
from tests.support.stores import AGENT, PERSON, files_of, new_store

pytestmark = pytest.mark.django_db


@pytest.fixture
def staging(db: None) -> MemoryStore:
    """The store that files are taken from: a file is added, one changed, one moved and one removed there."""
    memory = new_store()
    write(memory, "added.md", "new\n")
    write(memory, "changed.md", "there\n")
    write(memory, "moved/to.md", "same\n")
    write(memory, "equal.md", "equal\n")
    return memory


@pytest.fixture
def live(staging: MemoryStore) -> MemoryStore:
    """The store that files are taken into."""
    memory = new_store()
    write(memory, "changed.md", "here\n")
    write(memory, "from.md", "same\n")
    write(memory, "equal.md", "equal\n")
    write(memory, "removed.md", "old\n")
    return memory


@pytest.fixture
def curator(staging: MemoryStore, live: MemoryStore) -> User:
    """A curator of the target who may look at the source."""
    user = member(live, Role.CURATOR)
    Member.objects.create(store=staging, user=user, role=Role.VIEWER)
    return user


@pytest.fixture
def browser(curator: User) -> Client:
    """The curator's browser."""
    return browser_of(curator)


def address(source: MemoryStore, target: MemoryStore, **more: object) -> str:
    """Return the address of a comparison."""
    asked = {"source": source.slug, "target": target.slug, **more}
    return "/compare/?" + "&".join(f"{key}={value}" for key, value in asked.items())


def fields(html: str) -> dict[str, list[str]]:
    """Return what the form of the page would send, boxes as they are."""
    form = html.partition('method="post" action="/compare/"')[2].partition("</form>")[0]
    sent: dict[str, list[str]] = {}
    for tag in re.findall(r"<input [^>]*>", form):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        if name and value and ("checkbox" not in tag or " checked" in tag):
            sent.setdefault(name[1], []).append(value[1])
    return sent


def boxes(html: str) -> dict[str, str]:
    """Return the key of each file that can be chosen, by what the box says."""
    return {label: key for key, label in re.findall(r'name="take" value="(\w+)"[^>]*aria-label="Take (\S+)', html)}


def paths(memory: MemoryStore) -> list[str]:
    """Return the files of a store."""
    return [MemoryPath(path).relative for path in sorted(files_of(memory))]


def test_all_kinds_are_listed_counted_and_filtered(browser: Client, staging: MemoryStore, live: MemoryStore) -> None:
    html = page(browser, address(staging, live))
    moved = page(browser, address(staging, live, kind="moved"))

    assert "4 of 5 files differ" in html
    assert re.findall(r'aria-pressed="\w+">(\w+ \d)<', html) == [
        "All 4",
        "Added 1",
        "Changed 1",
        "Removed 1",
        "Moved 1",
    ]
    assert list(boxes(html)) == ["added.md", "changed.md", "moved/to.md", "removed.md"]
    assert list(boxes(moved)) == ["moved/to.md"]
    assert "1 file is the same." in html
    assert re.findall(r'<td class="[ad]">(\w+)\s*</td>', html) == ["new", "here", "there", "old"]


def test_what_is_chosen_is_taken_as_one_act_with_undo(browser: Client, staging: MemoryStore, live: MemoryStore) -> None:
    html = page(browser, address(staging, live))
    keys = boxes(html)
    before = files_of(live)

    answer = browser.post(
        "/compare/", fields(html) | {"take": [keys["added.md"], keys["changed.md"], keys["moved/to.md"]]}, follow=True
    )

    assert f"Taken into {live.name}: 1 new version, 1 new file, 1 rename." in answer.content.decode()
    assert paths(live) == ["added.md", "changed.md", "equal.md", "moved/to.md", "removed.md"]
    assert paths(staging) == ["added.md", "changed.md", "equal.md", "moved/to.md"]
    browser.post(re.findall(r'action="(/acts/[^"]*/undo)"', answer.content.decode())[0])
    assert files_of(live) == before


def test_everything_chosen_at_once_is_taken_but_for_what_was_unticked(
    browser: Client, staging: MemoryStore, live: MemoryStore
) -> None:
    html = page(browser, address(staging, live))
    chosen = browser.post("/compare/", fields(html) | {"go": "base:every"}, follow=True).content.decode()
    sent = fields(chosen)
    assert len(sent["take"]) == 4
    sent["take"].remove(boxes(chosen)["removed.md"])

    browser.post("/compare/", sent)

    assert paths(live) == ["added.md", "changed.md", "equal.md", "moved/to.md", "removed.md"]


def test_choices_go_along_to_other_pages_and_filters_but_not_through_a_swap(
    browser: Client, staging: MemoryStore, live: MemoryStore
) -> None:
    with memory_store.locked(staging.pk) as tx:
        for number in range(40):
            tx.apply(Create(at(f"notes/{number:02}.md"), f"{number}"), actor=AGENT)
    html = page(browser, address(staging, live))
    key = boxes(html)["changed.md"]
    following = re.findall(r'value="(first:\d+)">Next', html)[0]

    second = browser.post("/compare/", fields(html) | {"take": key, "go": following}, follow=True)
    added = browser.post("/compare/", fields(second.content.decode()) | {"go": "kind:added"}, follow=True)

    for answer in (second, added):
        assert "1 chosen on other pages." in answer.content.decode()
        assert key in answer.request["QUERY_STRING"]
    swapped = page(browser, re.findall(r'href="(/compare/[^"]*swapped=1)"', html)[0].replace("&amp;", "&"))
    assert "The sides are swapped. Nothing is chosen now." in swapped
    assert "checked" not in swapped
    browser.post("/compare/", fields(second.content.decode()))
    assert files_of(live)[at("changed.md").text] == b"there\n"
    assert "added.md" not in paths(live)


@pytest.mark.parametrize("everything", [False, True])
def test_what_changed_meanwhile_is_shown_anew_and_nothing_is_done(
    browser: Client, staging: MemoryStore, live: MemoryStore, everything: bool
) -> None:
    html = page(browser, address(staging, live, **({"base": "every"} if everything else {})))
    sent = fields(html) | {"take": list(boxes(html).values())}
    write(live, "changed.md", "here, later\n", actor=AGENT)
    before = files_of(live)

    answer = browser.post("/compare/", sent)

    assert answer.status_code == 409
    assert "nothing was taken" in answer.content.decode()
    assert files_of(live) == before
    again = fields(answer.content.decode())
    assert len(again.get("take", [])) == (0 if everything else 3)
    if not everything:
        assert browser.post("/compare/", again).status_code == 302
        assert paths(live) == ["added.md", "changed.md", "equal.md", "moved/to.md"]


def test_a_locked_file_is_refused_with_the_reason(browser: Client, staging: MemoryStore, live: MemoryStore) -> None:
    html = page(browser, address(staging, live))
    memory_store.apply(live.pk, Lock(at("changed.md")), actor=PERSON)

    answer = browser.post("/compare/", fields(html) | {"take": boxes(html)["changed.md"]})

    assert answer.status_code == 409
    again = page(browser, address(staging, live))
    assert "Refused: <bdi>changed.md is locked</bdi>" in again
    assert "changed.md" not in boxes(again)
    assert files_of(live)[at("changed.md").text] == b"here\n"


def test_a_store_is_compared_with_itself_at_a_date(browser: Client, live: MemoryStore) -> None:
    live.refresh_from_db()
    seq = live.seq
    live.versions.update(authored_at=timezone.now() - timedelta(days=2))
    remove(live, "removed.md")
    asked = {"source": live.slug, "target": live.slug, "target_on": "", "target_was": f"{live.slug} "}
    on = timezone.localtime(timezone.now() - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%S")

    then = browser.get("/compare/", asked | {"source_on": on})
    html = page(browser, then["Location"])

    assert then["Location"] == f"/compare/?source={live.slug}&source_at={seq}&target={live.slug}"
    assert list(boxes(html)) == ["removed.md"]
    back = page(browser, address(live, live, target_at=seq))
    assert "A moment in the past can only be a source." in back
    assert boxes(back) == {}
    assert "Both sides are the same" in page(browser, address(live, live))


def test_who_may_see_and_who_may_take(browser: Client, staging: MemoryStore, live: MemoryStore) -> None:
    html = page(browser, address(staging, live))
    sent = fields(html) | {"take": boxes(html)["added.md"]}
    back = page(browser, address(live, staging))
    key = boxes(html)["added.md"]

    assert "You can look at" in back
    assert boxes(back) == {}
    refused = {"source": live.slug, "target": staging.slug, "take": key}
    assert browser.post("/compare/", refused).status_code == 403
    for outsider in (
        browser_of(stranger()),
        browser_of(member(live, Role.OWNER)),
        browser_of(member(staging, Role.OWNER)),
    ):
        assert outsider.get(address(staging, live)).status_code == 404
        assert outsider.get(address(staging, live).replace("/?", f"/file?key={key}&")).status_code == 404
        assert outsider.post("/compare/", sent).status_code == 404
    assert "Choose two sides" in page(browser_of(stranger()), "/compare/")
    assert "Choose two sides" in page(browser, f"/compare/?target={live.slug}")


def test_pages_stay_small_with_many_long_names_and_texts(
    browser: Client, staging: MemoryStore, live: MemoryStore, django_assert_max_num_queries: object
) -> None:
    names = ["/".join(["ä" * 110] * 4 + [f"{number}.md"]) for number in range(30)]
    with memory_store.locked(staging.pk) as tx:
        for name in names:
            tx.apply(Create(MemoryPath.parse(f"/memories/{name}"), '"&<\n' * 1_500), actor=AGENT)
    page(browser, address(staging, live))

    with django_assert_max_num_queries(18):  # type: ignore[operator]
        html = page(browser, address(staging, live, kind="added"))

    assert len(html.encode()) < 100_000
    whole = re.findall(r'href="(/compare/file\?[^"]*)"', html)[0].replace("&amp;", "&")
    assert 'page=2"' in page(browser, whole)


def test_a_form_that_names_a_store_as_none_can_be_called_finds_none(browser: Client, live: MemoryStore) -> None:
    asked = {"source": "a\0b", "target": live.slug, "print": ""}

    assert browser.post("/compare/", asked).status_code == 404
    assert browser.post("/replace", {"find": "x", "put": "y", "in": "some", "store": "a\0b"}).status_code == 404


@pytest.mark.parametrize("moment", ["0001-01-01T00:00+14:00", "9999-12-31T23:50-14:00", "9999-12-31"])
def test_a_moment_at_an_end_of_time_is_answered(browser: Client, live: MemoryStore, moment: str) -> None:
    asked = {"source": live.slug, "target": live.slug, "source_on": moment, "target_on": ""}

    assert browser.get("/compare/", asked).status_code == 302
    assert browser.get(f"/stores/{live.slug}/time/", {"date": moment}).status_code == 302
