"""Agents that run elsewhere, their tokens, and the calls that come with them."""

from typing import Any

from agents import tokens
from agents.making import create_agent
from agents.models import Agent, ApiToken, Place, Run, Scope
from agents.runs import outside
from memories.models import Role
from memories.tool import Result
from tests.support.people import member
from tests.support.stores import new_store

NOTES = "/memories/notes.md"


def elsewhere(name: str = "Invoice helper") -> Agent:
    """Return an agent that runs elsewhere, with a store of its own."""
    return create_agent(name=name, store=new_store(), place=Place.API)


def new_token(agent: Agent | None = None, *, scope: Scope = Scope.WRITE, **given: Any) -> tuple[ApiToken, str]:
    """Return a token of the agent, made by a curator unless ``user`` is given, and its secret."""
    agent = agent or elsewhere()
    made_by = given.pop("user", None) or member(agent.store, Role.CURATOR)
    return tokens.make_token(agent, agent.store, "laptop", scope, user=made_by, expires_at=given.get("expires_at"))


def creating(path: str = NOTES, text: str = "tea\n") -> dict[str, Any]:
    return {"command": "create", "path": path, "file_text": text}


def call(token: ApiToken, tool_input: dict[str, Any], **said: Any) -> Result:
    """Execute a call as the API does, with what the program says beside the input."""
    return outside.answer(token, outside.Call(tool_input, **said))


def run_of(token: ApiToken, **said: Any) -> Run:
    """Return the run of a session with two turns, in which a file came to be and was viewed."""
    told = {"session": "s-1", "cause": "Remember the tea.", **said}
    call(token, creating(), turn=1, **told)
    call(token, {"command": "view", "path": NOTES}, turn=2, **told)
    return Run.objects.get(session=told["session"])
