"""What a diff may take of a page, in bytes of HTML: with the page around it, an answer stays below 100 KB."""

from dataclasses import replace
from typing import Final

from django.utils.html import escape

from memdash.web import hidden_text
from memories.diffs import Room

FOLD: Final = 450
FOLD_LINKS: Final = 4
"""What the markup of a fold takes, and how often it holds the address of the page that opens it."""

PAGE: Final = Room(
    weigh=hidden_text.most_bytes,
    page=48_000,
    line=4_000,
    row=170,
    cut=120,
    mark=len("<ins></ins>"),
    fold=FOLD,
)

COMPACT: Final = replace(PAGE, page=8_000, line=1_000)
"""Of a diff that stands among other text and whose folds have no links."""


def room_with(open_url: str) -> Room:
    """Return the room of a page whose folds are opened by addresses that begin with ``open_url``."""
    return replace(PAGE, fold=FOLD + FOLD_LINKS * len(escape(open_url)))
