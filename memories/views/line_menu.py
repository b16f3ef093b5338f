"""The menu of a line in a file's text: to mend it, to see who wrote it, to see who read it since."""

import re
from dataclasses import dataclass
from typing import Final

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memdash.web.html import filled
from memdash.web.markdown import Marks
from memories.models import MemoryEntry

LAST_END: Final = re.compile(r"\n\Z")
BLANK: Final = 0
"""The number in the menu that scripts copy for the line somebody picks."""


@dataclass(frozen=True, slots=True)
class LineMenu:
    """Where to go from a line; ``fix`` is empty for those who may not change the file."""

    number: int
    fix: str = ""

    @property
    def wrote(self) -> str:
        return f"?view=blame&line={self.number}"

    @property
    def read(self) -> str:
        return f"?view=readers&line={self.number}"


@dataclass(frozen=True, slots=True)
class LineMenus:
    """The menus of all lines of a file; ``picked`` is the line whose menu is open, ``before`` what links to lines."""

    entry: MemoryEntry
    may_write: bool
    picked: int | None
    before: str = "?line="

    @property
    def blank(self) -> LineMenu:
        return self.of(BLANK)

    @property
    def open(self) -> LineMenu | None:
        return self.of(self.picked) if self.picked else None

    def of(self, number: int) -> LineMenu:
        """Return the menu of a line."""
        fix = reverse("memories:edit", args=[self.entry.uuid]) + f"?line={number}" if self.may_write else ""
        return LineMenu(number, fix)

    def marks(self) -> Marks:
        """Return what stands in rendered Markdown: a link before each line, the open menu after its own."""
        if not self.open:
            return Marks(self._link, None, "")
        bar = render_to_string("memories/line_bar.html", {"menu": self.open})
        # Within code the end of the template would show as an empty line.
        return Marks(self._link, self.picked, filled(bar, LAST_END, lambda _: ""))

    def _link(self, number: int) -> SafeString:
        current = format_html(' aria-current="{}"', "true") if number == self.picked else ""
        return format_html('<a href="{0}{1}"{2}>{1}</a>', self.before, number, current)
