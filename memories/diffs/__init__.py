"""What changed between two texts: hunks for versions, rows for pages."""

from memories.diffs.alignment import line_hunks, line_spans, lines_between_equal_ends
from memories.diffs.authorship import attributed, from_origin, traced
from memories.diffs.endings import as_written, with_line_feeds
from memories.diffs.hunks import Hunk, carried, split_lines
from memories.diffs.merge import Conflict, Merge, merge
from memories.diffs.page import IMAGES, Diff, Note, compact, compare, counts, opened_lines, opened_text
from memories.diffs.room import Room
from memories.diffs.words import Segment, word_marks

__all__ = [
    "IMAGES",
    "Conflict",
    "Diff",
    "Hunk",
    "Merge",
    "Note",
    "Room",
    "Segment",
    "as_written",
    "attributed",
    "carried",
    "compact",
    "compare",
    "counts",
    "from_origin",
    "line_hunks",
    "line_spans",
    "lines_between_equal_ends",
    "merge",
    "opened_lines",
    "opened_text",
    "split_lines",
    "traced",
    "with_line_feeds",
    "word_marks",
]
