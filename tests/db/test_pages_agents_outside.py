"""Pages of runs that are led elsewhere: what they show, what they leave out, and how they follow."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from agents.models import ApiToken, Run
from agents.views.updates import since
from memories.models import ChangeSet, Role
from tests.support.outside import NOTES, call, creating, new_token, run_of
from tests.support.people import browser_of, member, operator, stranger

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def token() -> ApiToken:
    return new_token()[0]


@pytest.fixture
def browser() -> Client:
    """The operator's browser."""
    return browser_of(operator())


def page_of(browser: Client, run: Run, query: str = "") -> str:
    response = browser.get(f"/runs/{run.uuid}/{query}")
    assert response.status_code == 200
    return response.content.decode()


def words(page: str) -> str:
    """Return the text of a page on one line."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_a_run_shows_its_calls_by_turn_with_what_was_asked(browser: Client, token: ApiToken) -> None:
    run = run_of(token)

    page = page_of(browser, run)

    log = words(page.partition('id="log"')[2].partition('id="end"')[0])
    assert log.count("Remember the tea.") == 1
    assert log.index("Remember the tea.") < log.index("turn 1") < log.index("create") < log.index("turn 2")
    assert "Version 1 in the file’s history" in log
    assert 'id="turn-1"' in page and 'id="turn-2"' in page


def test_a_run_elsewhere_offers_nothing_that_only_a_worker_could_do(browser: Client, token: ApiToken) -> None:
    run = run_of(token)

    page = page_of(browser, run)

    assert "Outside" in page and "last call" in page
    assert all(word not in page for word in ("data-composer", "Cancel run", "run-resume", "Context now", "US$"))
    for act in ("message", "cancel", "resume"):
        assert browser.post(f"/runs/{run.uuid}/{act}", {"text": "hello"}).status_code == 404
    run.refresh_from_db()
    assert (run.state, run.pending.count()) == ("outside", 0)


def test_facts_name_files_session_and_token(browser: Client, token: ApiToken) -> None:
    call(token, creating("/memories/other.md"), session="s-1", turn=3)
    run = run_of(token)

    facts = words(page_of(browser, run).partition('id="run-facts"')[2])

    assert "other.md +1" in facts and "notes.md +1" in facts
    assert "Session s-1" in facts and "Token laptop" in facts and "Tool calls 3, none failed" in facts
    assert "Undo this run…" in facts


def test_what_was_taken_back_says_by_whom_until_that_is_taken_back(browser: Client, token: ApiToken) -> None:
    call(token, creating("/memories/other.md"), session="s-1")
    run = run_of(token)
    undoing = browser.get(f"/runs/{run.uuid}/undo")["Location"].partition("?")[0]
    said = "just now . What is left"

    assert said not in words(page_of(browser, run))
    browser.post(undoing)
    undone = words(page_of(browser, run))
    browser.post(f"/acts/{ChangeSet.objects.latest('pk').uuid}/undo")

    assert said in undone
    assert "Undo this run…" not in undone
    assert said not in words(page_of(browser, run))


def test_sources_from_outside_are_named_where_they_are_new(browser: Client, token: ApiToken) -> None:
    said = {"session": "s-1", "external": ("https://a.example/terms", "a mail")}
    call(token, creating("/memories/1.md"), **said)
    call(token, creating("/memories/2.md"), **said)
    call(token, creating("/memories/3.md"), session="s-1", external=tuple(f"source {n}" for n in range(9)))
    run = Run.objects.get()

    page = page_of(browser, run)

    assert page.count("https://a.example/terms") == 1
    assert 'href="https://a.example' not in page
    assert "source 4" in page and "source 5" not in page and "And 4 more" in words(page)
    assert "source 8" in browser.get(f"/runs/{run.uuid}/calls/0-3").content.decode()


def test_hostile_words_are_shown_as_text_with_what_hides_in_them(browser: Client, token: ApiToken) -> None:
    evil = "<script>__xss(1)</script>\u202eno"
    call(token, creating(), session=evil, agent=evil, external=(evil,), cause=evil)
    run = Run.objects.get()

    for path in (f"/runs/{run.uuid}/", f"/runs/{run.uuid}/calls/0-1", "/runs/", "/agents/"):
        page = browser.get(path).content.decode()
        assert "<script>__xss" not in page and "\u202e" not in page
    assert "[U+202E]" in page_of(browser, run)


def test_a_long_run_is_paged_by_calls_and_a_turn_is_found(browser: Client, token: ApiToken) -> None:
    for number in range(1, 121):
        call(token, {"command": "view", "path": "/memories"}, session="long", turn=(number + 1) // 2)
    run = Run.objects.get()

    newest, earlier, found = page_of(browser, run), page_of(browser, run, "?until=70"), page_of(browser, run, "?turn=3")

    assert re.findall(r'id="step-(\d+)"', newest) == [str(number) for number in range(71, 121)]
    assert "Show calls 21 to 70" in newest
    assert re.findall(r'id="step-(\d+)"', earlier) == [str(number) for number in range(21, 71)]
    assert re.findall(r'id="step-(\d+)"', found)[0] == "5" and 'id="turn-3"' in found
    assert "data-live" in newest and "data-live" not in earlier
    assert len(newest) < 200_000


@pytest.mark.parametrize("query", ["?turn=0", "?turn=999", "?turn=99999999999999999999", "?until=0", "?until=x"])
def test_addresses_that_name_no_call_lead_to_those_there_are(browser: Client, token: ApiToken, query: str) -> None:
    assert 'id="step-1"' in page_of(browser, run_of(token), query)


def test_news_bring_the_calls_that_came(token: ApiToken) -> None:
    run = run_of(token)
    cursor = run.last_event
    call(token, creating("/memories/new.md"), session="s-1", turn=2, cause="Remember the tea.")
    call(token, creating("/memories/newer.md"), session="s-1", turn=3, cause="And the milk.")

    update = since(run.pk, cursor, True)

    assert update and not update.over
    assert re.findall(r'id="(step-\d+|told-\d+|turn-\d+)"', update.html) == ["step-3", "told-4", "step-4", "turn-3"]
    assert "newer.md" in update.html and "run-pending" not in update.html
    assert since(run.pk, update.seq, True) is None


def test_a_page_that_asks_is_told_to_go_on_asking(browser: Client, token: ApiToken) -> None:
    run = run_of(token)

    assert browser.get(f"/runs/{run.uuid}/log?since={run.last_event}").status_code == 204
    assert browser.get(f"/runs/{run.uuid}/log?since=0").status_code == 200


def test_lists_say_what_is_not_known(browser: Client, token: ApiToken) -> None:
    run_of(token)
    call(token, creating("/memories/x.md"), session="without turns")

    everything, outside = browser.get("/runs/").content.decode(), browser.get("/runs/?state=outside").content.decode()

    assert words(everything).count("Outside") > words(browser.get("/runs/?state=done").content.decode()).count(
        "Outside"
    )
    assert "Remember the tea." in outside and "without turns" in outside
    assert words(outside).count("Unknown") == 5


def test_the_list_of_agents_counts_calls(browser: Client, token: ApiToken) -> None:
    run = run_of(token)

    page = words(browser.get("/agents/").content.decode())

    assert "2 calls in 30 days" in page and "Last call just now" in page
    assert str(run.uuid) in browser.get("/agents/").content.decode()


def test_the_last_call_of_an_agent_may_belong_to_no_session(browser: Client, token: ApiToken) -> None:
    run = run_of(token)
    Run.objects.update(updated_at=timezone.now() - timedelta(hours=5))
    call(token, creating("/memories/later.md"))

    page = browser.get("/agents/").content.decode()

    assert "Last call just now" in words(page) and f"/runs/{run.uuid}/" not in page


def test_versions_of_a_token_lead_to_the_run_and_its_turn(browser: Client, token: ApiToken) -> None:
    run = run_of(token)

    page = browser.get(f"/stores/{token.store.slug}/history/notes.md").content.decode()

    assert f"/runs/{run.uuid}/#turn-1" in page and "Invoice helper" in page


def test_an_outsider_meets_nothing_and_a_viewer_may_look(token: ApiToken) -> None:
    run = run_of(token)
    viewer, outsider = browser_of(member(token.store, Role.VIEWER)), browser_of(stranger())

    assert outsider.get(f"/runs/{run.uuid}/").status_code == 404
    assert outsider.get(f"/runs/{run.uuid}/calls/1-1").status_code == 404
    assert "Undo this run" not in page_of(viewer, run)


def test_the_download_holds_what_was_told(browser: Client, token: ApiToken) -> None:
    run = run_of(token, external=("a mail",))

    got = browser.get(f"/runs/{run.uuid}/download").json()

    assert (got["run"]["session"], got["run"]["state"], got["messages"]) == ("s-1", "outside", [])
    assert [(c["cause"], c["external"], c["input"]["path"]) for c in got["tool_calls"]] == [
        ("Remember the tea.", ["a mail"], NOTES)
    ] * 2
