"""The scripted demo model: a stand-in for the Messages API, so that a machine without a key can run an agent.

It is no language model and must never be shown as one. Each answer is worked out from the request alone by a script, so
it is the same in any process and after any restart, and it comes over real HTTP to the real SDK. Nothing here imports
the SDK, and only ``history`` imports Django.
"""

from types import MappingProxyType
from typing import Final

LABEL: Final = "Scripted demo model"
SUPPORT_DESK: Final = "demo/support-desk"
CODE_REVIEWER: Final = "demo/code-reviewer"
MODELS: Final = MappingProxyType({SUPPORT_DESK: "Support desk", CODE_REVIEWER: "Code reviewer"})
