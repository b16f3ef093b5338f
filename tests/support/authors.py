"""The pages that tell who wrote and who read a line, as tests open and read them."""

import re

from agents.models import Agent, Run, RunState
from memories.actors import Actor, ActorKind
from memories.models import MemoryStore
from tests.support.files import url_of
from tests.support.run_rows import answer, run_in, say

AGENT = Actor(ActorKind.AGENT, "Support desk", turn=6)


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
