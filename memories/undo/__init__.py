"""Taking back what an act did: a run, a person's change, a bulk action, an import, or an undo."""

from memories.undo.acting import AnswerMissing, NothingToUndo, Replies, Reply, Undone, plan, undo
from memories.undo.plans import Answer, FilePlan, Reason, Target, Verdict, fingerprint

__all__ = [
    "Answer",
    "AnswerMissing",
    "FilePlan",
    "NothingToUndo",
    "Reason",
    "Replies",
    "Reply",
    "Target",
    "Undone",
    "Verdict",
    "fingerprint",
    "plan",
    "undo",
]
