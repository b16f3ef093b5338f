"""Taking back what an act did: a run, a person's change, a bulk action, an import, or an undo."""

from memories.undo.acting import AnswerMissing, NothingToUndo, Undone, plan, undo
from memories.undo.answers import Replies, Reply, asked_again
from memories.undo.plans import Answer, FilePlan, Reason, Target, Verdict, fingerprint
from memories.undo.trails import TooMuch

__all__ = [
    "Answer",
    "AnswerMissing",
    "FilePlan",
    "NothingToUndo",
    "Reason",
    "Replies",
    "Reply",
    "Target",
    "TooMuch",
    "Undone",
    "Verdict",
    "asked_again",
    "fingerprint",
    "plan",
    "undo",
]
