"""What an agent was told right before it changed a file, for the pages of that file."""

from agents.access import runs_for
from agents.models import Message, Run, RunState, ToolCall
from agents.runs.history import ASSISTANT
from agents.runs.texts import plain
from agents.views.calls import asked
from memdash.web.requests import UserRequest
from memories.models import MemoryVersion
from memories.views.places import Told

WORDS = 1_200
"""How many characters of a message stand beside a file; the run's page has the whole."""


def told(request: UserRequest, version: MemoryVersion) -> Told | None:
    """Return what led to a version that a run made; None outside runs, and for a run the person may not see.

    Four queries.
    """
    run = runs_for(request.user).filter(uuid=version.run_id).first() if version.run_id else None
    if run is None:
        return None
    call = ToolCall.objects.filter(run=run, tool_use_id=version.tool_use_id).first()
    verb = asked(call.input, call.name)[0] if call else ""
    if run.state == RunState.OUTSIDE:
        return Told(plain(call.cause if call else "", WORDS), "", verb, _model(run, None))
    answer = run.messages.filter(role=ASSISTANT, turn=version.turn).first() if version.turn else None
    said = run.messages.filter(turn=0, seq__lt=answer.seq).last() if answer else None
    words = str(said.content[0].get("text", "")) if said and said.content else ""
    return Told(plain(words, WORDS), said.author if said else "", verb, _model(run, answer))


def _model(run: Run, answer: Message | None) -> str:
    return answer.model if answer and answer.model else str(run.settings.get("model", ""))
