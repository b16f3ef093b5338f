"""Words in letters that look like others: another alphabet inside a word, full-width or mathematical letters."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

# Letters that most fonts draw as a Latin letter. Alphabets whose letters look like nothing else need no mark.
CYRILLIC: Final = "аеорсухѵіјѕһԁԛԝӏкгАВЕЅІЈКМНОРСТУХҮԌԚԜѴ"
GREEK: Final = "αεγικνορτυχωϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ"
ARMENIAN: Final = "ոսհօցզգՏՍՕԼՈ"
DRAWN_AS_LATIN: Final = frozenset(CYRILLIC + GREEK + ARMENIAN)
ALPHABETS: Final = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN")

FULL_WIDTH: Final = "\uff21-\uff3a\uff41-\uff5a"
MATHEMATICAL: Final = "\U0001d400-\U0001d7cb"
SUSPECT: Final = re.compile(f"[{CYRILLIC}{GREEK}{ARMENIAN}{FULL_WIDTH}{MATHEMATICAL}]")
STYLED: Final = re.compile(f"[{FULL_WIDTH}{MATHEMATICAL}]{{2,}}")
WORD: Final = re.compile(r"[^\W\d_]{2,}")


def words(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and reason ("Latin and Cyrillic letters") of each word that looks like another."""
    if not SUSPECT.search(text):
        return
    disguised = _whole_words_in_disguise(text)
    reasons = {word: _reason(word, disguised) for word in set(WORD.findall(text))}
    for match in WORD.finditer(text):
        if reason := reasons[match.group()]:
            yield match.start(), match.end(), reason


def _reason(word: str, disguised: frozenset[str]) -> str:
    if not SUSPECT.search(word):
        return ""
    if styled := STYLED.search(word):
        return "full-width letters" if styled.group()[0] < MATHEMATICAL[0] else "mathematical letters"
    alphabets = [name for name in ALPHABETS if name in _alphabets(word)]
    if len(alphabets) > 1 and not DRAWN_AS_LATIN.isdisjoint(word):
        return " and ".join(name.capitalize() for name in alphabets) + " letters"
    if word in disguised:
        return f"{alphabets[0].capitalize()} letters"
    return ""


def _whole_words_in_disguise(text: str) -> frozenset[str]:
    """Return the words all of whose letters look Latin, in alphabets in which nothing else is written here.

    Russian has words such as "сахар" that could be Latin by their looks; among other Russian words that is chance.
    """
    found: dict[str, set[str]] = {}
    native: set[str] = set()
    for word in set(WORD.findall(text)):
        alphabets = _alphabets(word) - {"LATIN"}
        if DRAWN_AS_LATIN.issuperset(word):
            for name in alphabets:
                found.setdefault(name, set()).add(word)
        else:
            native |= alphabets
    return frozenset(word for name, words in found.items() if name not in native for word in words)


def _alphabets(word: str) -> set[str]:
    return {_alphabet(letter) for letter in set(word)}


@lru_cache(maxsize=4096)
def _alphabet(letter: str) -> str:
    return unicodedata.name(letter, "").split(" ", 1)[0]
