"""The memory tool as the SDK's runner, in somebody else's program, finds it."""

import anthropic
import pytest
from anthropic.tools import ToolError

from agents.claude.memory_tool import MemoryTool
from memories.models import MemoryStore, MemoryVersion, ReadEvent
from memories.store import create_store, reads
from tests.support.stores import files_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def tool() -> MemoryTool:
    create_store(name="Desk", slug="desk")
    return MemoryTool("desk", label="nightly job")


def test_a_refusal_is_the_sdks_tool_error_with_our_sentence(tool: MemoryTool) -> None:
    with pytest.raises(ToolError) as refused:
        tool.call({"command": "view", "path": "/memories/none.md"})

    assert refused.value.content == "The path /memories/none.md does not exist. Please provide a valid path."


@pytest.mark.parametrize("sent", [None, [], "view", {}, {"command": "append"}, {"command": "create"}])
def test_nothing_a_model_sends_leaks_an_exception(tool: MemoryTool, sent: object) -> None:
    with pytest.raises(ToolError, match=r"^Error: "):
        tool.call(sent)


def test_changes_and_looks_bear_the_name_of_the_program(tool: MemoryTool) -> None:
    tool.call({"command": "create", "path": "/memories/a.md", "file_text": "tea\n"})
    tool.call({"command": "view", "path": "/memories/a.md"})

    version = MemoryVersion.objects.get()
    assert (version.actor_kind, version.actor_label) == ("token", "nightly job")
    assert files_of(MemoryStore.objects.get()) == {"/memories/a.md": b"tea\n"}
    reads.flush()
    assert ReadEvent.objects.get().actor_label == "nightly job"


def test_a_command_can_be_called_by_its_name_with_the_sdks_own_objects(tool: MemoryTool) -> None:
    command = anthropic.types.beta.BetaMemoryTool20250818CreateCommand(
        command="create", path="/memories/a.md", file_text="tea\n"
    )

    assert tool.execute(command) == "File created successfully at: /memories/a.md"


def test_a_store_that_is_not_there_is_said_at_once() -> None:
    with pytest.raises(MemoryStore.DoesNotExist):
        MemoryTool("nowhere")
