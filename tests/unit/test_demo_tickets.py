"""What the scripted demo model does with a ticket: it works with all commands, and mends what goes wrong."""

from pathlib import Path

import pytest

from agents.demo import CODE_REVIEWER, SUPPORT_DESK
from tests.support.demo import TICKET, Conversation, Tool, commands, files, put, said

ACME = "# Acme Corp\n\n- Business tier, 240 seats, renews 12 December\n- Prefers email follow-ups over calls\n"
DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1,1 +1,3 @@\n+print(1)\n+ok = 2\n"


def test_one_ticket_on_an_empty_memory_uses_all_six_commands(tool: Tool, folder: Path) -> None:
    conversation = Conversation(SUPPORT_DESK, tool)

    conversation.say(TICKET)

    assert commands(conversation) == {"view", "create", "str_replace", "insert", "delete", "rename"}
    assert set(files(folder)) == {
        "customers/acme-corp.md",
        "index.md",
        "lessons.md",
        "policies/refund_policies.xml",
        "policies/tone.md",
        "progress/open_threads.md",
        "progress/ticket-4821.md",
    }


def test_a_ticket_makes_several_calls_in_one_turn_and_says_something_in_every_turn(
    tool: Tool,
) -> None:
    conversation = Conversation(SUPPORT_DESK, tool)

    conversation.say(TICKET)

    turns = [[block["type"] for block in answer["content"]] for answer in conversation.answers]
    assert all(kinds[0] == "text" for kinds in turns)
    assert max(kinds.count("tool_use") for kinds in turns) >= 3
    assert conversation.answers[-1]["stop_reason"] == "end_turn"


def test_an_insert_beyond_the_end_is_mended_with_a_look_at_the_file(tool: Tool, folder: Path) -> None:
    put(folder, "progress/open_threads.md", "# Open Threads\n\n- ticket-1: a login loop\n")
    conversation = Conversation(SUPPORT_DESK, tool)

    conversation.say(TICKET)

    of_threads = [(use.command, use.is_error) for use in conversation.uses if "open_threads" in str(use.input)]
    assert of_threads == [("insert", True), ("view", False), ("insert", False)]
    assert files(folder)["progress/open_threads.md"] == (
        "# Open Threads\n\n- ticket-1: a login loop\n- ticket-4821: The export job fails (Acme Corp)\n"
    )


def test_a_create_on_an_existing_file_is_mended_by_changing_that_file(tool: Tool, folder: Path) -> None:
    said(CODE_REVIEWER, tool, "Review billing #902", DIFF)
    conversation = Conversation(CODE_REVIEWER, tool)

    conversation.say("Review billing #903", DIFF)

    of_reviews = [(use.command, use.is_error) for use in conversation.uses if "reviews.md" in str(use.input)]
    assert of_reviews == [("create", True), ("view", False), ("str_replace", False), ("insert", False)]
    assert files(folder)["repos/billing/reviews.md"] == (
        "# Reviews of billing\n\n- Reviews so far: 2\n- #902: 4 points, 1 broken\n- #903: 4 points, 1 broken\n"
    )


def test_a_second_reply_to_a_ticket_is_counted_and_leaves_no_draft(tool: Tool, folder: Path) -> None:
    said(SUPPORT_DESK, tool, TICKET)
    before = files(folder)

    said(SUPPORT_DESK, tool, TICKET)

    assert set(files(folder)) == set(before)
    assert "- Replies drafted: 2\n" in files(folder)["progress/ticket-4821.md"]
    assert files(folder)["progress/open_threads.md"] == before["progress/open_threads.md"]


def test_what_an_interrupted_run_left_behind_is_cleaned_up(tool: Tool, folder: Path) -> None:
    put(folder, "scratch/ticket-4821-plan.md", "# Plan for Ticket 4821\n\n- read what is known\n")
    put(folder, "progress/ticket-4821.draft.md", "# Ticket 4821\n\n- Status: draft\n- Replies drafted: 1\n")

    said(SUPPORT_DESK, tool, TICKET)

    left = files(folder)
    assert not [path for path in left if "draft" in path or "scratch" in path]
    assert "reply drafted, not sent" in left["progress/ticket-4821.md"]


def test_a_closed_ticket_leaves_no_notes(tool: Tool, folder: Path) -> None:
    said(SUPPORT_DESK, tool, TICKET)

    said(SUPPORT_DESK, tool, "Please close ticket 4821.")

    assert "progress/ticket-4821.md" not in files(folder)
    assert files(folder)["progress/open_threads.md"] == "# Open Threads\n\n"


def test_the_customer_may_stand_in_the_attachment_alone(tool: Tool, folder: Path) -> None:
    put(folder, "customers/globex.md", "# Globex\n\n- 75 seats\n")

    answer = said(SUPPORT_DESK, tool, "Answer this mail.", "From: Sam\nWe at Globex have ticket 77 open for a week.")

    assert "75 seats" in answer
    assert "Draft reply for ticket 77, Globex" in answer


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("progress/ticket-4821.md", "# Ticket 4821\n\n- Customer: Acme Corp\n- Replies drafted: 1\n"),
        ("progress/open_threads.md", "# Open threads\n\n- 4821 acme-corp: export timeout, waits for tier 2\n"),
    ],
)
def test_whose_ticket_it_is_may_stand_in_the_notes_alone(tool: Tool, folder: Path, path: str, text: str) -> None:
    put(folder, "customers/acme-corp.md", ACME)
    put(folder, path, text)

    answer = said(SUPPORT_DESK, tool, "Reply to ticket 4821. The customer is unhappy about the export job.")

    assert "Draft reply for ticket 4821, Acme Corp" in answer
    assert "240 seats" in answer
