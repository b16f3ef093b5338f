"""Places in pages that apps fill, so that a lower layer shows what a higher one knows without importing it.

An app registers a filler in ``AppConfig.ready``; a template shows what it gives with ``{% slot "name" about=thing %}``.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.safestring import SafeString

from memdash.web.html import joined

Filler = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class RailItem:
    """One page in the rail and the bottom bar.

    ``under`` are the beginnings of the paths that belong to it besides its own; ``count`` stands at its end, in the
    accent when ``fresh``; ``key`` is the letter that follows ``g`` on the keyboard. One that is not ``compact`` is left
    out of the bottom bar, where there is room for few.
    """

    label: str
    url: str
    icon: str
    under: tuple[str, ...] = ()
    count: str = ""
    counted: str = ""
    fresh: bool = False
    key: str = ""
    compact: bool = True

    def leads_to(self, path: str) -> bool:
        """Say whether the page at ``path`` is this item's or lies below it."""
        return path == self.url or path.startswith(self.under)


class Fillings(list[Any]):
    """What the fillers of one place returned; printed in a template, each is escaped unless it is safe already."""

    def __html__(self) -> SafeString:
        return joined(self)

    def __str__(self) -> str:
        # A variable in a template is made text before anybody asks whether it is safe.
        return self.__html__()


_fillers: dict[str, list[tuple[int, Filler]]] = defaultdict(list)


def register(place: str, filler: Filler, *, order: int = 0) -> None:
    """Have ``filler(request, **about)`` called wherever ``place`` is shown; lower orders come first.

    A filler returns safe HTML, a value that the template knows how to show, a list of such values, or None for nothing.
    Registering the same filler twice is the same as once.
    """
    entry = (order, filler)
    if entry not in _fillers[place]:
        _fillers[place].append(entry)
        _fillers[place].sort(key=lambda known: known[0])


def fill(place: str, request: HttpRequest, **about: Any) -> Fillings:
    """Return what the fillers of ``place`` have to show, in order; a list counts as each of its values."""
    fillings = Fillings()
    for _, filler in _fillers.get(place, ()):
        filling = filler(request, **about)
        if isinstance(filling, list):
            fillings.extend(filling)
        elif filling is not None:
            fillings.append(filling)
    return fillings
