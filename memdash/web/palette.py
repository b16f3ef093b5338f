"""Jumping to a page by its name: what apps offer for a few letters typed."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Final, TypeVar

from django.db.models import Case, Model, Q, QuerySet, Value, When
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memdash.web import hidden_text, preferences, slots
from memdash.web.html import joined

Row = TypeVar("Row", bound=Model)

PLACE: Final = "palette"
ACTS: Final = "palette-acts"
SEARCH: Final = "palette-search"
ONLY_ACTS: Final = ">"
MOST: Final = 8

EXACT, BEGINS, HOLDS = range(3)
"""How near a name comes to what was typed: it is that, begins with it, or holds its words."""


@dataclass(frozen=True, slots=True)
class Jump:
    """A page to jump to: its label, where it belongs, and the symbol of its kind.

    It is known by its label, of a path by the last part, and by its slug if it has one.
    """

    label: str
    url: str
    icon: str
    place: str = ""
    slug: str = ""
    is_path: bool = False
    fields: tuple[tuple[str, str], ...] = ()
    """What it posts to ``url``, where it changes something; without them it leads there."""


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

    Names that are or begin with what was typed come first, whatever their kind, and then the others of each kind. Apps
    register ``filler(request, query=...)`` for the place "palette", and for "palette-acts" what can be done: it comes
    behind, or alone where the query begins with ">".
    """
    if query.startswith(ONLY_ACTS):
        return _acts_for(request, query.removeprefix(ONLY_ACTS).strip())
    pages = group("Pages", matching_pages(request, query))
    groups = [*slots.fill(PLACE, request, query=query), *([pages] if pages else [])]
    return [*_named_so_first(groups, query), *_acts_for(request, query)] if query else groups


def ways_to_search(request: HttpRequest, query: str) -> list[Group]:
    """Return the ways to what holds the query without being named so, from fillers of "palette-search"."""
    return [*slots.fill(SEARCH, request, query=query)] if query.removeprefix(ONLY_ACTS).strip() else []


def does(label: str, query: str) -> bool:
    """Say whether an act is what the query means: each word that was typed begins one of its label."""
    words = _words(label.casefold())
    return all(any(word.startswith(typed) for word in words) for typed in _words(query.casefold()))


def _acts_for(request: HttpRequest, query: str) -> list[Group]:
    themes = (jump for jump in _themes(request) if does(jump.label, query))
    acts = group("Actions", [*slots.fill(ACTS, request, query=query), *themes])
    return [acts] if acts else []


def _themes(request: HttpRequest) -> Iterable[Jump]:
    htmx = getattr(request, "htmx", None)
    here = (htmx and htmx.current_url_abs_path) or reverse("web:palette")
    for theme in preferences.THEMES:
        if theme != preferences.theme_of(request):
            fields = (("theme", theme), ("next", here))
            yield Jump(f"Switch to the {theme} theme", reverse("web:preferences"), "settings", fields=fields)


def holding(query: str, *fields: str) -> Q:
    """Return the condition that one of the fields holds each word of the query."""
    condition = Q()
    for field in fields:
        condition |= reduce(and_, (Q(**{f"{field}__icontains": word}) for word in _words(query)))
    return condition


def nearest_first(
    rows: QuerySet[Row], query: str, *fields: str, then: Sequence[str], is_path: bool = False
) -> QuerySet[Row]:
    """Order the rows by how near one of the fields comes to the query, and then by ``then``."""
    if not query:
        return rows.order_by(*then)
    exact, begins = (
        reduce(or_, (Q(**{f"{field}__iregex": pattern}) for field in fields))
        for pattern in _patterns(query, is_path=is_path)
    )
    nearness = Case(When(exact, then=Value(EXACT)), When(begins, then=Value(BEGINS)), default=Value(HOLDS))
    return rows.order_by(nearness, *then)


def _words(query: str) -> list[str]:
    return re.findall(r"[^\W_]+", query) or [query]


def _patterns(query: str, *, is_path: bool) -> tuple[str, str]:
    """Return what a name that is the query matches, with or without its suffix, and what one that begins with it does.

    Anything may stand between the words: "acme corp" is acme-corp.md as well.
    """
    start, rest = ("(^|/)", "[^/]*$") if is_path else ("^", "")
    words = r"(\W|_)+".join(re.escape(word) for word in _words(query))
    return rf"{start}{words}(\.[^./]*)?$", f"{start}{words}{rest}"


def _named_so_first(groups: Iterable[Group], query: str) -> list[Group]:
    near: list[tuple[int, Group]] = []
    others: list[Group] = []
    for each in groups:
        ranked = sorted(((_near(jump, query), jump) for jump in each.jumps), key=lambda pair: pair[0])
        first = tuple(jump for rank, jump in ranked if rank < HOLDS)
        rest = tuple(jump for rank, jump in ranked if rank == HOLDS)
        if first:
            near.append((ranked[0][0], Group(each.name, first)))
        if rest:
            others.append(Group(f"More {each.name.lower()}" if first else each.name, rest))
    return [each for _, each in sorted(near, key=lambda pair: pair[0])] + others


def _near(jump: Jump, query: str) -> int:
    patterns = _patterns(query, is_path=jump.is_path)
    names = (jump.label, jump.slug)
    return next(
        (rank for rank, each in enumerate(patterns) if any(re.search(each, name, re.IGNORECASE) for name in names)),
        HOLDS,
    )


def matching_pages(request: HttpRequest, query: str) -> Iterable[Jump]:
    """Return the pages whose name holds the query: those of the rail, and those that apps name for "pages"."""
    rail = (Jump(item.label, item.url, item.icon) for item in slots.fill("rail", request))
    for page in (*rail, *slots.fill("pages", request)):
        if query.casefold() in page.label.casefold():
            yield page


def marked(label: str, query: str) -> SafeString:
    """Return the label as it is shown everywhere, with the query marked where it first occurs, or else its words."""
    parts, done = [], 0
    for start, end in _places(label.lower(), query.lower()):
        parts += [
            hidden_text.label(label[done:start]),
            format_html("<mark>{}</mark>", hidden_text.label(label[start:end])),
        ]
        done = end
    return joined([*parts, hidden_text.label(label[done:])])


def _places(label: str, query: str) -> Iterable[tuple[int, int]]:
    """Return where to mark the label, from left to right and each place once."""
    end = 0
    wanted = [query] if query and query in label else _words(query) if query else []
    for start, word in sorted((label.find(word), word) for word in wanted):
        if start >= end:
            end = start + len(word)
            yield start, end
