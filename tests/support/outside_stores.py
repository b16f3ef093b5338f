"""A program that makes stores for programs elsewhere, or tells what is in them, on the installation it is run on.

``make SLUG...`` prints a token for each store as JSON; ``tell SLUG...`` prints the files of each store, and the runs of
its agent with their calls and reads.
"""

import json
import os
import sys
from typing import Any

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "memdash.settings"
django.setup()

from django.contrib.auth.models import User  # noqa: E402  (after Django has its settings)

from agents.making import create_agent  # noqa: E402
from agents.models import Run, Scope  # noqa: E402
from agents.tokens import make_token  # noqa: E402
from memories.models import Member, MemoryStore, ReadEvent, Role  # noqa: E402
from memories.store import create_store  # noqa: E402
from tests.support.stores import files_of  # noqa: E402


def make(slug: str) -> str:
    """Make a store with an agent and return the secret of a token that may write."""
    user, _ = User.objects.get_or_create(username="mia")
    store = create_store(name=slug, slug=slug)
    Member.objects.create(user=user, store=store, role=Role.OWNER)
    agent = create_agent(name=slug, store=store)
    _, secret = make_token(agent, store, "program", Scope.WRITE, user=user, expires_at=None)
    return secret


def tell(slug: str) -> dict[str, Any]:
    """Return the files of a store and the runs of its agents."""
    store = MemoryStore.objects.get(slug=slug)
    files = {path: data.decode() for path, data in files_of(store).items()}
    return {"files": files, "runs": [of_run(run) for run in Run.objects.filter(agent__store=store).order_by("id")]}


def of_run(run: Run) -> dict[str, Any]:
    """Return what is known of a run that is led elsewhere."""
    calls = run.tool_calls.order_by("position").values("tool_use_id", "turn", "input", "is_error", "cause")
    reads = ReadEvent.objects.filter(run_id=run.uuid).order_by("id")
    return {
        "uuid": str(run.uuid),
        "state": run.state,
        "title": run.title,
        "calls": list(calls),
        "reads": [read.path for read in reads],
    }


_, act, *slugs = sys.argv
print(json.dumps({slug: {"make": make, "tell": tell}[act](slug) for slug in slugs}))
