"""What people set beside memory, and how each such act is recorded and taken back.

A setting is changed through :func:`change` alone, so that no act of a person goes unrecorded.
"""

from memories.settings.acts import Gone, allows, change, changes_of, may_set, record, right_for
from memories.settings.kinds import (
    EXISTS,
    Change,
    Group,
    Kind,
    Plain,
    Right,
    RowKind,
    Said,
    Thing,
    kind_of,
    names_in,
    plain,
    register,
    said,
)
from memories.settings.stores import holders
from memories.settings.taking_back import Fate, Step, TakenBack, kept_words, plan, take_back

__all__ = [
    "EXISTS",
    "Change",
    "Fate",
    "Gone",
    "Group",
    "Kind",
    "Plain",
    "Right",
    "RowKind",
    "Said",
    "Step",
    "TakenBack",
    "Thing",
    "allows",
    "change",
    "changes_of",
    "holders",
    "kept_words",
    "kind_of",
    "may_set",
    "names_in",
    "plain",
    "plan",
    "record",
    "register",
    "right_for",
    "said",
    "take_back",
]
