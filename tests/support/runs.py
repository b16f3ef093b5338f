"""Runs as tests start and drive them: over real HTTP, against the scripted stand-in for the Messages API."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.test import override_settings

from agents import runs
from agents.demo import SUPPORT_DESK
from agents.demo.faults import Fault
from agents.demo.server import DemoServer
from agents.making import create_agent
from agents.models import Agent, Run

CLAUDE = "claude-opus-5-5"
KEY = "sk-ant-api03-made-up-for-tests"


@contextmanager
def model_api(*faults: Fault, pace: float = 0, **settings: Any) -> Iterator[DemoServer]:
    """Serve a model under the name of Claude where the settings look for it, with faults on demand."""
    with (
        DemoServer(faults=faults, pace=pace, remember=200, also={CLAUDE: SUPPORT_DESK}) as server,
        override_settings(**at(server.url), **settings),
    ):
        yield server


def at(url: str) -> dict[str, Any]:
    """Return the settings of an operator whose model answers at ``url``, with waits that suit a test."""
    return {
        "MEMDASH_ANTHROPIC_BASE_URL": url,
        "MEMDASH_ANTHROPIC_API_KEY": KEY,
        "MEMDASH_ALLOW_PRIVATE_BASE_URL": True,
        "MEMDASH_RETRY_SECONDS": 0.01,
    }


def person(name: str = "mia") -> User:
    found, _ = get_user_model().objects.get_or_create(username=name)
    return found


def new_agent(**settings: Any) -> Agent:
    return create_agent(name="Support desk", **{"model": CLAUDE, **settings})


def new_run(text: str = "Acme Ltd prefers mail on Tuesdays.", agent: Agent | None = None) -> Run:
    return runs.start(agent or new_agent(), text, user=person())


def driven(run: Run, *, patience: float = 20) -> Run:
    """Drive the run here, through its waits, until it has ended, as workers and reconcile would; return it."""
    deadline = time.monotonic() + patience
    while True:
        runs.drive(run.pk)
        run.refresh_from_db()
        if not run.is_live:
            return run
        assert time.monotonic() < deadline, f"still {run.state}: {run.detail}"
        time.sleep(0.01)


def driving(run: Run) -> threading.Thread:
    """Drive the run in a thread of its own."""
    thread = threading.Thread(target=runs.drive, args=[run.pk])
    thread.start()
    return thread


def eventually(true: Callable[[], object], *, patience: float = 10) -> None:
    """Wait until ``true`` holds, or fail."""
    deadline = time.monotonic() + patience
    while not true():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.02)


def is_streaming(run: Run, *, turn: int) -> bool:
    """Return whether some of this turn's text has come in and the answer is not whole yet."""
    return any(event.data["turn"] == turn for event in run.events.filter(kind="text"))


def transcript(run: Run) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return what was said: each message's role and blocks."""
    return [(message.role, message.content) for message in run.messages.all()]
