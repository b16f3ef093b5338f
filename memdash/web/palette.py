"""Jumping to a page by its name: what apps offer for a few letters typed."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memdash.web import hidden_text, slots

PLACE: Final = "palette"
MOST: Final = 8


@dataclass(frozen=True, slots=True)
class Jump:
    """A page to jump to: its name, where it belongs, and the symbol of its kind."""

    label: str
    url: str
    icon: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Jumps of one kind, at most ``MOST`` of them."""

    name: str
    jumps: tuple[Jump, ...]


def group(name: str, jumps: Iterable[Jump]) -> Group | None:
    """Return the first jumps as a group, or None when there are none: what a filler of the palette returns."""
    first = tuple(jump for _, jump in zip(range(MOST), jumps, strict=False))
    return Group(name, first) if first else None


def groups_for(request: HttpRequest, query: str) -> list[Group]:
    """Return what matches ``query``, group by group; with an empty query, what each app finds worth offering.

    Apps register ``filler(request, query=...)`` for the place "palette".
    """
    pages = group("Pages", matching_pages(request, query))
    return [*slots.fill(PLACE, request, query=query), *([pages] if pages else [])]


def matching_pages(request: HttpRequest, query: str) -> Iterable[Jump]:
    """Return the rail's pages whose name holds the query."""
    for item in slots.fill("rail", request):
        if query.casefold() in item.label.casefold():
            yield Jump(item.label, item.url, item.icon)


def marked(label: str, query: str) -> SafeString:
    """Return the label as it is shown everywhere, with the first place where the query occurs marked."""
    start = label.lower().find(query.lower()) if query else -1
    if start < 0:
        return hidden_text.label(label)
    end = start + len(query)
    before, found, after = (hidden_text.label(part) for part in (label[:start], label[start:end], label[end:]))
    return format_html("{}<mark>{}</mark>{}", before, found, after)
