"""A store as it was at a moment, rebuilt from its versions. A moment is a ``seq``: the number of changes until then."""

from memories.moments.clock import seq_at, time_of
from memories.moments.files import FileAt, file_at, file_on, files_at, files_now
from memories.moments.levels import Changed, Child, Cursor, LevelAt, Then, changed_since, levels_at, then
from memories.moments.listing import content_at, seen_at
from memories.moments.steps import Made, Mark, Steps, marks_of, steps_from

__all__ = [
    "Changed",
    "Child",
    "Cursor",
    "FileAt",
    "LevelAt",
    "Made",
    "Mark",
    "Steps",
    "Then",
    "changed_since",
    "content_at",
    "file_at",
    "file_on",
    "files_at",
    "files_now",
    "levels_at",
    "marks_of",
    "seen_at",
    "seq_at",
    "steps_from",
    "then",
    "time_of",
]
