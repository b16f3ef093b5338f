"""What the scripted demo model says of a memory that refuses: its answer follows from the results it received."""

import re
from pathlib import Path
from typing import Any

import pytest
from anthropic.tools import BetaLocalFilesystemMemoryTool, ToolError

from agents.demo import CODE_REVIEWER, SUPPORT_DESK
from tests.support.demo import TICKET, Conversation, Use, said

WRITES = ("create", "str_replace", "insert", "delete", "rename")
ACME = "# Acme Corp\n\n- Business tier, 240 seats\n- Prefers email\n"
MEMORY = {
    "customers/acme-corp.md": ACME,
    "index.md": "# Index\n\n- customers/acme-corp.md: Acme Corp\n",
    "lessons.md": "# Lessons\n\n- Ask for logs\n- Be kind\n- Ask twice for logs\n",
    "policies/tone.md": "# Tone\n\n- Thank the customer first\n- Answer within 2 days\n",
    "progress/ticket-77.md": "# Ticket 77\n\n- Customer: Acme Corp\n- Replies drafted: 1\n",
    "progress/open_threads.md": "# Open Threads\n\n- ticket-77: a login loop\n",
    "scratch/plan.md": "# Plan\n",
    "conventions.md": "# Review rules\n\n- Lines have at most 100 characters\n",
    "repos/billing/reviews.md": "# Reviews of billing\n\n- Reviews so far: 1\n- #902: 4 points, 1 broken\n",
}
ASKED = [
    (SUPPORT_DESK, "Remember that Acme Corp has 300 seats now."),
    (SUPPORT_DESK, "Remember that Globex likes tea."),
    (SUPPORT_DESK, "Forget everything you know about Acme Corp."),
    (SUPPORT_DESK, "Forget that we ask for logs"),
    (SUPPORT_DESK, "Acme Corp is now called Initech Ltd."),
    (SUPPORT_DESK, "Please clean up"),
    (SUPPORT_DESK, "Please close ticket 77."),
    (SUPPORT_DESK, "Reply to ticket 77 from Acme Corp."),
    (SUPPORT_DESK, "Reply to ticket 78 from Globex."),
    (CODE_REVIEWER, "Review billing #903"),
    (CODE_REVIEWER, "Review shipping #1"),
]
CLAIM = re.compile(r"^- (created|changed a line of|added to|deleted|renamed) ([^\s,]+)", re.MULTILINE)
VERBS = {
    "created": "create",
    "changed a line of": "str_replace",
    "added to": "insert",
    "deleted": "delete",
    "renamed": "rename",
}


class Refuses(BetaLocalFilesystemMemoryTool):
    """Refuses every use of some commands, or every use on some paths."""

    def __init__(self, base: Path, *commands: str, below: str = "/memories") -> None:
        super().__init__(str(base))
        self.commands = commands
        self.below = below

    def call(self, input: object) -> Any:
        assert isinstance(input, dict)
        path = str(input.get("path") or input.get("old_path"))
        if input["command"] in self.commands and path.startswith(self.below):
            raise ToolError(f"Error: {path} is locked by a person.")
        return super().call(input)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A folder with a memory in it."""
    for path, text in MEMORY.items():
        file = tmp_path / "memories" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def path_of(use: Use) -> str:
    return str(use.input.get("path") or use.input["old_path"]).removeprefix("/memories/")


@pytest.mark.parametrize("command", WRITES)
@pytest.mark.parametrize(("model", "asked"), ASKED)
def test_it_claims_no_change_that_was_refused_and_tells_each_refusal(
    base: Path, model: str, asked: str, command: str
) -> None:
    conversation = Conversation(model, Refuses(base, command))

    answer = conversation.say(asked)

    made = {(use.command, path_of(use)) for use in conversation.uses if not use.is_error}
    refused = {path_of(use) for use in conversation.uses if use.is_error and use.command == command}
    assert {(VERBS[verb], path) for verb, path in CLAIM.findall(answer)} <= made
    assert all(f"{path}: /memories/{path} is locked by a person" in answer for path in refused)


def test_what_was_refused_is_not_called_noted(base: Path) -> None:
    tool = Refuses(base, "str_replace")

    answer = said(SUPPORT_DESK, tool, "Remember that Acme Corp has 300 seats now.")

    assert answer.startswith("I could not note about Acme Corp: “Has 300 seats now”.")
    assert "Noted" not in answer


def test_the_index_does_not_list_a_file_that_could_not_be_made(base: Path) -> None:
    said(SUPPORT_DESK, Refuses(base, "create"), "Remember that Globex likes tea.")

    assert "globex" not in (base / "memories/index.md").read_text()


def test_the_index_keeps_listing_a_file_that_could_not_be_deleted(base: Path) -> None:
    answer = said(SUPPORT_DESK, Refuses(base, "delete"), "Forget everything you know about Acme Corp.")

    assert (base / "memories/index.md").read_text() == MEMORY["index.md"]
    assert "could not delete customers/acme-corp.md" in answer


def test_of_several_lines_the_one_that_stays_is_told(base: Path) -> None:
    answer = said(SUPPORT_DESK, RefusesOnce(base), "Forget that we ask for logs")

    assert "could not change lessons.md: it is locked by a person" in answer
    assert "changed a line of lessons.md" in answer


class RefusesOnce(BetaLocalFilesystemMemoryTool):
    """Refuses the first change of a line."""

    def __init__(self, base: Path) -> None:
        super().__init__(str(base))
        self.is_locked = True

    def str_replace(self, command: Any) -> str:
        if self.is_locked:
            self.is_locked = False
            raise ToolError("Error: it is locked by a person.")
        return super().str_replace(command)


@pytest.mark.parametrize(
    ("asked", "claim"),
    [
        ("Please clean up", "The memory is tidy."),
        ("Please close ticket 77.", "Ticket 77 is closed."),
    ],
)
def test_nothing_is_called_tidy_while_something_is_left(base: Path, asked: str, claim: str) -> None:
    assert claim not in said(SUPPORT_DESK, Refuses(base, "delete"), asked)
    assert claim in said(SUPPORT_DESK, Refuses(base), asked)


def test_a_customers_file_is_called_started_only_if_it_is(base: Path) -> None:
    refused = said(SUPPORT_DESK, Refuses(base, "create"), "Reply to ticket 78 from Globex.")
    made = said(SUPPORT_DESK, Refuses(base), "Reply to ticket 78 from Globex.")

    assert "My memory had no file about Globex, so I quote nothing." in refused
    assert "My memory had no file about Globex, so I quote nothing and started one." in made


@pytest.mark.parametrize(
    ("model", "asked"), [*ASKED, (SUPPORT_DESK, "How many seats does Acme have?"), (SUPPORT_DESK, "Hi")]
)
def test_a_memory_that_cannot_be_looked_at_is_not_called_empty(base: Path, model: str, asked: str) -> None:
    conversation = Conversation(model, Refuses(base, "view"))

    answer = conversation.say(asked)

    assert answer == (
        "I could not look at my memory, so I neither know nor changed anything: /memories is locked by a person."
    )
    assert [use.command for use in conversation.uses] == ["view"]


@pytest.mark.parametrize(
    ("model", "asked", "path", "false_claim"),
    [
        (SUPPORT_DESK, "Forget that Acme Corp prefers email", "customers/acme-corp.md", "My memory holds nothing"),
        (SUPPORT_DESK, "How many seats does Acme Corp have?", "customers/acme-corp.md", "says nothing about that"),
        (SUPPORT_DESK, "Please close ticket 99.", "progress/open_threads.md", "My memory holds nothing"),
        (SUPPORT_DESK, TICKET, "customers/acme-corp.md", "My memory had no file"),
        (SUPPORT_DESK, TICKET, "policies/tone.md", "My memory holds no policy"),
        (CODE_REVIEWER, "Review billing #903", "conventions.md", "My memory holds no conventions.md"),
    ],
)
def test_a_file_that_cannot_be_read_is_not_called_empty(
    base: Path, model: str, asked: str, path: str, false_claim: str
) -> None:
    answer = said(model, Refuses(base, "view", below=f"/memories/{path}"), asked)

    assert f"I could not read {path}: /memories/{path} is locked by a person." in answer
    assert false_claim not in answer
