"""Programs elsewhere keep their memory here: the ones we tell people to paste, with the demo model, over HTTP."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.claude.memory_tool import MemoryTool
from agents.demo import SUPPORT_DESK
from agents.demo.server import DemoServer
from agents.snippets import snippets
from memdash.client import MemdashMemoryTool
from memories.models import MemoryStore
from tests.support.demo import TICKET, Conversation
from tests.support.memory_server import answering, relayed
from tests.support.server import Server, up
from tests.support.servers import missing
from tests.support.shell import environment, memdash
from tests.support.stores import files_of, new_store

QUESTION = "What do you know about Acme Corp?"
MODEL = "claude-opus-5-5"
PYTHON = ("python", "python-async", "python-loop")
PROGRAMS = (*PYTHON, "typescript")
NODE = Path(__file__).parent.parent / "node"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data folder of an installation."""
    folder = tmp_path_factory.mktemp("installation")
    assert memdash("migrate", data=folder).returncode == 0
    return folder


@pytest.fixture(scope="module")
def tokens(data: Path) -> dict[str, str]:
    """Return a token for the store of each program, by its name, and for two more."""
    made: dict[str, str] = stores(data, "make", *PROGRAMS, "curl", "unlucky")
    return made


@pytest.fixture(scope="module")
def server(data: Path, tokens: dict[str, str]) -> Iterator[Server]:
    """Run the installation."""
    with up(data) as running:
        running.sign_in()
        yield running


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    """Return the address of the demo model, under the name that the programs ask for."""
    with DemoServer(pace=0, also={MODEL: SUPPORT_DESK}) as serving:
        yield serving.url


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the TypeScript SDK and a compiler."""
    if not shutil.which("node") or not shutil.which("npm"):
        missing("node", "Node and npm are not installed")
    folder = tmp_path_factory.mktemp("node")
    shutil.copytree(NODE, folder, dirs_exist_ok=True)
    install = ["npm", "install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]
    patience = ["--fetch-retries", "1", "--fetch-retry-mintimeout", "1000", "--fetch-timeout", "60000"]
    try:
        subprocess.run([*install, *patience], cwd=folder, capture_output=True, timeout=300, check=True)
    except subprocess.SubprocessError:
        missing("node", "npm could not install the TypeScript SDK")
    return folder


def stores(data: Path, *arguments: str) -> Any:
    """Make or look at stores of the installation, in a process of its own."""
    return json.loads(ran([sys.executable, "-m", "tests.support.outside_stores", *arguments], environment(data)))


def ran(command: list[str], environ: dict[str, str], folder: Path | None = None) -> str:
    """Run a command to its end and return what it printed."""
    done = subprocess.run(command, env=environ, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def converse(server: Server, tokens: dict[str, str], model: str) -> Any:
    """Return a function that runs a program we tell people to paste, asking ``question``, and returns what it says."""

    def run(name: str, question: str, node: Path | None = None) -> str:
        text = next(snippet.text for snippet in snippets(server.address, name) if snippet.name == name)
        assert text.count(QUESTION) == 1
        program = text.replace(QUESTION, question)
        environ = {
            **os.environ,
            "MEMDASH_TOKEN": tokens[name],
            "ANTHROPIC_API_KEY": "any-key",
            "ANTHROPIC_BASE_URL": model,
        }
        if node is None:
            return ran([sys.executable, "-W", "error", "-c", program], environ)
        (node / "program.ts").write_text(program, encoding="utf-8")
        ran(["npx", "tsc"], environ, node)
        return ran(["node", "program.js"], environ, node)

    return run


@pytest.fixture
def memory(db: None) -> MemoryStore:
    """Return a store of this process."""
    return new_store()


@pytest.fixture
def here(memory: MemoryStore) -> Conversation:
    """Return the same conversation as it goes with the tool of this process."""
    conversation = Conversation(SUPPORT_DESK, MemoryTool(memory.slug))
    conversation.say(TICKET)
    return conversation


def shown(server: Server, uuid: str) -> str:
    """Return the words of a run's page, as a person sees them."""
    status, page = server.browser.get(f"/runs/{uuid}/")
    assert status == 200
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def ids_of(conversation: Conversation) -> list[tuple[int, str]]:
    """Return the turn and the model's own id of each call."""
    return [
        (turn, block["id"])
        for turn, answer in enumerate(conversation.answers, 1)
        for block in answer["content"]
        if block["type"] == "tool_use"
    ]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_leaves_the_memory_that_a_run_here_leaves_and_is_shown_as_a_run(
    name: str,
    converse: Any,
    data: Path,
    memory: MemoryStore,
    here: Conversation,
    server: Server,
    request: pytest.FixtureRequest,
) -> None:
    node = request.getfixturevalue("node") if name == "typescript" else None

    said = converse(name, TICKET, node)

    assert said.strip() == here.answers[-1]["content"][-1]["text"].strip()
    told = stores(data, "tell", name)[name]
    assert told["files"] == {path: text.decode() for path, text in files_of(memory).items()}
    (run,) = told["runs"]
    assert (run["state"], run["title"]) == ("outside", TICKET)
    calls = [(call["input"], call["is_error"], call["cause"]) for call in run["calls"]]
    assert calls == [(use.input, use.is_error, TICKET) for use in here.uses]
    assert run["reads"] == [use.input["path"] for use in here.uses if use.command == "view" and not use.is_error]
    turns, ids = zip(*ids_of(here), strict=True)
    assert tuple(call["turn"] for call in run["calls"]) == turns
    if name in PYTHON:
        assert tuple(call["tool_use_id"] for call in run["calls"]) == ids
    page = shown(server, run["uuid"])
    assert f"as the program tells it {TICKET}" in page
    assert f"Tool calls {len(here.uses)}, 2 failed" in page
    for path in {*told["files"], *run["reads"]}:
        assert path.removeprefix("/memories/") in page


def test_the_next_conversation_is_a_run_of_its_own_that_finds_what_the_first_has_stored(
    converse: Any, data: Path
) -> None:
    before = len(stores(data, "tell", "python")["python"]["runs"])
    converse("python", "Remember that customer Initech prefers calls.")

    answer = converse("python", "What do you know about Initech?")

    assert "Prefers calls (customers/initech.md, line 3)" in answer
    assert len(stores(data, "tell", "python")["python"]["runs"]) == before + 2


def test_the_request_for_a_shell_shows_the_empty_memory(server: Server, tokens: dict[str, str]) -> None:
    if not shutil.which("curl"):
        missing("curl", "it is not installed")
    text = next(each.text for each in snippets(server.address, "curl") if each.name == "curl")

    said = json.loads(ran(["sh", "-c", text], {**os.environ, "MEMDASH_TOKEN": tokens["curl"]}))

    assert said.keys() == {"content", "is_error"}
    assert said["content"].endswith("\n0B\t/memories")


def test_a_change_whose_answer_is_lost_on_the_way_is_made_once(
    server: Server, tokens: dict[str, str], data: Path
) -> None:
    lost, passed = relayed(server.address, is_lost=True), relayed(server.address)
    with answering(lost, passed, lost, lost, passed, lost, passed) as between:
        memory = MemdashMemoryTool(url=between.url, store="unlucky", token=tokens["unlucky"])

        memory.call({"command": "create", "path": "/memories/a", "file_text": "one\n"})
        for line in ("two", "three"):
            memory.call({"command": "insert", "path": "/memories/a", "insert_line": 0, "insert_text": line})

    assert len(between.bodies) == 7
    told = stores(data, "tell", "unlucky")["unlucky"]
    assert told["files"] == {"/memories/a": "three\ntwo\none\n"}
    assert len(told["runs"][0]["calls"]) == 3
