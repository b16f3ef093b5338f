"""The one place where text becomes HTML that Django does not escape again."""

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

import nh3
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

LINK_REL: Final = "noopener noreferrer nofollow"
TAGS: Final = frozenset(
    {
        *("a", "p", "br", "hr", "ul", "ol", "li", "strong", "em", "s", "code", "pre", "blockquote", "span"),
        *("h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
    }
)
ATTRIBUTES: Final = {"a": {"href", "title"}, "span": {"title"}, "ol": {"start"}}
CLASSES: Final = {"a": {"missing"}, "span": {"hidden-char", "look-alike", "link-target"}}
SCHEMES: Final = frozenset({"http", "https", "mailto"})


def joined(parts: Iterable[Any]) -> SafeString:
    """Return the parts one after another, each escaped unless it is safe already."""
    return mark_safe("".join(conditional_escape(part) for part in parts))  # noqa: S308 (each is escaped)


def cleaned(html: str) -> SafeString:
    """Return of ``html`` the tags, attributes, classes and link schemes on the lists above, and all its text."""
    kept = nh3.clean(
        html,
        tags=set(TAGS),
        attributes=ATTRIBUTES,
        allowed_classes=CLASSES,
        url_schemes=set(SCHEMES),
        link_rel=LINK_REL,
    )
    return mark_safe(kept)  # noqa: S308 (made safe in the line above)


def filled(html: SafeString, places: re.Pattern[str], part: Callable[[re.Match[str]], Any]) -> SafeString:
    """Return ``html`` with ``part`` in each of its ``places``, escaped unless it is safe already.

    The places stand in its text and not within a tag.
    """
    return mark_safe(places.sub(lambda place: conditional_escape(part(place)), html))  # noqa: S308 (each is escaped)
