"""Names that several things bear: whoever may see two of one name sees the slug beside each."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol

from django.contrib.auth.models import User
from django.db.models import Count, Model, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memdash.web import hidden_text

_reachable: Final[dict[type, Callable[[User], QuerySet[Any]]]] = {}


class Named(Protocol):
    """A row with a name that others may bear, and a slug that is its own."""

    name: str
    slug: str


def register(kind: type[Model], reachable: Callable[[User], QuerySet[Any]]) -> None:
    """Have rows of this kind told apart among those that ``reachable`` says a person may see."""
    _reachable[kind] = reachable


def all_read(request: HttpRequest, kind: type[Model], things: Iterable[Named]) -> None:
    """Tell names of this kind apart by all things that the person may see, which were read anyway: no query then."""
    borne = Counter(thing.name for thing in things)
    known = request.__dict__.setdefault("_names_borne_twice", {})
    known[kind] = frozenset(name for name, bearers in borne.items() if bearers > 1)


def slug_beside(request: HttpRequest, thing: Named) -> str:
    """Return the thing's slug if the person may see another of its kind and name, else "".

    One query a page for each kind; raise KeyError for a kind that nobody registered.
    """
    known: dict[type, frozenset[str]] = request.__dict__.setdefault("_names_borne_twice", {})
    kind = type(thing)
    if kind not in known:
        assert isinstance(request.user, User)
        names = _reachable[kind](request.user).order_by().values_list("name").annotate(bearers=Count("pk"))
        known[kind] = frozenset(name for name, _ in names.filter(bearers__gt=1))
    return thing.slug if thing.name in known[kind] else ""


def label(request: HttpRequest, thing: Named) -> str:
    """Return the thing's name, with the slug behind it where the name alone does not tell."""
    slug = slug_beside(request, thing)
    return f"{thing.name} ({slug})" if slug else thing.name


def shown(request: HttpRequest, thing: Named) -> SafeString:
    """Return the same as HTML, hidden characters labelled."""
    slug = slug_beside(request, thing)
    name = format_html("<bdi>{}</bdi>", hidden_text.label(thing.name))
    return format_html('{} <span class="slug">{}</span>', name, slug) if slug else name
