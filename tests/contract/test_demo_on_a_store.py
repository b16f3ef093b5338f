"""The scripted demo model over a store of the product: it reads what our tool answers as well as the SDK's."""

import pytest

from agents.claude.memory_tool import MemoryTool
from agents.demo import CODE_REVIEWER, SUPPORT_DESK
from memories import store
from memories.commands import Create, StrReplace
from memories.paths import MemoryPath
from tests.support.demo import TICKET, Conversation, said
from tests.support.stores import PERSON, files_of, new_store

pytestmark = pytest.mark.django_db(transaction=True)
ACME = MemoryPath.parse("/memories/customers/acme-corp.md")


def test_each_scenario_works_on_an_empty_store_and_again_on_what_it_left() -> None:
    desk, reviewer = new_store(), new_store()

    for _ in range(2):
        tickets = Conversation(SUPPORT_DESK, MemoryTool(desk.slug))
        reviews = Conversation(CODE_REVIEWER, MemoryTool(reviewer.slug))
        assert "Draft reply for ticket 4821, Acme Corp" in tickets.say(TICKET)
        assert "Review of billing #902" in reviews.say("Review billing #902", "print(1)\n")

    missed = {"Error: Invalid `insert_line` parameter: 400. It should be within the range of lines of the file: [0, 3]"}
    assert {use.result for use in tickets.uses if use.is_error} == missed
    assert b"- Replies drafted: 2\n" in files_of(desk)["/memories/progress/ticket-4821.md"]
    assert files_of(desk)["/memories/progress/open_threads.md"].count(b"ticket-4821") == 1
    assert b"- Reviews so far: 2\n" in files_of(reviewer)["/memories/repos/billing/reviews.md"]


def test_a_value_that_a_person_changes_between_two_runs_changes_the_answer() -> None:
    memory = new_store()
    store.apply(memory.pk, Create(ACME, "# Acme Corp\n\n- Business tier, 240 seats\n"), actor=PERSON)

    first = said(SUPPORT_DESK, MemoryTool(memory.slug), "How many seats does Acme Corp have?")
    store.apply(memory.pk, StrReplace(ACME, "240", "315"), actor=PERSON)
    second = said(SUPPORT_DESK, MemoryTool(memory.slug), "How many seats does Acme Corp have?")

    assert ("240" in first, "315" in first) == (True, False)
    assert ("240" in second, "315" in second) == (False, True)


def test_a_file_longer_than_a_view_shows_is_read_to_its_end() -> None:
    memory = new_store()
    facts = "".join(f"- fact {number} about the export of many rows by month\n" for number in range(1, 901))
    store.apply(memory.pk, Create(ACME, f"# Acme Corp\n\n{facts}"), actor=PERSON)

    conversation = Conversation(SUPPORT_DESK, MemoryTool(memory.slug))
    answer = conversation.say("What does Acme Corp say on fact 900?")

    assert "- fact 900 about the export of many rows by month (customers/acme-corp.md, line 902)" in answer
    assert sum("view_range" in use.input for use in conversation.uses) > 1


def test_what_is_remembered_goes_below_the_last_line_of_a_long_file() -> None:
    memory = new_store()
    facts = "".join(f"- fact {number} about the export of many rows by month\n" for number in range(1, 901))
    store.apply(memory.pk, Create(ACME, f"# Acme Corp\n\n{facts}"), actor=PERSON)

    said(SUPPORT_DESK, MemoryTool(memory.slug), "Remember that Acme Corp prefers email.")

    assert files_of(memory)[str(ACME)].endswith(b"- fact 900 about the export of many rows by month\n- Prefers email\n")
