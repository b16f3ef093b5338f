"""What the largest answers about a file take: 100 KB at most, whatever stands in it."""

import re
from html import unescape
from urllib.parse import urljoin

import pytest
from django.test import Client
from django.urls import reverse

from memories.actors import Actor, ActorKind
from memories.models import MemoryEntry, MemoryStore
from memories.store.notes import set_note
from memories.views.trails import PAGE_VERSIONS
from tests.support.files import page, read_in_run, url_of, write
from tests.support.people import browser_of, operator

pytestmark = pytest.mark.django_db

KIB = 1024
LONGEST_PATH = "/".join(["東" * 80] * 4)

LINES = {
    "hidden characters": "a\u200b" * 500,
    "one hidden character a line": "\u202e",
    "words in other alphabets": "p\u0430y " * 250,
    "marks stacked on letters": "e\u0301\u0301\u0301\u0301\u0301" * 160,
    "characters to be escaped": "\"'<&" * 250,
    "letters of three bytes": "東" * 1_000,
    "emoji": "🎉" * 1_000,
    "plain words": "tea and milk " * 76,
    "next to nothing": "",
}
"""Lines that take much room on a page, each for another reason."""


ATTRIBUTIONS = ("?view=blame", "?view=blame&line=1", "?view=blame&from=300", "?view=readers&line=1")


@pytest.fixture
def browser() -> Client:
    """The operator's browser."""
    return browser_of(operator())


def history_of(store: MemoryStore, path: str, **query: object) -> str:
    address = reverse("memories:history", kwargs={"slug": store.slug, "path": path})
    return address + "?" + "&".join(f"{key}={value}" for key, value in query.items())


def changed(line: str) -> tuple[str, str]:
    """Return two texts of many such lines, half of which changed in the middle."""
    count = min(600, 200_000 // (2 * len(line.encode()) + 10))
    halves = line[: len(line) // 2], line[len(line) // 2 :]
    old = [f"{number} {halves[0]}one{halves[1]}\n" for number in range(count)]
    new = [text.replace("one", "two") if number % 2 else text for number, text in enumerate(old)]
    return "".join(old), "".join(new)


def too_large(sizes: dict[str, int]) -> dict[str, int]:
    return {name: size for name, size in sizes.items() if size > 100 * KIB}


def pages_of(browser: Client, address: str, most: int) -> list[str]:
    """Return the first pages of a diff, each as htmx gets it."""
    found: list[str] = []
    following: re.Match[str] | None = None
    while not found or (following and len(found) < most):
        address = urljoin(address, unescape(following[1])) if following else address
        found.append(page(browser, address, part=True))
        following = re.search(r'<span>Page \d+ of \d+</span><a href="([^"]+)"', found[-1])
    return found


@pytest.mark.parametrize("layout", ["split", "unified"])
@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_every_page_of_a_diff_stays_below_a_hundred_kilobytes(
    store: MemoryStore, browser: Client, line: str, layout: str
) -> None:
    for version in (*changed(line[:100]), *changed(line)):
        write(store, "a.md", version)

    sizes = {}
    for number in (2, 3, 4):
        address = history_of(store, "a.md", v=number, layout=layout)
        sizes[f"version {number}"] = len(page(browser, address).encode())
        for place, fragment in enumerate(pages_of(browser, address, most=6)):
            sizes[f"version {number}, page {place}"] = len(fragment.encode())

    assert len(sizes) > 6
    assert too_large(sizes) == {}


@pytest.mark.parametrize("layout", ["split", "unified"])
def test_folds_of_a_file_with_a_long_path_take_no_more(store: MemoryStore, browser: Client, layout: str) -> None:
    lines = [f"line {number}\n" for number in range(2_000)]
    write(store, LONGEST_PATH, "".join(lines))
    write(store, LONGEST_PATH, "".join(lines[:-1]).replace("0\n", "changed\n"))
    opened = ",".join(f"{number}-{number}" for number in range(1_005, 1_505, 10))

    fragment = page(browser, history_of(store, LONGEST_PATH, layout=layout, open=opened), part=True)

    assert fragment.count('class="folded"') > 3
    assert len(fragment.encode()) <= 100 * KIB


def test_a_list_of_versions_takes_no_more_whatever_they_are_called(store: MemoryStore, browser: Client) -> None:
    for number in range(PAGE_VERSIONS + 1):
        write(store, "a.md", "\u200ba" * 60 + f"{number}\n")
    entry = MemoryEntry.objects.get(store=store, path="/memories/a.md")
    for number in range(1, 20):
        set_note(entry.pk, number, "\u202ea" * 512)

    sizes = {str(number): len(page(browser, history_of(store, "a.md", v=number)).encode()) for number in (1, 25)}

    assert too_large(sizes) == {}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_every_page_of_a_file_stays_below_a_hundred_kilobytes(store: MemoryStore, browser: Client, line: str) -> None:
    text = f"{line}\n" * min(600, 900_000 // (len(line.encode()) + 1))
    write(store, "lines.md", text)
    write(store, "one.md", text.replace("\n", ""))

    sizes = {}
    for name in ("lines.md", "one.md"):
        for view in ("", "?line=1", "?view=raw", "?view=raw&from=300", *ATTRIBUTIONS):
            sizes[name + view] = len(page(browser, url_of(store, name) + view).encode())
        agent_view = reverse("memories:agent-view", kwargs={"slug": store.slug, "path": name})
        sizes[f"{name} as an agent sees it"] = len(page(browser, agent_view).encode())

    assert too_large(sizes) == {}


@pytest.mark.parametrize("name", ["\u200b" * 255, "\u202ea" * 127, "\"'<&" * 63, "p\u0430y " * 63, "東" * 255])
def test_lines_that_each_come_from_somebody_else_take_no_more(store: MemoryStore, browser: Client, name: str) -> None:
    lines = [f"line {number} of the memory\n" for number in range(300)]
    for number in range(0, 300, 2):
        lines[number] = f"changed {number} and again\n"
        write(store, LONGEST_PATH, "".join(lines), actor=Actor(ActorKind.AGENT, name, turn=number + 1))
        read_in_run(store, LONGEST_PATH, turn=number + 1)

    views = ("?view=blame", "?view=blame&from=100", "?view=blame&version=2", "?view=readers&line=1", "")
    sizes = {view: len(page(browser, url_of(store, LONGEST_PATH) + view).encode()) for view in views}

    assert too_large(sizes) == {}
