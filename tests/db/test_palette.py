"""Which names the palette offers first, and where it marks them."""

import re

import pytest
from django.test import Client

from agents.making import create_agent
from agents.models import Agent, RunState
from memdash.web.palette import marked
from memories import tool
from memories.models import Role
from tests.support.people import browser_of, member, operator
from tests.support.run_rows import run_in
from tests.support.stores import AGENT

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent() -> Agent:
    return create_agent(name="Support desk", model="demo/support-desk")


@pytest.fixture
def browser() -> Client:
    """The operator's browser."""
    return browser_of(operator())


def writes(agent: Agent, *paths: str) -> None:
    """Have the agent make files."""
    for path in paths:
        tool.execute(agent.store, {"command": "create", "path": f"/memories/{path}", "file_text": "x"}, AGENT)


def offered(browser: Client, query: str) -> dict[str, list[str]]:
    """Return the labels that the palette offers, by the names of their groups, in its order."""
    page = browser.get("/palette", {"q": query}).content.decode()
    sections = re.findall(r'<section aria-label="([^"]+)">(.*?)</section>', page, re.DOTALL)
    found = {
        name: [re.sub("<[^>]+>", "", label) for label in re.findall(r'<bdi class="clip">(.*?)</bdi>', body)]
        for name, body in sections
    }
    assert [*found][-1:] == (["Search"] if query.strip(">") else [*found][-1:])
    found.pop("Search", None)
    return found


def test_names_that_are_or_begin_with_what_was_typed_come_first_whatever_their_kind(
    browser: Client, agent: Agent
) -> None:
    create_agent(name="The acme bot", model="demo/support-desk")
    for title in ("Acme Corp renews", "What of Acme?"):
        run_in(RunState.DONE, agent, title=title)
    writes(agent, "acme/notes.md", "customers/acme.md", "customers/acme-corp.md", "old-acme.md")

    found = offered(browser, "acme")

    assert list(found.items()) == [
        ("Files", ["customers/acme.md", "customers/acme-corp.md"]),
        ("Runs", ["Acme Corp renews"]),
        ("Agents", ["The acme bot"]),
        ("Stores", ["The acme bot"]),
        ("More files", ["acme/notes.md", "old-acme.md"]),
        ("More runs", ["What of Acme?"]),
    ]


@pytest.mark.parametrize("query", ["acme corp", "Acme-Corp", "acme-corp.md", "customers/acme-corp", "ACME_CORP"])
def test_words_find_a_name_whatever_stands_between_them(browser: Client, agent: Agent, query: str) -> None:
    run_in(RunState.DONE, agent, title=f"{query}, please")
    writes(agent, "customers/acme-corp.md")

    assert next(iter(offered(browser, query).items())) == ("Files", ["customers/acme-corp.md"])


def test_a_slug_is_a_name(browser: Client, agent: Agent) -> None:
    other = create_agent(name="Support desk", model="demo/support-desk")
    run_in(RunState.DONE, agent, title=f"{other.slug} is slow")

    found = offered(browser, other.slug)

    assert other.slug != agent.slug
    assert list(found) == ["Agents", "Stores", "Runs"]


def test_words_in_any_order_find_what_holds_them(browser: Client, agent: Agent) -> None:
    writes(agent, "customers/acme-corp.md", "customers/acme.md")

    assert offered(browser, "corp acme") == {"Files": ["customers/acme-corp.md"]}


def test_the_nearest_name_is_offered_however_many_others_match(browser: Client, agent: Agent) -> None:
    writes(agent, *(f"a/{number}-acme.md" for number in range(12)), "z/acme.md")
    for number in range(12):
        create_agent(name=f"A{number} acme bot", model="demo/support-desk")
        run_in(RunState.DONE, agent, title=f"Is {number} about acme?")
    create_agent(name="Zebra, acme", model="demo/support-desk")
    create_agent(name="Acme", model="demo/support-desk")
    run_in(RunState.DONE, agent, title="Acme", minutes_ago=600)

    found = offered(browser, "acme")

    assert found["Agents"] == ["Acme"]
    assert found["Stores"] == ["Acme"]
    assert found["Files"] == ["z/acme.md"]
    assert found["Runs"] == ["Acme"]
    assert len(found["More files"]) == len(found["More agents"]) == len(found["More runs"]) == 7


@pytest.mark.parametrize(
    ("query", "acts"),
    [
        ("new file", ["New file in Support desk"]),
        (">pau", ["Pause Support desk…"]),
        ("settings desk", ["Settings of Support desk"]),
        ("dark", ["Switch to the dark theme"]),
        ("search in", ["Search in Support desk"]),
        (">", ["New store", "Switch to the light theme", "Switch to the dark theme"]),
        ("desk", None),
    ],
)
def test_what_can_be_done_is_offered_by_its_verb(
    browser: Client, agent: Agent, query: str, acts: list[str] | None
) -> None:
    assert offered(browser, query).get("Actions") == acts


def test_a_viewer_is_offered_no_act_that_would_be_refused(agent: Agent) -> None:
    viewer = browser_of(member(agent.store, Role.VIEWER))

    assert "Actions" not in offered(viewer, "pause")
    assert offered(viewer, "search in")["Actions"] == ["Search in Support desk"]


def test_switching_the_theme_is_a_post_with_a_token_and_leads_back(agent: Agent) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(operator())
    page = browser.get(
        "/palette", {"q": "dark theme"}, headers={"HX-Request": "true", "HX-Current-URL": "http://testserver/runs/"}
    ).content.decode()
    form = re.search(r'<form method="post".*?</form>', page, re.DOTALL)
    assert form
    fields = dict(re.findall(r'name="([^"]+)" value="([^"]+)"', form[0]))

    answer = browser.post("/preferences", fields)

    assert (answer.status_code, answer["Location"]) == (302, "/runs/")
    assert browser.cookies["theme"].value == "dark"


def test_the_last_way_leads_to_what_holds_the_words(browser: Client, agent: Agent) -> None:
    writes(agent, "a.md")
    page = browser.get("/palette", {"q": 'x & "y'}).content.decode()

    (address,) = re.findall(r'<a href="([^"]+)" data-option data-palette-search>', page)

    assert address == "/search?q=x+%26+%22y"
    assert "Search contents for “x &amp; &quot;y”" in page


@pytest.mark.parametrize("query", ["(", "[", "\\", "*", "--", "|", "%", "_", "^$", "+?", "."])
def test_what_was_typed_is_no_pattern(browser: Client, agent: Agent, query: str) -> None:
    writes(agent, "customers/plain")

    assert "Files" not in offered(browser, query)


@pytest.mark.parametrize(
    ("label", "query", "shown"),
    [
        ("customers/acme-corp.md", "acme", "customers/<mark>acme</mark>-corp.md"),
        ("acme/acme.md", "ACME", "<mark>acme</mark>/acme.md"),
        ("acme-corp.md", "corp acme", "<mark>acme</mark>-<mark>corp</mark>.md"),
        ("Acme corp", "acme corp", "<mark>Acme corp</mark>"),
        ("acme_corp.md", "acme-corp", "<mark>acme</mark>_<mark>corp</mark>.md"),
        ("acme.md", "acme me", "<mark>acme</mark>.md"),
        ("<b>.md", "b", "&lt;<mark>b</mark>&gt;.md"),
        ("acme.md", "", "acme.md"),
        ("acme.md", "zz", "acme.md"),
    ],
)
def test_the_words_are_marked_where_they_first_occur(label: str, query: str, shown: str) -> None:
    assert marked(label, query) == shown
