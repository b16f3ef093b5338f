"""What the scripted demo model remembers, forgets and renames when it is told to."""

from pathlib import Path

import pytest

from agents.demo import CODE_REVIEWER, MODELS, SUPPORT_DESK
from tests.support.demo import Tool, files, put, said

ACME = "# Acme Corp\n\n- Business tier, 240 seats, renews 12 December\n- Prefers email follow-ups over calls\n"


@pytest.mark.parametrize("model", sorted(MODELS))
def test_what_it_is_told_to_remember_is_answered_in_the_next_run(tool: Tool, model: str) -> None:
    said(model, tool, "Remember that customer Acme Corp prefers email follow-ups.")

    answer = said(model, tool, "What do you know about Acme Corp?")

    assert "refers email follow-ups" in answer


def test_remembering_a_new_number_replaces_the_old_one(tool: Tool, folder: Path) -> None:
    put(folder, "customers/acme-corp.md", ACME)

    said(SUPPORT_DESK, tool, "Please remember that Acme Corp has 300 seats now.")
    said(SUPPORT_DESK, tool, "Please remember that Acme Corp renews 15 January.")

    assert files(folder)["customers/acme-corp.md"] == ACME.replace("240", "300").replace("12 December", "15 January")


def test_a_number_of_something_else_is_added_and_replaces_nothing(tool: Tool, folder: Path) -> None:
    put(folder, "customers/acme-corp.md", "# Acme Corp\n\n- Invoices are due after 30 days\n")

    said(SUPPORT_DESK, tool, "Remember that Acme Corp wants answers within 2 days.")

    assert files(folder)["customers/acme-corp.md"] == (
        "# Acme Corp\n\n- Invoices are due after 30 days\n- Wants answers within 2 days\n"
    )


def test_the_same_thing_is_remembered_once(tool: Tool, folder: Path) -> None:
    said(SUPPORT_DESK, tool, "Remember that Acme Corp prefers email.")
    before = files(folder)

    answer = said(SUPPORT_DESK, tool, "Remember that Acme Corp prefers email.")

    assert files(folder) == before
    assert "I knew that already" in answer


def test_what_belongs_to_no_customer_is_kept_among_the_lessons(tool: Tool, folder: Path) -> None:
    said(SUPPORT_DESK, tool, "remember: above 50,000 rows, offer the month split first")

    assert files(folder) == {"lessons.md": "# Lessons\n\n- Above 50,000 rows, offer the month split first\n"}


def test_forgetting_a_customer_deletes_the_file_and_its_line_in_the_index(tool: Tool, folder: Path) -> None:
    put(folder, "customers/acme-corp.md", ACME)
    put(folder, "index.md", "# Index\n\n- customers/acme-corp.md: Acme Corp\n- lessons.md: lessons\n")

    said(SUPPORT_DESK, tool, "Forget everything you know about Acme Corp.")

    assert files(folder) == {"index.md": "# Index\n\n- lessons.md: lessons\n"}


@pytest.mark.parametrize("ending", ["\n", ""])
def test_forgetting_one_thing_takes_out_its_line_alone(tool: Tool, folder: Path, ending: str) -> None:
    put(folder, "customers/acme-corp.md", "# Acme\n\n- 240 seats\n- 240 seats in Lisbon\n- Prefers email" + ending)

    said(SUPPORT_DESK, tool, "Forget that Acme prefers email")

    assert files(folder)["customers/acme-corp.md"] == "# Acme\n\n- 240 seats\n- 240 seats in Lisbon" + ending


def test_forgetting_a_line_that_stands_twice_takes_out_both(tool: Tool, folder: Path) -> None:
    put(folder, "lessons.md", "- Ask for logs\n- Be kind\n- Ask for logs\n")

    said(SUPPORT_DESK, tool, "forget that we ask for logs")

    assert files(folder)["lessons.md"] == "- Be kind\n"


def test_forgetting_a_ticket_that_is_unknown_touches_no_number_like_it(tool: Tool, folder: Path) -> None:
    put(folder, "lessons.md", "- Above 990 rows, split by month\n")

    said(SUPPORT_DESK, tool, "Forget ticket 99")

    assert files(folder) == {"lessons.md": "- Above 990 rows, split by month\n"}


def test_forgetting_what_is_not_there_changes_nothing(tool: Tool, folder: Path) -> None:
    put(folder, "lessons.md", "- Be kind\n")

    answer = said(SUPPORT_DESK, tool, "Forget the blue umbrella")

    assert files(folder) == {"lessons.md": "- Be kind\n"}
    assert "nothing to forget" in answer


def test_a_customer_that_is_renamed_keeps_its_file_under_the_new_name(tool: Tool, folder: Path) -> None:
    put(folder, "customers/acme-corp.md", ACME)

    said(SUPPORT_DESK, tool, "Acme Corp is now called Initech Ltd.")

    assert files(folder) == {"customers/initech-ltd.md": ACME.replace("# Acme Corp", "# Initech Ltd")}


def test_a_repository_that_is_renamed_takes_its_directory_along(tool: Tool, folder: Path) -> None:
    put(folder, "repos/billing/reviews.md", "# Reviews of billing\n")

    said(CODE_REVIEWER, tool, "rename billing to payments")

    assert list(files(folder)) == ["repos/payments/reviews.md"]


def test_a_rename_onto_a_taken_name_is_reported_and_changes_nothing(tool: Tool, folder: Path) -> None:
    put(folder, "customers/acme-corp.md", ACME)
    put(folder, "customers/globex.md", "# Globex\n")

    answer = said(SUPPORT_DESK, tool, "Rename Acme Corp to Globex")

    assert set(files(folder)) == {"customers/acme-corp.md", "customers/globex.md"}
    assert (
        "could not rename customers/acme-corp.md: The destination /memories/customers/globex.md already exists"
        in answer
    )
