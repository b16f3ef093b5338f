"""The past of the release notes writer: a made-up program elsewhere that uses the memory tool through the API."""

from agents.demo.history.acts import Act, Called, Did, Edited, Looked, World
from agents.demo.history.moments import At
from agents.demo.turns import create, delete, insert, rename, str_replace, view
from agents.models import Place
from memories.commands import Lock
from memories.paths import MemoryPath

LABEL = "release pipeline"
ROOT = "/memories"
STYLE, NEXT = f"{ROOT}/style.md", f"{ROOT}/releases/next.md"
GLOSSARY, UPGRADES = f"{ROOT}/glossary.md", f"{ROOT}/upgrade-steps.md"


def _release(number: str) -> str:
    return f"{ROOT}/releases/{number}.md"


ACTS: tuple[Act, ...] = (
    Called(
        At(40, "17:02"),
        LABEL,
        (
            view(ROOT),
            create(STYLE, "# Style\n\n- One line a change, in the present tense\n- Name the page, not the module\n"),
            create(
                GLOSSARY, "# Words for readers\n\n- job: what the code calls a task\n- seat: a user with a licence\n"
            ),
            create(NEXT, "# Next release\n\n- Export: invoices can be split by month\n"),
        ),
    ),
    Called(
        At(37, "17:01"), LABEL, (view(STYLE), view(NEXT), insert(NEXT, 3, "- Sign-in: codes live for 15 minutes\n"))
    ),
    Called(
        At(35, "17:04"),
        LABEL,
        (
            view(NEXT),
            str_replace(NEXT, "# Next release", "# Release 2.14"),
            rename(NEXT, _release("2.14")),
            create(UPGRADES, "# Steps when upgrading\n\n- 2.14: none\n"),
        ),
    ),
    Edited(
        At(34, "10:22"),
        "mara",
        STYLE,
        "- Name the page, not the module\n",
        "- Name the page, not the module\n- Fixes last, security first\n",
        note="Order of the list",
    ),
    Called(At(30, "17:02"), LABEL, (view(STYLE), create(NEXT, "# Next release\n\n- Import: apostrophes are kept\n"))),
    Called(At(27, "17:03"), LABEL, (view(NEXT), insert(NEXT, 3, "- Calendar: the week starts where you live\n"))),
    Called(
        At(25, "17:02"),
        LABEL,
        (
            view(NEXT),
            str_replace(NEXT, "# Next release", "# Release 2.15"),
            rename(NEXT, _release("2.15")),
            view(UPGRADES),
            insert(UPGRADES, 3, "- 2.15: run the import of contacts once more\n"),
        ),
    ),
    Edited(
        At(24, "09:18"),
        "mara",
        _release("2.15"),
        "apostrophes are kept",
        "names with an apostrophe are no longer imported twice",
        note="Says what a reader sees",
    ),
    Called(At(20, "17:05"), LABEL, (view(STYLE), create(NEXT, "# Next release\n\n- Crew lists print by rank\n"))),
    Called(
        At(18, "17:02"),
        LABEL,
        (create(f"{ROOT}/drafts/newsletter.md", "# Newsletter\n\nWhat is new since 2.14, in three sentences.\n"),),
    ),
    Called(At(15, "17:01"), LABEL, (view(f"{ROOT}/drafts/newsletter.md"), delete(f"{ROOT}/drafts"))),
    Called(
        At(12, "17:03"),
        LABEL,
        (
            view(NEXT),
            insert(NEXT, 3, "- Waiting lists can be shown to receptionists\n"),
            str_replace(NEXT, "# Next release", "# Release 2.16"),
            rename(NEXT, _release("2.16")),
            view(UPGRADES),
            insert(UPGRADES, 4, "- 2.16: none\n"),
        ),
    ),
    Did(At(10, "11:02"), "mara", Lock(MemoryPath.parse(_release("2.14")))),
    Called(At(7, "17:02"), LABEL, (view(STYLE), view(GLOSSARY), create(NEXT, "# Next release\n\n- Faster search\n"))),
    Called(At(4, "17:02"), LABEL, (view(NEXT), insert(GLOSSARY, 4, "- rota: the list of shifts\n"))),
    Looked(),
    Called(
        At(1, "17:02"),
        LABEL,
        (view(STYLE), view(NEXT), str_replace(NEXT, "- Faster search", "- Search: answers come twice as fast")),
    ),
)

RELEASE_NOTES = World(
    name="Release notes writer",
    slug="release-notes-writer",
    description="Scripted demo: a made-up program elsewhere that keeps release notes here.",
    since=At(40, "16:40"),
    acts=ACTS,
    place=Place.API,
)
