"""A program of somebody's own that runs a model with the SDK's runner over a store, as the SDK documents it.

Called with the store's slug, the address of the model and a message; prints the model's last words.
"""

import os
import sys

import anthropic
import django

os.environ["DJANGO_SETTINGS_MODULE"] = "memdash.settings"
django.setup()

from agents.claude.memory_tool import MemoryTool  # noqa: E402  (after Django has its settings)

_, store, address, message = sys.argv

runner = anthropic.Anthropic(api_key="any-key", base_url=address).beta.messages.tool_runner(
    model="demo/support-desk",
    max_tokens=4096,
    messages=[{"role": "user", "content": message}],
    tools=[MemoryTool(store, label="own program")],
    thread=False,
)
print("".join(block.text for block in runner.until_done().content if block.type == "text"))
