"""Labels for what looks like nothing or like something else, so that text on a page is what an agent will read.

Left alone is what belongs to a script or an emoji: the joiners of Persian and of Indic scripts, direction marks in
right-to-left text, flags and families of emoji, kinds of space, a byte order mark at the very start.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Final, Literal, NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString

from memdash.web import look_alikes
from memdash.web.html import joined

# Characters that print nothing or move others about: controls, separators of lines, format characters, fillers and
# blanks, selectors of variants, tags, private use, noncharacters and halves of pairs.
HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufdd0-\ufdef\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff\ue000-\uf8ff"
    "\U000f0000-\U0010ffff"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0xF0000, 0x10000))
    + "]"
)
# More marks on one letter than any script needs.
STACK: Final = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u064b-\u065f\u0670\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{5,}"
)
FLAG: Final = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")
UNFINISHED: Final = re.compile("(?:\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]*|\u200d)$")
"""What a cut may leave of a flag or of joined emoji: it would look as if something were hidden there."""

RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
DIRECTION_MARKS: Final = frozenset("\u200e\u200f\u061c")
JOINERS: Final = frozenset("\u200c\u200d")
JOINED_SCRIPTS: Final = frozenset(
    {
        *("ARABIC", "SYRIAC", "NKO", "MONGOLIAN", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL"),
        *("TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "KHMER", "MYANMAR", "BALINESE", "JAVANESE"),
    }
)
EMOJI_OF_OTHER_KINDS: Final = frozenset("0123456789#*\u203c\u2049\u2139\u3030\u303d")
RUN_SHOWN: Final = 16

RUN: Final = re.compile(f"{HIDDEN.pattern}+")
SPLITS_RUNS: Final = re.compile("[\r\u061c\u200c-\u200f\ufe0e\ufe0f\ufeff]")
"""Characters that may belong where they stand, so that a run of hidden ones is two runs around them."""

LABEL_BYTES: Final = 90
MARK_BYTES: Final = 120
"""What the markup of a label, and of a word that looks like another, takes at most."""

ESCAPES: Final = {"&": 4, "<": 3, ">": 3, '"': 5, "'": 5}
"""By how many bytes a character grows when it is escaped."""


class Piece(NamedTuple):
    """A stretch of the text: as it stands, a hidden character's label, or a word with what is odd about it."""

    kind: Literal["plain", "label", "word"]
    text: str
    note: str = ""


def label(text: str, *, starts: bool = True) -> SafeString:
    """Return the text escaped, with hidden characters as labels such as ``[U+202E]`` and look-alike words marked.

    ``starts`` says whether the text begins where its file does: only there a byte order mark is no surprise.
    """
    return joined(_html(piece) for piece in pieces(text, starts=starts))


def marked(text: str, spans: Iterable[tuple[int, int]], *, starts: bool = True) -> SafeString:
    """Return the same as :func:`label` with these places of the text marked; no label is marked in part."""
    inside = {place for start, end in spans for place in range(start, end)}
    html: list[str] = []
    for is_marked, parts in groupby(_stretches(text, inside, starts), key=itemgetter(0)):
        shown = joined(part for _, part in parts)
        html.append(format_html("<mark>{}</mark>", shown) if is_marked else shown)
    return joined(html)


def _stretches(text: str, inside: set[int], starts: bool) -> Iterator[tuple[bool, str]]:
    """Yield the text's pieces as HTML, plain ones cut where a mark begins or ends, and whether each is marked."""
    at = 0
    for start, end, piece in [*_found(text, starts), (len(text), len(text), None)]:
        for is_marked, places in groupby(range(at, start), key=inside.__contains__):
            found = list(places)
            yield is_marked, text[found[0] : found[-1] + 1]
        if piece:
            yield not inside.isdisjoint(range(start, end)), _html(piece)
        at = max(at, end)


def spell(text: str, *, starts: bool = True) -> str:
    """Return the same as plain text, for titles, attributes and terminals."""
    return "".join(
        piece.text + (f"[{piece.note}]" if piece.kind == "word" else "") for piece in pieces(text, starts=starts)
    )


def most_bytes(text: str) -> int:
    """Return a number of bytes that :func:`label` of the text does not exceed, much faster than labelling it."""
    size = len(text.encode(errors="surrogatepass"))
    size += sum(growth * text.count(character) for character, growth in ESCAPES.items())
    if text.isascii() and text.isprintable():
        return size
    size += LABEL_BYTES * sum(
        len(run) if SPLITS_RUNS.search(run) else min(len(run), RUN_SHOWN + 1)
        for run in RUN.findall(FLAG.sub("\n", text))
    )
    size += LABEL_BYTES * sum(1 for _ in STACK.finditer(text))
    return size + MARK_BYTES * sum(1 for _ in look_alikes.words(text))


def beginning(text: str, room: int) -> str:
    """Return the text, or as much of its beginning as takes no more than ``room`` bytes once it is labelled."""
    while most_bytes(text) > room:
        text = UNFINISHED.sub("", text[: len(text) // 2])
    return text


def pieces(text: str, *, starts: bool = True) -> Iterator[Piece]:
    """Yield the text piece by piece; their plain and word pieces joined are the text less what is hidden."""
    at = 0
    for start, end, piece in _found(text, starts):
        if start > at:
            yield Piece("plain", text[at:start])
        yield piece
        at = end
    if at < len(text):
        yield Piece("plain", text[at:])


def _html(piece: Piece) -> str:
    return piece.text if piece.kind == "plain" else _marked(piece)


@lru_cache(maxsize=1024)
def _marked(piece: Piece) -> SafeString:
    if piece.kind == "label":
        return format_html('<span class="hidden-char" title="{}">{}</span>', piece.note, piece.text)
    return format_html(
        '<span class="look-alike">{}</span><span class="hidden-char">[{}]</span>', piece.text, piece.note
    )


def _found(text: str, starts: bool) -> list[tuple[int, int, Piece]]:
    found = [
        (match.start(), match.end(), Piece("label", f"[{len(match.group())} marks]", "marks stacked on one letter"))
        for match in STACK.finditer(text)
    ]
    found += [(start, end, Piece("word", text[start:end], note)) for start, end, note in look_alikes.words(text)]
    found += _hidden(text, starts)
    return sorted(found, key=lambda part: part[:2])


def _hidden(text: str, starts: bool) -> Iterator[tuple[int, int, Piece]]:
    flags = {place for flag in FLAG.finditer(text) for place in range(flag.start() + 1, flag.end())}
    right_to_left = RIGHT_TO_LEFT.search(text) is not None
    run: list[int] = []
    for match in HIDDEN.finditer(text):
        place = match.start()
        if place in flags or _belongs(text, place, starts, right_to_left):
            continue
        if run and place != run[-1] + 1:
            yield from _labels(text, run)
            run = []
        run.append(place)
    yield from _labels(text, run)


def _labels(text: str, run: list[int]) -> Iterator[tuple[int, int, Piece]]:
    # A page of nothing but hidden characters must not become a hundred times as long.
    for place in run[:RUN_SHOWN]:
        yield place, place + 1, _label(text[place])
    if more := run[RUN_SHOWN:]:
        yield more[0], more[-1] + 1, Piece("label", f"[{len(more):,} more]", "characters that print nothing")


@lru_cache(maxsize=1024)
def _label(character: str) -> Piece:
    name = unicodedata.name(character, "a character that prints nothing").lower()
    return Piece("label", f"[U+{ord(character):04X}]", name)


def _belongs(text: str, place: int, starts: bool, right_to_left: bool) -> bool:
    character = text[place]
    before = text[place - 1] if place else ""
    after = text[place + 1 : place + 2]
    if character == "\r":
        return after == "\n"
    if character == "\ufeff":
        return starts and place == 0
    if character in DIRECTION_MARKS:
        return right_to_left
    if character in "\ufe0e\ufe0f":
        return _is_symbol(before)
    if character in JOINERS:
        return _script(before) in JOINED_SCRIPTS or (character == "\u200d" and _joins_emoji(before, after))
    return False


def _joins_emoji(before: str, after: str) -> bool:
    return (_is_symbol(before) or before in ("\ufe0f", "\u20e3")) and _is_symbol(after)


def _is_symbol(character: str) -> bool:
    return character != "" and (
        unicodedata.category(character) in ("So", "Sm", "Sk", "Cn") or character in EMOJI_OF_OTHER_KINDS
    )


def _script(character: str) -> str:
    return unicodedata.name(character, "").split(" ", 1)[0] if character else ""
