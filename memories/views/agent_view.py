"""What an agent gets when it views a path, now or at a past moment: the exact answer of the memory tool.

Looking here is no access.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET

from memdash.web import hidden_text
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import access, tool
from memories.models import MemoryEntry, MemoryStore, State
from memories.moments import time_of
from memories.paths import MemoryPath
from memories.refusals import PathRefused
from memories.views import addresses
from memories.views.figures import about_tokens
from memories.views.levels import unlisted
from memories.views.places import Link, above
from memories.views.texts import PAGE_HTML
from memories.views.time_tree import moment_in

SHOWN_CHARACTERS: Final = 24_000
"""What a page shows of one answer; the download has it whole."""

PIECE_HTML: Final = 7
"""What the markup of a piece takes."""

HIDDEN: Final = 20
LISTED_LEVELS: Final = 2
ROOT: Final = MemoryPath.ROOT.text
RANGE: Final = re.compile(r"\s*\[?\s*(-?\d{1,9})\s*(?:,|-|–|\s)\s*(-?\d{1,9})\s*\]?\s*", re.ASCII)
BLANKS: Final = re.compile(r"(\t| {2,}| $)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the output; ``kind`` is "tab", "blank" for blanks that the eye would miss, or empty."""

    kind: str
    html: SafeString


@dataclass(frozen=True, slots=True)
class Answer:
    """A tool result as a page shows it: the beginning of its text, in pieces."""

    text: str
    is_error: bool
    is_image: bool
    pieces: tuple[Piece, ...]
    left_out: int
    """Characters that only the download has."""

    @classmethod
    def of(cls, result: tool.Result) -> "Answer":
        """Return what a page shows of the tool's result; an image block has no text."""
        text = result.content if isinstance(result.content, str) else ""
        most = SHOWN_CHARACTERS
        pieces = tuple(_pieces(text[:most]))
        while sum(len(piece.html.encode()) + PIECE_HTML for piece in pieces) > PAGE_HTML:
            most //= 2
            pieces = tuple(_pieces(text[:most]))
        return cls(text, result.is_error, not isinstance(result.content, str), pieces, max(0, len(text) - most))

    @property
    def tokens(self) -> int:
        return about_tokens(len(self.text.encode()))


@require_GET
def agent_view(request: UserRequest, slug: str, path: str = "") -> HttpResponse:
    """Show what ``view`` answers for a path now; ``?range=1,40`` asks for lines, ``?download=1`` for the bytes.

    ``?at=`` asks for what it would have answered at a moment of the store. ``?path=`` takes any text, as an agent might
    send it.
    """
    store = access.store_for(request.user, slug)
    seq = moment_in(request, store) if request.GET.get("at") else None
    place = addresses.read(path)
    asked = request.GET.get("path", place.text)
    given = request.GET.get("range", "").strip()
    if "path" in request.GET and (canonical := _canonical(asked)):
        return redirect(addresses.agent_view(slug, canonical.text, range=given, at=seq))
    lines = RANGE.fullmatch(given)
    result = tool.look(store, asked, [int(lines[1]), int(lines[2])] if lines else None, at=seq)
    answer = Answer.of(result)
    if "download" in request.GET:
        return _download(answer.text)
    context: dict[str, Any] = {
        "title": f"Agent’s view of {place.relative or 'all files'} · {store.name}",
        "store": store,
        "at": above(request, store)[0].url,
        "path": place,
        "asked": asked,
        "range": given,
        "range_is_wrong": bool(given) and lines is None,
        "answer": answer,
        "seq": seq,
        "when": time_of(store, seq) if seq else None,
        "time_url": addresses.time(slug, place.text, at=store.seq if seq is None else seq),
        "entry": MemoryEntry.objects.filter(store=store).at(place).first() if asked == place.text and not seq else None,
        "hidden": _hidden(store, place) if asked == place.text and seq is None else (),
        "store_tokens": about_tokens(store.byte_count),
        "form": addresses.agent_view(slug, ROOT),
        "page": addresses.files(slug, place.text),
        "download": addresses.agent_view(slug, place.text, range=given, at=seq, download=1),
    }
    return render_page(request, "memories/agent_view.html", context)


def _canonical(asked: str) -> MemoryPath | None:
    try:
        return MemoryPath.parse(asked)
    except PathRefused:
        return None


def _pieces(text: str) -> Iterator[Piece]:
    for part in BLANKS.split(text):
        kind = {"\t": "tab", " ": "blank"}.get(part[:1], "") if BLANKS.fullmatch(part) else ""
        if part:
            yield Piece(kind, hidden_text.label(part, starts=False))


def _hidden(store: MemoryStore, folder: MemoryPath) -> list[Link]:
    """Return the pages of what a listing of the directory leaves out for its name."""
    entries = MemoryEntry.objects.filter(
        Q(path__contains="/.") | Q(path__contains="/node_modules"),
        store=store,
        state=State.LIVE,
        depth__in=range(folder.depth + 1, folder.depth + LISTED_LEVELS + 1),
        path__gt=f"{folder}/",
        path__lt=f"{folder}0",
    ).order_by("path")
    paths = [MemoryPath(path) for path in entries.values_list("path", flat=True)[:HIDDEN]]
    return [
        Link(path.relative, addresses.files(store.slug, path.text))
        for path in paths
        if unlisted(path.text) and not (path.parent != folder and unlisted(path.parent.text))
    ]


def _download(text: str) -> HttpResponse:
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="tool-result.txt"'
    return response
