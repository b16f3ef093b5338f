"""The settings a run started with; a later change of the agent counts from its next run."""

from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, Self

from agents.models import Agent, Run


@dataclass(frozen=True, slots=True)
class Terms:
    """A run's model, prompt, budgets (None: no limit) and context rules, with the units of ``Agent``."""

    model: str
    system_prompt: str
    max_output_tokens: int
    max_turns: int | None
    max_run_output_tokens: int | None
    max_minutes: int | None
    max_cost: str | None
    context_editing: bool
    context_trigger: int
    context_keep: int
    compaction: bool
    compaction_trigger: int

    @classmethod
    def of_agent(cls, agent: Agent) -> Self:
        """Return what a run of ``agent`` that starts now is held to."""
        values = {name: getattr(agent, name) for name in cls.__slots__}
        return cls(**values | {"max_cost": None if agent.max_cost is None else str(agent.max_cost)})

    @classmethod
    def of_run(cls, run: Run) -> Self:
        """Return what ``run`` is held to."""
        return cls(**run.settings)

    @property
    def cost_budget(self) -> Decimal | None:
        """Return the most the run may cost, in US dollars."""
        return None if self.max_cost is None else Decimal(self.max_cost)

    @property
    def context_edits(self) -> list[dict[str, Any]]:
        """Return the edits that the API makes to the context it reads; the stored history stays whole."""
        edits: list[dict[str, Any]] = []
        if self.context_editing:
            edits.append(
                {
                    "type": "clear_tool_uses_20250919",
                    "trigger": {"type": "input_tokens", "value": self.context_trigger},
                    "keep": {"type": "tool_uses", "value": self.context_keep},
                    "exclude_tools": ["memory"],
                }
            )
        if self.compaction:
            trigger = {"type": "input_tokens", "value": self.compaction_trigger}
            edits.append({"type": "compact_20260112", "trigger": trigger})
        return edits

    def as_json(self) -> dict[str, Any]:
        """Return it as ``Run.settings`` keeps it."""
        return asdict(self)
