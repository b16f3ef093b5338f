"""Messages that the demo model understands, to begin with: each follows from those before it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from agents.demo import CODE_REVIEWER, SUPPORT_DESK

EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        SUPPORT_DESK: (
            "Remember that Acme Corp has 250 seats.",
            "How many seats does Acme Corp have?",
            "Reply to ticket 4850 from Acme Corp. The export job fails.",
            "Close ticket 4850.",
        ),
        CODE_REVIEWER: (
            "Remember that api-gateway caches answers for 60 seconds.",
            "What do you know about api-gateway?",
            "Forget that api-gateway caches answers for 60 seconds.",
        ),
    }
)
"""By model; none for a name that is no script's."""
