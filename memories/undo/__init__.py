"""Taking back what an act did: a run, a person's change, a bulk action, an import, or an undo.

Putting a store back to a moment is another aim of the same machinery.
"""

from memories.undo.acting import (
    TOGETHER,
    AnswerMissing,
    NothingToUndo,
    Undone,
    fingerprint_together,
    plan,
    siblings_of,
    undo,
    undo_together,
)
from memories.undo.answers import Replies, Reply, asked_again
from memories.undo.moments import Moment, put_back
from memories.undo.plans import Answer, FilePlan, Reason, Target, Verdict, fingerprint
from memories.undo.trails import TooMuch

__all__ = [
    "TOGETHER",
    "Answer",
    "AnswerMissing",
    "FilePlan",
    "Moment",
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
    "fingerprint_together",
    "plan",
    "put_back",
    "siblings_of",
    "undo",
    "undo_together",
]
