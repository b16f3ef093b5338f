"""One act on many files that a person chose: what would become of each, and doing that as one change set."""

from memories.bulk.acting import NothingToDo, carry_out, planned
from memories.bulk.plans import MOST, Ask, AskMissing, Chosen, Plan, Row, Verdict, bytes_of
from memories.bulk.verbs import VERBS, Verb

__all__ = [
    "MOST",
    "VERBS",
    "Ask",
    "AskMissing",
    "Chosen",
    "NothingToDo",
    "Plan",
    "Row",
    "Verb",
    "Verdict",
    "bytes_of",
    "carry_out",
    "planned",
]
