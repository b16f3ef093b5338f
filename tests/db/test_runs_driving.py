"""A run from its first message to its end."""

import pytest

from agents.models import RunState
from tests.support.runs import driven, model_api, new_run, transcript
from tests.support.stores import files_of

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_run_ends_done_with_memory_written_and_every_call_linked_to_its_versions():
    with model_api():
        run = driven(new_run())
    print(transcript(run), files_of(run.agent.store))
    for c in run.tool_calls.all(): print(c, c.input, c.content, c.is_error, c.first_seq, c.last_seq, c.path)
    print(vars(run), list(run.events.values_list("seq","kind","data")))
    assert run.state == RunState.DONE
