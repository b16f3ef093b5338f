"""A store of 1,000 files in good order, with faults planted among them: each is listed once, and nothing else is."""

import re
from collections import Counter
from random import Random

import pytest
from django.test import Client
from django.utils import timezone

from memories.health.findings import Kind, Report
from memories.health.looking import look
from memories.models import MemoryStore, Role
from tests.support.files import page, write
from tests.support.people import browser_of, member

pytestmark = pytest.mark.django_db

FILES = 1_000
FOLDERS = ("customers", "projects/alpha", "projects/beta notes", "lehren/größe", "people")
WORDS = ("order", "invoice", "office", "window", "coffee", "contract", "delivery", "garden", "train", "island", "paper")
TEMPLATE = [f"- {field}: see below for what is known" for field in ("Owner", "Contact", "Since", "Plan", "Notes")]
ROW = re.compile(r'class="badge \w*"><svg.*?</svg>([^<]+)</span></td><td class="path"><a.*?<bdi>(.*?)</bdi>')


class Planted:
    """The faults by their kinds: the files in which each has to be listed, once for each time it stands there."""

    def __init__(self, random: Random) -> None:
        self.files = {f"{random.choice(FOLDERS)}/{number}.md": self._body(random, number) for number in range(FILES)}
        self.found: dict[Kind, Counter[str]] = {kind: Counter() for kind in Kind}
        self.twins: list[set[str]] = []
        self._random, self._sound = random, list(self.files)
        random.shuffle(self._sound)
        self.index = "# Index\n" + "".join(f"- {folder}/\n" for folder in (*FOLDERS, "copies"))

    def good_links(self) -> None:
        """Have many files name others in every way there is, and name what is no file of the store."""
        for path in self._random.sample(list(self.files), 300):
            other = self._random.choice(list(self.files))
            up = "../" * path.count("/")
            self.files[path] += self._random.choice(
                [
                    f"See [that]({up}{other.replace(' ', '%20')}#top) and [this](<{other}>).\n",
                    f"See [[{other}]], [[{other.removesuffix('.md')}|that one]] and /memories/{other.split(' ')[0]}/.\n"
                    if " " not in other
                    else f"See [[{other}]].\n",
                    "See https://example.org/memories/no.md, [mail](mailto:a@b.c) and [top](#top).\n",
                    "Write to /memories/customers/<name>.md or /memories/{year}/{month}.md.\n",
                    "```python\nseen[[0]] = [a](gone.md)\n```\n",
                ]
            )

    def duplicates(self, count: int) -> None:
        """Copy files, some three times, as they are or with a few lines of their own."""
        for number in range(count):
            path = self._sound.pop()
            copies = [f"copies/{number}-{copy}.md" for copy in range(1 + number % 2)]
            for copy in copies:
                text = self.files[path]
                if number % 3:
                    text = text.upper().replace("- ", "* ") + f"What copy {copy} alone says in one line.\n"
                self.files[copy] = text
            self.twins.append({path, *copies})

    def broken_links(self, count: int) -> None:
        for number in range(count):
            path = self._sound.pop()
            written = [
                f"[it](gone-{number}.md)",
                f"[[Gone note {number}]]",
                f"the file /memories/gone/{number}.md.",
                f"[it](</memories/gone {number}.md> 'title') and again [it](</memories/gone {number}.md>)",
            ][number % 4]
            self.files[path] += f"Now see {written}\n"
            self.found[Kind.LINK][path] += 1

    def orphans(self, count: int) -> None:
        """Write files that the index does not name, and the index, which names all other folders and is long."""
        for number in range(count):
            self.files[f"orphan-{number}.md"] = self._body(self._random, FILES + number)
            self.found[Kind.UNLISTED][f"orphan-{number}.md"] += 1
        self.files[".plan/hidden.md"] = "Agents do not list this.\n"
        # Claude Code takes 200 lines of it into a session.
        self.files["MEMORY.md"] = self.index + "".join(f"- {line}\n" for line in range(200))
        self.found[Kind.LONG]["MEMORY.md"] += 1

    def long_files(self, count: int) -> None:
        for number in range(count):
            path = self._sound.pop()
            self.files[path] += "".join(f"Line {line} of long file {number} is here.\n" for line in range(600))
            self.found[Kind.LONG][path] += 1

    @staticmethod
    def _body(random: Random, number: int) -> str:
        own = [f"- {number}.{line}: {' '.join(random.sample(WORDS, 5))}" for line in range(random.randrange(3, 12))]
        # Files of a template share its lines, which makes no two of them near-duplicates.
        return "\n".join([f"# Note {number} on what came up", *TEMPLATE[: len(own) // 2], *own]) + "\n"


@pytest.fixture(params=[1, 2])
def planted(request: pytest.FixtureRequest, store: MemoryStore) -> Planted:
    planted = Planted(Random(request.param))
    planted.duplicates(12)
    planted.good_links()
    planted.broken_links(12)
    planted.long_files(4)
    planted.orphans(9)
    for path, text in planted.files.items():
        write(store, path, text)
    return planted


def listed(browser: Client, store: MemoryStore, kind: Kind) -> Counter[str]:
    """Return the files that the pages of a kind list."""
    found: Counter[str] = Counter()
    for number in range(1, 9):
        html = page(browser, f"/stores/{store.slug}/health?kind={kind}&page={number}")
        rows = ROW.findall(html)
        assert {label for label, _ in rows} <= {kind.words}
        found.update(path for _, path in rows)
        if "Next" not in html:
            break
    return found


def names(report: Report, ids: set[int]) -> set[str]:
    return {report.files[key].path.removeprefix("/memories/") for key in ids}


def test_each_planted_fault_is_listed_once_and_nothing_else(store: MemoryStore, planted: Planted) -> None:
    browser = browser_of(member(store, Role.CURATOR))
    assert store.entries.files().count() > FILES

    report = look(store, [], timezone.now())
    twins = [each.twins for each in report.of(Kind.TWINS, aside=False) if each.twins]

    assert report.twins_complete
    groups = [names(report, {pair.one, pair.other, *pair.rest}) for pair in twins]
    assert sorted(map(sorted, groups)) == sorted(map(sorted, planted.twins))
    for kind in (Kind.LONG, Kind.LINK, Kind.UNLISTED, Kind.UNREAD):
        assert listed(browser, store, kind) == planted.found[kind], kind
    on_page = listed(browser, store, Kind.TWINS)
    assert on_page.total() == len(planted.twins)
    assert all(sum(path in group for path in on_page) == 1 for group in planted.twins)
    html = page(browser, f"/stores/{store.slug}/health")
    total = len(planted.twins) + sum(found.total() for found in planted.found.values())
    assert f"{total} findings in" in html
    assert len(html.encode()) < 100_000


def test_once_mended_nothing_is_listed_any_more(store: MemoryStore, planted: Planted) -> None:
    mended = {path for paths in (*planted.found.values(), *planted.twins) for path in paths}
    for path in mended:
        write(store, path, f"Only this is left of {path}.\n")
    write(store, "MEMORY.md", planted.index + "".join(f"- {name}\n" for name in planted.found[Kind.UNLISTED]))

    report = look(store, [], timezone.now())

    assert [(each.kind, each.file.path) for each in report.findings] == []
