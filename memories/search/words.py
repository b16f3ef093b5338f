"""What a word is: the same for every database, since both are given words that were made here.

A word is a run of letters and digits of any script, written small and without accents. What prints nothing is not
there: a word that hides a soft hyphen or a zero width space is found all the same. Scripts that set no spaces between
words have each character for a word, and so has each pictogram; a query of several is then a phrase.
"""

import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

WORD: Final = 100
"""Characters by which a word is known; of a longer one these are the first."""

APART: Final = ("CJK ", "HIRAGANA ", "KATAKANA ", "BOPOMOFO ", "THAI ", "LAO ", "KHMER ", "MYANMAR ", "TIBETAN ")
SYLLABLES: Final = range(0xAC00, 0xD7A4)
"""Of Korean; taken apart into letters they would be three times as long."""

SELECTORS: Final = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0xFE00, 0xFE10)}
"""What prints nothing although it counts as a letter, a mark or a symbol."""


class _Folding(dict[int, str]):
    """What becomes of each character, found out when it is first met."""

    def __missing__(self, code: int) -> str:
        folded = _folded(chr(code))
        self[code] = folded
        return folded


_FOLDING: Final = _Folding()


class Place(NamedTuple):
    """A word of a text, whole however long it is, and where it stands there."""

    word: str
    start: int
    end: int


def fold(text: str) -> str:
    """Return the text in small letters without accents, with spaces in place of all that belongs to no word."""
    return text.translate(_FOLDING)


def words_of(text: str) -> list[str]:
    """Return the words of the text in their order."""
    return [word[:WORD] for word in fold(text).split()]


def spaced(text: str) -> str:
    """Return the words of the text with one space before and behind each, so that a word can be looked for."""
    words = words_of(text)
    return f" {' '.join(words)} " if words else ""


def places(text: str) -> Iterator[Place]:
    """Yield the words of the text with their places."""
    word, start, end = "", 0, 0
    for at, character in enumerate(text):
        parts = _FOLDING[ord(character)]
        if word and not parts:
            # An accent, or what prints nothing, belongs to the letter before it.
            end = at + 1
        for part in parts:
            if part != " ":
                start = start if word else at
                word, end = word + part, at + 1
            elif word:
                yield Place(word, start, end)
                word = ""
    if word:
        yield Place(word, start, end)


def _folded(character: str) -> str:
    code = ord(character)
    if code in SYLLABLES:
        return character
    if code in SELECTORS:
        return ""
    small = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(map(_kept, small))


def _kept(character: str) -> str:
    kind = unicodedata.category(character)
    if ord(character) in SELECTORS or kind in ("Cf", "Cs") or (kind[0] == "M" and unicodedata.combining(character)):
        return ""
    if kind[0] in "LNM" or kind == "Co":
        return f" {character} " if unicodedata.name(character, "").startswith(APART) else character
    return f" {character} " if kind == "So" else " "
