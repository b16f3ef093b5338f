"""Who wrote what, the menu of a line, and who read a line since: what these pages show, and to whom."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.models import Agent, Run, RunState, ToolCall
from memories import store as memory
from memories import tool
from memories.actors import Actor, ActorKind
from memories.commands import Restore, StrReplace
from memories.models import MemoryEntry, MemoryStore, MemoryVersion, Role
from memories.views import authors, readers
from memories.views.blame import lines_in_words
from tests.support.files import at, move, page, read_in_run, remove, url_of, write, write_image
from tests.support.people import browser_of, member, operator, stranger
from tests.support.run_rows import answer, run_in, say
from tests.support.runs import new_agent

pytestmark = pytest.mark.django_db

AGENT = Actor(ActorKind.AGENT, "Support desk", turn=6)


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def blame(store: MemoryStore, path: str, query: str = "") -> str:
    return f"{url_of(store, path)}?view=blame{query}"


def readers_at(store: MemoryStore, path: str, line: int, query: str = "") -> str:
    return f"{url_of(store, path)}?view=readers&line={line}{query}"


def groups(html: str) -> list[tuple[str, list[str]]]:
    """Return the sources of a page of blame, each with the texts of its lines."""
    found = re.findall(r"<tbody class=.*?</tbody>", html.partition("data-blame")[2], re.DOTALL)
    return [
        (re.findall(r"<bdi>(.*?)</bdi>", group)[0], re.findall(r"</a></td><td>(.*?)</td>", group, re.DOTALL))
        for group in found
    ]


def pane(html: str) -> str:
    """Return the words of the third pane."""
    words = re.sub(r"<[^>]+>", " ", html.partition('id="about"')[2].partition("</aside>")[0])
    return re.sub(r"\s+", " ", words)


def run_of_turn(agent: Agent, words: str, turn: int = 1) -> Run:
    """Return a run in which a person said something before the turn, which then used the tool."""
    run = run_in(RunState.DONE, agent, title="Ticket 4821, export job")
    say(run, 2, words)
    answer(run, 3, turn, {"type": "text", "text": "I will."}, model="claude-opus-5-5")
    return run


def test_lines_stand_in_groups_beside_the_version_that_wrote_them(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\ntwo\nthree\n", actor=AGENT)
    write(store, "a.md", "one\n2\nthree\n")
    move(store, "a.md", "b.md", actor=AGENT)

    html = page(browser, blame(store, "b.md"))

    assert groups(html) == [("Support desk, turn 6", ["one"]), ("mia", ["2"]), ("Support desk, turn 6", ["three"])]
    assert "<span>2 sources</span>" in html
    assert re.findall(r"L\d+\"><svg[^>]*><use href=\"#i-(\w+)", html) == ["agents", "user", "agents"]
    assert re.findall(r'<tbody class="(a\d)', html) == ["a4", "a1", "a4"]


def test_every_group_is_a_link_that_picks_its_source(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\ntwo\nthree\n", actor=AGENT)
    write(store, "a.md", "one\n2\nthree\n")

    html = page(browser, blame(store, "a.md", "&version=1"))

    assert '<a href="?view=blame&amp;version=2#L2">' in html
    assert re.findall(r'<tbody class="(a\d(?: on)?)"', html) == ["a4 on", "a1", "a4 on"]
    assert "Lines 1 and 3" in pane(html)
    assert "Not reviewed" in pane(html)
    assert f'href="/stores/{store.slug}/history/a.md?v=1"' in html


def test_a_picked_line_tells_of_its_source(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\ntwo\n", actor=AGENT)
    write(store, "a.md", "one\n2\n")

    html = page(browser, blame(store, "a.md", "&line=2"))

    assert 'class="sel" id="L2"' in html
    assert pane(html).startswith(' aria-label="Selected source" data-scroll="source"> Line 2 Edited by mia')
    assert "Not reviewed" not in pane(html)
    assert "?view=readers&amp;line=2" in html


@pytest.mark.parametrize("query", ["&line=99", "&line=0", "&version=99", "&line=x", ""])
def test_where_nothing_is_picked_all_sources_are_listed(store: MemoryStore, browser: Client, query: str) -> None:
    write(store, "a.md", "one\ntwo\n", actor=AGENT)
    write(store, "a.md", "one\n2\n")

    html = page(browser, blame(store, "a.md", query))

    assert "Edited by mia 1 line" in pane(html)
    assert pane(html).index("Edited by mia") < pane(html).index("Support desk, turn 6 1 line")
    assert " on" not in "".join(re.findall(r'<tbody class="[^"]*"', html))


def test_the_source_of_a_run_says_what_the_agent_was_told_right_before(browser: Client) -> None:
    agent = new_agent()
    run = run_of_turn(agent, "We sent the logs twice. <b>Stop</b> asking.")
    actor = Actor(ActorKind.AGENT, "Support desk", run_id=run.uuid, turn=1, tool_use_id="toolu_1")
    write(agent.store, "a.md", "- escalate to tier 2\n", actor=actor)
    _call(run, "str_replace")

    html = page(browser_of(member(agent.store, Role.VIEWER)), blame(agent.store, "a.md", "&line=1"))

    told = pane(html)
    assert "Ticket 4821, export job Run 1, turn 1. Support desk wrote this after mara said:" in told
    assert "We sent the logs twice. &lt;b&gt;Stop&lt;/b&gt; asking." in told
    assert "Call str_replace Model claude-opus-5-5" in told
    assert f'href="/runs/{run.uuid}/#turn-1"' in html
    assert "Open at turn 1" in told


def test_the_source_of_a_run_elsewhere_says_what_its_program_gave_as_the_cause(browser: Client) -> None:
    agent = new_agent()
    run = run_in(RunState.OUTSIDE, agent, title="Nightly triage", session="s-1")
    actor = Actor(ActorKind.TOKEN, "Night triage", run_id=run.uuid, turn=1, tool_use_id="toolu_1")
    write(agent.store, "a.md", "- tea\n", actor=actor)
    _call(run, "create", cause="Keep what the shift learnt")

    told = pane(page(browser_of(member(agent.store, Role.VIEWER)), blame(agent.store, "a.md", "&line=1")))

    assert "Night triage wrote this and gave as the cause: Keep what the shift learnt" in told


def test_a_run_the_person_may_not_see_is_not_told_of(store: MemoryStore, browser: Client) -> None:
    run = run_of_turn(new_agent(), "A secret of another store")
    write(store, "a.md", "x\n", actor=Actor(ActorKind.AGENT, "Support desk", run_id=run.uuid, turn=1))

    html = page(browser, blame(store, "a.md", "&line=1"))

    assert "A secret of another store" not in html
    assert "Ticket 4821" not in html
    assert "Turn 1 of a run that is not kept here." in pane(html)


def test_an_early_turn_is_looked_for_on_its_own_page_of_the_run(browser: Client) -> None:
    agent = new_agent()
    run = run_of_turn(agent, "hello")
    Run.objects.filter(pk=run.pk).update(turns=90)
    for turn in (1, 61):
        actor = Actor(ActorKind.AGENT, "Support desk", run_id=run.uuid, turn=turn)
        write(agent.store, f"{turn}.md", "x\n", actor=actor)
    person = browser_of(member(agent.store, Role.VIEWER))

    early, late = (page(person, blame(agent.store, f"{turn}.md", "&line=1")) for turn in (1, 61))

    assert f'href="/runs/{run.uuid}/?until=1#turn-1"' in early
    assert f'href="/runs/{run.uuid}/#turn-61"' in late


def test_lines_that_came_back_belong_to_who_wrote_them_first(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\ntwo\n", actor=AGENT)
    write(store, "a.md", "one\n")
    restore = Restore(at("a.md"), 1, b"one\ntwo\n")
    memory.apply(store.pk, restore, actor=Actor(ActorKind.PERSON, "mara"))

    assert groups(page(browser, blame(store, "a.md"))) == [("Support desk, turn 6", ["one", "two"])]


def test_redacted_versions_break_nothing(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\ntwo\n", actor=AGENT)
    write(store, "a.md", "one\n2\n")
    MemoryVersion.objects.filter(store=store, number=1).update(
        blob=None, redacted_at="2026-12-01T10:00:00Z", redacted_by="mara"
    )

    html = page(browser, blame(store, "a.md", "&version=1"))

    assert groups(html) == [("Support desk, turn 6", ["one"]), ("mia", ["2"])]
    assert "its text was blanked" in pane(html)


def test_lines_of_versions_that_are_gone_have_no_source(store: MemoryStore, browser: Client) -> None:
    for text in ("one\n", "one\ntwo\n", "one\ntwo\nthree\n", "one\ntwo\nthree\nfour\n"):
        write(store, "a.md", text)
    MemoryVersion.objects.filter(store=store, number__in=(1, 2)).delete()

    html = page(browser, blame(store, "a.md", "&line=1"))

    assert groups(html) == [("No longer kept", ["one", "two"]), ("mia", ["three"]), ("mia", ["four"])]
    assert "1 more, older or no longer kept" in pane(html)
    read = page(browser, readers_at(store, "a.md", 1))
    assert "Read by nobody since" in read


def test_too_many_versions_are_said_and_not_counted_through(
    store: MemoryStore, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        write(store, "a.md", f"one\n{number}\n")
    monkeypatch.setattr(authors, "EFFORT", 3 * authors.VERSION_EFFORT)

    for address in (blame(store, "a.md"), readers_at(store, "a.md", 1)):
        html = page(browser, address)
        assert "Too many versions" in html
        assert "it has 4 versions" in html
    assert "Too much has become of this file" in page(browser, url_of(store, "a.md"))


def test_ten_thousand_versions_are_followed(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "".join(f"line {number}\n" for number in range(200)), actor=AGENT)
    with_rows = MemoryEntry.objects.get(store=store, path="/memories/a.md")
    template = MemoryVersion.objects.get(entry=with_rows)
    rows = [
        MemoryVersion(
            **{
                **{field.attname: getattr(template, field.attname) for field in MemoryVersion._meta.concrete_fields},
                "id": None,
                "number": number,
                "seq": number,
                "operation": "modified",
                "spans": [[number % 100, 1, number % 100, 1]],
            }
        )
        for number in range(2, 10_001)
    ]
    MemoryVersion.objects.bulk_create(rows, batch_size=500)
    MemoryEntry.objects.filter(pk=with_rows.pk).update(version=10_000)

    html = page(browser, blame(store, "a.md", "&line=1"))

    assert "<span>101 sources</span>" in html
    assert "Version 10,000 " in pane(html)


def test_long_files_come_in_pages_and_a_line_is_found_on_its_own(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "".join(f"line {number}\n" for number in range(1, 10_001)), actor=AGENT)
    write(store, "a.md", "".join(f"line {number}\n" for number in range(1, 10_001)).replace("line 9000\n", "new\n"))

    first, last = page(browser, blame(store, "a.md")), page(browser, blame(store, "a.md", "&line=9000"))

    assert "Lines 1 to 500 of 10,000" in first
    assert 'class="sel" id="L9000"' in last
    assert "Lines 8,980 to 9,479 of 10,000" in last
    assert "&amp;from=9480" in last
    assert 'id="L9000"' in page(browser, blame(store, "a.md", "&version=2"))
    assert 'class="sel"' in page(browser, url_of(store, "a.md") + "?line=9000")
    assert ">9000</a></td><td>new<div" in page(browser, url_of(store, "a.md") + "?view=raw&line=9000")


def test_text_of_lines_is_escaped_and_hidden_characters_show(store: MemoryStore, browser: Client) -> None:
    write(store, "a.txt", "<script>x</script>\u202e\n", actor=Actor(ActorKind.AGENT, "<img src=x>\u200b"))

    for address in (blame(store, "a.txt", "&line=1"), readers_at(store, "a.txt", 1)):
        html = page(browser, address)
        assert "&lt;script&gt;x&lt;/script&gt;" in html
        assert "[U+202E]" in html
        assert "<img" not in html
    assert "&lt;img src=x&gt;" in html


def test_an_empty_file_and_an_image_have_no_lines_to_tell_of(store: MemoryStore, browser: Client) -> None:
    write(store, "empty.md", "")
    write_image(store, "chart.png")

    assert "An empty file" in page(browser, blame(store, "empty.md"))
    assert "No such line" in page(browser, readers_at(store, "empty.md", 1))
    image = page(browser, blame(store, "chart.png"))
    assert 'class="picture"' in image
    assert 'href="?view=blame' not in image
    assert "Who wrote what" not in image


def test_a_line_links_to_its_menu_and_the_menu_to_what_it_names(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "# One\n\n- two\n")
    write(store, "b.txt", "one\n")

    rendered, raw = page(browser, url_of(store, "a.md") + "?line=3"), page(browser, url_of(store, "b.txt") + "?line=1")

    assert '<li><a href="?line=3" aria-current="true">3</a>two<span class="linebar"' in rendered
    assert f'href="/files/{entry.uuid}/edit?line=3"' in rendered
    assert '<tr class="sel"><td class="n"><a href="?line=1">1</a>' in raw
    for html, line in ((rendered, 3), (raw, 1)):
        assert f'aria-label="Line {line}"' in html
        assert f'href="?view=blame&amp;line={line}" autofocus' in html
        assert f'href="?view=readers&amp;line={line}"' in html


def test_a_viewer_is_not_offered_to_mend_a_line(store: MemoryStore) -> None:
    write(store, "a.md", "one\n")

    html = page(browser_of(member(store, Role.VIEWER)), url_of(store, "a.md") + "?line=1")

    assert 'aria-label="Line 1"' in html
    assert "/edit?line" not in html


def test_a_link_in_a_text_is_no_line(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "[x](?line=9) [y](<#L3>) <a href='?line=9'>z</a>\n")

    html = page(browser, url_of(store, "a.md"))

    assert '"?line=9"' not in html


def test_who_was_shown_the_line_is_listed_by_run_newest_first(browser: Client) -> None:
    agent = new_agent()
    run = run_of_turn(agent, "hello")
    write(agent.store, "a.md", "one\ntwo\nthree\n", actor=AGENT)
    read_in_run(agent.store, "a.md", turn=3, run_id=run.uuid)
    read_in_run(agent.store, "a.md", turn=5, run_id=run.uuid)
    read_in_run(agent.store, "a.md", turn=2)
    person = browser_of(member(agent.store, Role.VIEWER))

    html = page(person, readers_at(agent.store, "a.md", 2))

    assert "Shown to 2 runs or tokens" in html
    assert html.index("<span>Turn 2</span>") < html.index("Run 1, turn 5") < html.index("Run 1, turn 3")
    assert f'href="/runs/{run.uuid}/#turn-5"' in html
    assert "Ticket 4821, export job" in html
    assert "do not count" in pane(html)
    assert "watched folder" in pane(html)


def _look(store: MemoryStore, path: str, **given: object) -> None:
    actor = Actor(ActorKind.TOKEN, "Nightly copy", token_id=7)
    tool.execute(store, {"command": "view", "path": at(path).text if path else "/memories", **given}, actor)
    memory.reads.flush()


def test_only_a_view_that_held_the_line_is_a_read_of_it(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\ntwo\nthree\n", actor=AGENT)
    _look(store, "")
    _look(store, "a.md", view_range=[1, 2])

    assert "Read by nobody since" in page(browser, readers_at(store, "a.md", 3))
    assert "Nightly copy" in page(browser, readers_at(store, "a.md", 2))
    _look(store, "a.md", view_range=[3, -1])
    assert "Nightly copy" in page(browser, readers_at(store, "a.md", 3))


def test_a_view_that_was_cut_before_the_line_is_no_read_of_it(store: MemoryStore, browser: Client) -> None:
    lines = [f"line {number} of many words\n" for number in range(1, 1301)]
    write(store, "log.txt", "".join(lines), actor=AGENT)
    _look(store, "log.txt")
    shown = 0
    while sum(map(len, lines[: shown + 1])) <= 16_000:
        shown += 1

    assert "Shown to 1 run or token" in page(browser, readers_at(store, "log.txt", shown))
    assert "Read by nobody since" in page(browser, readers_at(store, "log.txt", shown + 1))


def test_reads_follow_the_line_and_not_its_number(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\ntwo\n", actor=AGENT)
    _look(store, "a.md", view_range=[1, 1])
    write(store, "a.md", "zero\none\ntwo\n")
    _look(store, "a.md", view_range=[3, 3])
    memory.apply(store.pk, StrReplace(at("a.md"), "two", "2"), actor=AGENT)

    assert "version 1<" in page(browser, readers_at(store, "a.md", 2))
    assert "Read by nobody since" in page(browser, readers_at(store, "a.md", 1))
    assert "Read by nobody since" in page(browser, readers_at(store, "a.md", 3))


def test_a_read_before_the_line_came_back_counts(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\ntwo\n", actor=AGENT)
    move(store, "a.md", "b.md")
    _look(store, "b.md")
    write(store, "b.md", "one\n")
    memory.apply(store.pk, Restore(at("b.md"), 1, b"one\ntwo\n"), actor=AGENT)

    assert "version 2<" in page(browser, readers_at(store, "b.md", 2))


def test_readers_come_in_pages(store: MemoryStore, browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    write(store, "a.md", "one\n", actor=AGENT)
    for turn in range(1, 5):
        read_in_run(store, "a.md", turn=turn)
    monkeypatch.setattr(readers, "PAGE_READERS", 3)

    first, second = (page(browser, readers_at(store, "a.md", 1, query)) for query in ("", "&page=2"))

    assert "Shown to 4 runs or tokens" in first
    assert "page=2" in first
    assert "Turn 1<" not in first
    assert "Turn 1<" in second
    assert "page=1" in second


def test_where_not_all_reads_were_looked_through_it_is_said(
    store: MemoryStore, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store, "a.md", "one\n", actor=AGENT)
    for turn in range(1, 4):
        read_in_run(store, "a.md", turn=turn)
    monkeypatch.setattr(readers, "SCANNED", 2)

    html = page(browser, readers_at(store, "a.md", 1))

    assert "Shown to 2 runs" in html
    assert "Older ones are not counted" in html


@pytest.mark.parametrize("line", ["3", "0", "", "-1", "x", "99999999999"])
def test_a_line_the_file_has_not_is_said(store: MemoryStore, browser: Client, line: str) -> None:
    write(store, "a.md", "one\ntwo\n")

    html = page(browser, f"{url_of(store, 'a.md')}?view=readers&line={line}")

    assert "No such line" in html
    assert ("The file has 2 lines; line 3 is none of them." in html) == (line == "3")


@pytest.mark.parametrize("view", ["blame", "readers"])
@pytest.mark.parametrize("part", [False, True])
def test_more_sources_and_readers_take_no_more_queries(store: MemoryStore, view: str, part: bool) -> None:
    client = browser_of(operator())
    address = f"{url_of(store, 'a.md')}?view={view}&line=1"
    counts = []
    for size in (1, 20):
        for number in range(size):
            write(store, "a.md", "one\n" + "".join(f"{number} {line}\n" for line in range(number)), actor=AGENT)
            read_in_run(store, "a.md", turn=number + 1)
        page(client, address, part=part)
        with CaptureQueriesContext(connection) as asked:
            page(client, address, part=part)
        counts.append(len(asked))

    assert counts[0] == counts[1] <= 20


@pytest.mark.parametrize("role", [*Role, None])
def test_members_see_these_views_and_others_meet_nothing(store: MemoryStore, role: Role | None) -> None:
    write(store, "a.md", "one\n", actor=AGENT)
    addresses = (blame(store, "a.md", "&line=1"), readers_at(store, "a.md", 1), url_of(store, "a.md") + "?line=1")
    client = browser_of(member(store, role) if role else operator())

    assert [client.get(address).status_code for address in addresses] == [200] * 3
    assert [browser_of(stranger()).get(address).status_code for address in addresses] == [404] * 3


def test_a_deleted_file_is_told_of_by_its_history(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\n")
    remove(store, "a.md")

    page(browser, blame(store, "a.md"), status=404)


def test_htmx_gets_the_pane_and_the_lines_without_the_page(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\n", actor=AGENT)

    html = page(browser, blame(store, "a.md", "&line=1"), part=True)

    assert "<html" not in html
    assert 'id="about"' in html
    assert groups(html) == [("Support desk, turn 6", ["one"])]


@pytest.mark.parametrize(
    ("stretches", "words"),
    [
        ([(5, 5)], "Line 5"),
        ([(9, 9), (15, 15)], "Lines 9 and 15"),
        ([(1, 4)], "Lines 1 to 4"),
        ([(1, 4), (6, 6), (8, 1200)], "Lines 1 to 4, 6 and 8 to 1,200"),
        ([(n, n) for n in range(1, 21, 2)], "Lines 1, 3, 5, 7, 9, 11, 13, 15 and 2 more"),
    ],
)
def test_numbers_of_lines_are_said_in_words(stretches: list[tuple[int, int]], words: str) -> None:
    assert lines_in_words(stretches) == words


def _call(run: Run, command: str, cause: str = "") -> None:
    ToolCall.objects.create(
        run=run,
        tool_use_id="toolu_1",
        turn=1,
        position=1,
        name="memory",
        input={"command": command, "path": "/memories/a.md"},
        content="done",
        is_error=False,
        cause=cause,
        created_at=run.created_at,
    )
