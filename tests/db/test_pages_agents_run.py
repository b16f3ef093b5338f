"""The page of a run: the conversation, what stands beside it, and what people do there."""

import json
import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape

from agents import runs
from agents.making import create_agent
from agents.models import Agent, Attempt, ModelPrice, Run, RunState, ToolCall
from agents.views.updates import since
from memories import store
from memories.commands import Overwrite
from memories.models import Role
from memories.paths import MemoryPath
from tests.support.people import browser_of, member, operator, stranger
from tests.support.run_rows import answer, run_in, say, text
from tests.support.runs import driven, model_api, new_agent, new_run
from tests.support.stores import PERSON

pytestmark = pytest.mark.django_db(transaction=True)

SCRIPTED = "demo/support-desk"
NO_TEXTS = {"texts-TOTAL_FORMS": "0", "texts-INITIAL_FORMS": "0"}


@pytest.fixture
def browser() -> Client:
    """The operator's browser."""
    return browser_of(operator())


@pytest.fixture
def agent() -> Agent:
    return create_agent(name="Support desk", model=SCRIPTED)


def page_of(run: Run, browser: Client, query: str = "") -> str:
    """Return the run's page."""
    found = browser.get(f"/runs/{run.uuid}/{query}")
    assert found.status_code == 200
    return found.content.decode()


def call_row(page: str, call: ToolCall) -> str:
    """Return the part of the page that shows the call."""
    start = page.index(f'id="call-{call.turn}-{call.position}"')
    return page[start : page.index("</details>", start)]


def test_a_transcript_shows_every_turn_with_its_calls_and_what_came_of_them(browser: Client) -> None:
    with model_api():
        run = driven(new_run())

    page = page_of(run, browser)

    assert re.findall(r'id="turn-(\d+)"', page) == [str(turn) for turn in range(1, run.turns + 1)]
    assert run.tool_calls.exists()
    for call in run.tool_calls.all():
        row = call_row(page, call)
        assert call.path.rpartition("/")[2] in row
        assert ("open>" in row) is call.is_error


def test_a_change_shows_its_diff_in_place_and_leads_to_the_history(browser: Client) -> None:
    with model_api():
        run = driven(new_run())
    change = next(call for call in run.tool_calls.filter(first_seq__isnull=False) if call.input["command"] == "create")

    row = call_row(page_of(run, browser), change)

    assert '<td class="s a">+</td>' in row
    assert escape(change.input["file_text"].splitlines()[0]) in row
    assert f"/history/{change.path.removeprefix('/memories/')}?v=1" in row


def test_a_failed_call_is_open_and_says_why(browser: Client) -> None:
    with model_api():
        run = driven(new_run())
    failed = run.tool_calls.filter(is_error=True).first()
    assert failed

    row = call_row(page_of(run, browser), failed)

    assert " open>" in row
    assert "Error</span>" in row
    assert escape(failed.content[:40]) in row


def test_a_view_of_a_file_that_changed_later_says_so(browser: Client) -> None:
    with model_api():
        run = driven(new_run())
    view = run.tool_calls.get(path="/memories/policies/tone.md", first_seq=None)
    assert "This text has changed since" not in call_row(page_of(run, browser), view)

    entry = run.agent.store.entries.get(path=view.path, state="live")
    assert entry.blob
    store.apply(run.agent.store_id, Overwrite(MemoryPath.parse(view.path), "new\n", entry.blob.sha256), actor=PERSON)

    row = call_row(page_of(run, browser), view)
    assert "This text has changed since" in row
    assert f"Version {entry.version + 1} came later." in row


def test_the_pane_beside_it_lists_the_files_the_run_touched(browser: Client) -> None:
    with model_api():
        run = driven(new_run())

    facts = page_of(run, browser).partition('id="run-facts"')[2]

    paths = set(run.agent.store.entries.filter(kind="file", state="live").values_list("path", flat=True))
    assert len(paths) > 2
    for path in paths:
        assert f"/files/{path.removeprefix('/memories/')}" in facts
        assert f"/history/{path.removeprefix('/memories/')}?v=" in facts
    assert "list of all files" in facts
    assert f"{run.turns} of 40" in facts


def test_attachments_are_folded_and_marked_as_whoever_added_them_said(browser: Client, agent: Agent) -> None:
    ticket, rules = (
        runs.Attachment("Ticket <1>", "It fails."),
        runs.Attachment("House rules", "Be brief.", trusted=True),
    )
    run = runs.start(agent, "Please answer", attachments=[ticket, rules], user=operator())

    page = page_of(run, browser)

    assert re.search(r"Ticket &lt;1&gt;</bdi></span><span class=\"badge warn\">.*?External</span>", page)
    assert re.search(r"House rules</bdi></span><span class=\"badge\">.*?Trusted</span>", page)
    assert "<pre>It fails.</pre>" in page


def test_what_the_agent_wrote_is_rendered_and_cannot_act(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.DONE, agent, title="<script>title()</script>")
    answer(run, 2, 1, text("**Bold** <script>bad()</script> ![x](http://evil.example/x.png) [notes](/memories/a.md)"))

    page = page_of(run, browser)

    assert "<strong>Bold</strong>" in page
    assert "<script>bad()" not in page
    assert "<script>title()" not in page
    assert "<img" not in page
    assert 'href="/stores/support-desk/files/a.md"' in page


def test_places_where_something_is_missing_are_marked(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.DONE, agent)
    answer(run, 2, 1, text("one"))
    answer(run, 7, 4, text("four"))
    say(run, 9, "more")
    Run.objects.filter(pk=run.pk).update(turns=5)

    page = page_of(run, browser)

    assert "Turns 2 to 3 are no longer stored" in page
    assert "1 message no longer stored here" in page
    assert "Turn 5 is no longer stored" in page


def test_cleared_context_and_summaries_are_marked_where_they_happened(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.DONE, agent)
    edits = [{"type": "clear_tool_uses_20250919", "cleared_tool_uses": 3, "cleared_input_tokens": 21300}]
    answer(run, 2, 1, text("one"), applied_edits=edits)
    answer(run, 3, 2, {"type": "compaction", "content": "What went before"}, text("two"))

    page = page_of(run, browser)

    assert "Turn 1: 3 tool results cleared from context, 21,300 tokens. The agent no longer sees them." in page
    assert "Once, at turn 1" in page
    assert "the agent no longer sees what stands above" in page
    assert "<pre>What went before</pre>" in page


def test_a_long_transcript_comes_in_pages_from_turn_1(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.DONE, agent)
    for turn in range(1, 66):
        answer(run, turn + 1, turn, text(f"answer {turn}"))

    newest = page_of(run, browser)
    first = page_of(run, browser, "?until=5")

    assert re.findall(r'id="turn-(\d+)"', newest)[0] == "36"
    assert 'href="?until=35">Show turns 6 to 35' in newest
    assert "data-run " in newest
    assert re.findall(r'id="turn-(\d+)"', first) == ["1", "2", "3", "4", "5"]
    assert 'href="?until=35">Show turns 6 to 35' in first
    assert "data-run " not in first
    assert "Run 1</div>" in first


def test_failed_tries_can_be_seen(browser: Client, agent: Agent) -> None:
    later = timezone.now() + timedelta(minutes=5)
    run = run_in(RunState.WAITING, agent, wake_at=later, detail="The API is overloaded.")
    Attempt.objects.create(
        run=run, turn=1, cause="error 529", status=529, partial_text="Half an ans", created_at=timezone.now()
    )

    page = page_of(run, browser)

    assert "Try 1 gave no answer: error 529" in page
    assert "<pre>Half an ans</pre>" in page
    assert "Waiting until" in page
    assert "The API is overloaded." in page
    assert "Retry now</button>" in page


def test_a_failed_run_says_why_and_what_to_do(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.FAILED, agent, reason="request", detail="The key is wrong. Ask the operator.")

    page = page_of(run, browser)

    assert "Failed at turn 1." in page
    assert "The key is wrong. Ask the operator." in page
    assert ">Retry</button>" in page


def test_a_run_stopped_by_a_budget_offers_to_go_on_with_a_larger_one(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.STOPPED, agent, reason="budget:turns", detail="It has used its 40 turns.", turns=40)

    page = page_of(run, browser)
    assert "Stopped: turn limit" in page
    assert 'name="budget" form="run-resume"' in page
    assert 'value="80"' in page

    browser.post(f"/runs/{run.uuid}/resume", {"budget": "60"})

    run.refresh_from_db()
    assert (run.state, run.settings["max_turns"]) == (RunState.QUEUED, 60)


def test_a_budget_that_is_spent_already_is_refused_in_words(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.STOPPED, agent, reason="budget:turns", turns=40)

    page = browser.post(f"/runs/{run.uuid}/resume", {"budget": "10"}, follow=True).content.decode()

    assert "The run has used 40 turns already" in page


@pytest.mark.parametrize("written", ["many", "-3", "0", "1e99", "NaN", "1,50", "1000000000"])
def test_a_budget_that_is_no_number_is_refused_by_name(browser: Client, agent: Agent, written: str) -> None:
    run = run_in(RunState.STOPPED, agent, reason="budget:turns", turns=40)

    page = browser.post(f"/runs/{run.uuid}/resume", {"budget": written}, follow=True).content.decode()

    assert f"“{written}” is no limit. Write a number above 0 and below 1,000,000,000." in page
    run.refresh_from_db()
    assert run.state == RunState.STOPPED


def test_cost_is_unknown_until_a_price_is_set(browser: Client) -> None:
    run = run_in(RunState.DONE, create_agent(name="Writer"), input_tokens=1_000_000)
    assert 'unknown, <a class="u" href="/models/">no price is set</a>' in page_of(run, browser)

    Run.objects.filter(pk=run.pk).update(last_event=1)
    update = since(run.pk, 0, may_write=True)
    assert update
    assert ">no price is set</a>" in update.html

    ModelPrice.objects.create(model="claude-opus-5-5", input=Decimal("5.5"), output=None)

    assert "US$ 5.50" in page_of(run, browser)


@pytest.mark.parametrize(("state", "words"), [(RunState.RUNNING, "none yet"), (RunState.FAILED, "none")])
def test_a_run_that_used_no_token_cost_nothing(browser: Client, state: RunState, words: str) -> None:
    run = run_in(state, create_agent(name="Writer"))

    assert f'Cost so far</dt><dd class="num">{words}</dd>' in page_of(run, browser)


def test_tokens_stand_in_total_and_by_turn(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.DONE, agent, input_tokens=1200, cache_read_tokens=3400)
    usage = {"input_tokens": 700, "cache_read_input_tokens": 3400, "output_tokens": 55}
    answer(run, 2, 1, text("one"), usage=usage, request_id="req_1")

    facts = page_of(run, browser).partition('id="run-facts"')[2]

    assert "1,200" in facts
    assert "4,155" in facts
    assert 'title="Request req_1"' in facts


def test_a_run_is_cancelled_and_goes_on_again(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.QUEUED, agent)

    browser.post(f"/runs/{run.uuid}/cancel")
    page = page_of(run, browser)
    assert re.search(r"Cancelled by operator\d+ at", page)
    assert "What was done before is kept." in page

    browser.post(f"/runs/{run.uuid}/resume")
    run.refresh_from_db()
    assert run.state == RunState.QUEUED


def test_acts_answer_htmx_without_a_page(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.QUEUED, agent)

    answered = browser.post(f"/runs/{run.uuid}/cancel", headers={"HX-Request": "true"})

    assert answered.status_code == 200
    assert "<html" not in answered.content.decode()


@pytest.mark.parametrize("role", list(Role))
def test_viewers_look_and_curators_act(agent: Agent, role: Role) -> None:
    run = run_in(RunState.QUEUED, agent)
    browser = browser_of(member(agent.store, role))
    may_act = role != Role.VIEWER

    page = page_of(run, browser)

    assert ("Cancel run" in page) is may_act
    assert ("data-composer" in page) is may_act
    for verb in ("cancel", "resume", "message"):
        assert (browser.post(f"/runs/{run.uuid}/{verb}").status_code == 403) is not may_act


@pytest.mark.parametrize("page", ["", "log", "events", "message", "download", "calls/1-0"])
def test_an_outsider_meets_404_on_every_page_of_a_run(agent: Agent, page: str) -> None:
    run = run_in(RunState.DONE, agent)
    browser = browser_of(stranger())

    assert browser.get(f"/runs/{run.uuid}/{page}").status_code == 404
    assert browser.post(f"/runs/{run.uuid}/cancel").status_code == 404


def test_a_call_has_a_page_with_everything_asked_and_answered(browser: Client) -> None:
    with model_api():
        run = driven(new_run())
    call = run.tool_calls.filter(first_seq__isnull=False).first()
    assert call

    page = browser.get(f"/runs/{run.uuid}/calls/{call.turn}-{call.position}").content.decode()

    assert "&quot;command&quot;" in page
    assert call.path in page
    assert browser.get(f"/runs/{run.uuid}/calls/99-0").status_code == 404


def test_the_download_holds_the_whole_conversation(browser: Client) -> None:
    with model_api():
        run = driven(new_run())

    answered = browser.get(f"/runs/{run.uuid}/download")

    held = json.loads(answered.content)
    assert answered["Content-Disposition"] == f'attachment; filename="support-desk-run-{run.number}.json"'
    assert [message["content"] for message in held["messages"]] == [message.content for message in run.messages.all()]
    assert len(held["tool_calls"]) == run.tool_calls.count()


def test_a_run_is_found_from_the_files_it_wrote(browser: Client) -> None:
    with model_api():
        run = driven(new_run("Acme Ltd prefers mail on Tuesdays.", new_agent()))
    written = run.tool_calls.filter(first_seq__isnull=False).last()
    assert written

    page = browser.get(f"/stores/{run.agent.store.slug}/history/{written.path.removeprefix('/memories/')}", follow=True)

    assert f"/runs/{run.uuid}/#turn-" in page.content.decode()


def test_the_number_of_queries_does_not_grow_with_the_turns(browser: Client) -> None:
    def queries(run: Run) -> int:
        with CaptureQueriesContext(connection) as seen:
            page_of(run, browser)
        return len(seen)

    with model_api():
        long = driven(new_run())
        short = driven(new_run("What do you know about Acme Ltd?", long.agent))

    assert short.turns < long.turns
    assert queries(long) <= queries(short) + 3
