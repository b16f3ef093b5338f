"""The memory tool for a program of one's own that runs Claude with the SDK, over a store of this installation::

    import os
    import anthropic, django

    os.environ["DJANGO_SETTINGS_MODULE"] = "memdash.settings"
    django.setup()

    from agents.claude.memory_tool import MemoryTool

    runner = anthropic.Anthropic().beta.messages.tool_runner(
        model="claude-opus-5-5",
        max_tokens=8192,
        messages=[{"role": "user", "content": "What do you know about Acme?"}],
        tools=[MemoryTool("support-desk")],
        thread=False,
    )
    print(runner.until_done().content)

``MEMDASH_DATA`` or ``DATABASE_URL`` says which installation. ``thread=False`` makes the runner send the conversation
and the tool with each turn. Calls block, so an asynchronous program makes them in a thread.
"""

from typing import Any

from anthropic.tools import BetaAbstractMemoryTool, ToolError

from memories import tool
from memories.actors import Actor, ActorKind
from memories.models import MemoryStore


class MemoryTool(BetaAbstractMemoryTool):
    """The six commands over the store with this slug; ``label`` names the program in the store's history.

    Raises MemoryStore.DoesNotExist when there is no such store.
    """

    def __init__(self, store: str, *, label: str = "script", **options: Any) -> None:
        super().__init__(**options)
        self.store = MemoryStore.objects.get(slug=store)
        self.actor = Actor(ActorKind.TOKEN, label)

    def call(self, input: object) -> Any:
        """Answer one call with whatever the model sent; a refusal is raised as the SDK's ToolError."""
        result = tool.execute(self.store, input, self.actor)
        if result.is_error:
            raise ToolError(result.content)  # type: ignore[arg-type]  # blocks are the API's own
        return result.content

    def _command(self, command: Any) -> Any:
        return self.call(command.to_dict())

    # The SDK's way in for programs that call a command by its name; its objects hold what the model sent.
    view = create = str_replace = insert = delete = rename = _command
