"""Text of files on a page: numbered lines or rendered Markdown, a page's worth of it at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.utils.safestring import SafeString

from memdash.web import hidden_text, markdown
from memdash.web.markdown import Marks, Resolve
from memories.text import VIEW, fitting, lines_of

PAGE_LINES: Final = 500
BEFORE: Final = 20
"""How many lines stand above the one that an address asks for, where a page begins near it."""

PAGE_HTML: Final = 52_000
"""How many bytes of HTML the text of a page may take; the page around it needs the rest of the 100 KB."""

LINE_HTML: Final = 80
"""What the markup of a numbered line takes, its link included."""

LINE_CHARACTERS: Final = 8_000
RENDERED_CHARACTERS: Final = 30_000
MARKDOWN: Final = (".md", ".markdown")


@dataclass(frozen=True, slots=True)
class Line:
    """A numbered line; ``left_out`` counts the characters at its end that are not shown."""

    number: int
    html: SafeString
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Numbered:
    """A page of numbered lines. ``view_end`` is the last line of one view by an agent, where a view is cut."""

    lines: tuple[Line, ...]
    total: int
    view_end: int | None

    @property
    def first(self) -> int:
        return self.lines[0].number if self.lines else 0

    @property
    def last(self) -> int:
        return self.lines[-1].number if self.lines else 0

    def has(self, number: int) -> bool:
        """Say whether the page holds a line."""
        return self.first <= number <= self.last

    @property
    def earlier(self) -> int | None:
        """The first line of the page before this one."""
        return max(1, self.first - PAGE_LINES) if self.first > 1 else None

    @property
    def later(self) -> int | None:
        """The first line of the page after this one."""
        return self.last + 1 if self.last < self.total else None


@dataclass(frozen=True, slots=True)
class Rendered:
    """Rendered Markdown of the first ``lines`` lines; ``later`` is the first line left out."""

    html: SafeString
    lines: int
    total: int

    @property
    def later(self) -> int | None:
        return self.lines + 1 if self.lines < self.total else None


def is_markdown(name: str) -> bool:
    """Say whether a file's name calls its text Markdown."""
    return name.lower().endswith(MARKDOWN)


def numbered(text: str, first: int, *, beside: Callable[[int], int] = lambda _: 0) -> Numbered:
    """Return a page of the text's lines that begins with line ``first``, from 1; the last line where it has fewer.

    ``beside`` says how many bytes of HTML the page puts beside a line.
    """
    lines = lines_of(text)
    shown: list[Line] = []
    room = PAGE_HTML
    for number in range(max(1, min(first, len(lines))), len(lines) + 1):
        line = labelled(number, lines[number - 1])
        room -= len(line.html.encode()) + LINE_HTML + beside(number)
        if shown and (room < 0 or len(shown) == PAGE_LINES):
            break
        shown.append(line)
    return Numbered(tuple(shown), len(lines), fitting(lines) if len(text) > VIEW else None)


def page_with(
    text: str, first: int | None, wanted: int | None, *, beside: Callable[[int], int] = lambda _: 0
) -> Numbered:
    """Return the page of the text that begins with line ``first``, or one that holds the line ``wanted``."""
    page = numbered(text, first or 1, beside=beside)
    if first or not wanted or page.has(wanted):
        return page
    return numbered(text, wanted - BEFORE, beside=beside)


def labelled(number: int, line: str) -> Line:
    """Return the line escaped, its hidden characters labelled, as much of it as a page has room for."""
    most = LINE_CHARACTERS
    html = hidden_text.label(line[:most], starts=number == 1)
    while len(html.encode()) > PAGE_HTML:
        most //= 2
        html = hidden_text.label(line[:most], starts=number == 1)
    return Line(number, html, max(0, len(line) - most))


def rendered(text: str, resolve: Resolve, marks: Marks | None = None) -> Rendered:
    """Return the beginning of a Markdown text rendered, up to the end of a line; ``resolve`` knows its links."""
    total = len(lines_of(text))
    most = RENDERED_CHARACTERS
    beginning = _beginning(text, most)
    html = markdown.render(beginning, resolve=resolve, marks=marks)
    while len(html.encode()) > PAGE_HTML:
        most //= 2
        beginning = _beginning(text, most)
        html = markdown.render(beginning, resolve=resolve, marks=marks)
    return Rendered(html, len(lines_of(beginning)), total)


def _beginning(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    end = text.rfind("\n", 0, most)
    return text[: end + 1] if end > 0 else text[:most]
