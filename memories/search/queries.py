"""What somebody typed, as what is looked for. It is read here and nowhere else: no database sees it as it was typed."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from memories.search.words import WORD, Place, fold, places, spaced, words_of

CHARACTERS: Final = 200
MOST_TERMS: Final = 20
SHORTEST_BEGINNING: Final = 2

QUOTES: Final = str.maketrans("“”„«»", '"""""')
PIECE: Final = re.compile(r'(?P<minus>[-−–])?(?:"(?P<phrase>[^"]*)(?:"(?P<star>\*)?|$)|(?P<word>[^\s"]+))')


@dataclass(frozen=True, slots=True)
class Term:
    """Words that follow each other, of which the last may only begin so."""

    words: tuple[str, ...]
    begins: bool = False
    typed: str = field(default="", compare=False)

    @property
    def needle(self) -> str:
        """What :func:`memories.search.words.spaced` of a text holds where the text holds the term."""
        return f" {' '.join(self.words)}{'' if self.begins else ' '}"

    @property
    def said(self) -> str:
        """The term in words."""
        text = self.typed or " ".join(self.words)
        if len(self.words) > 1:
            return f"the words “{text}{'…' if self.begins else ''}” in this order"
        return f"a word that begins with “{text}”" if self.begins else f"the word “{text}”"

    def spans(self, found: list[Place]) -> Iterable[tuple[int, int]]:
        """Yield where the term stands among the words of a text."""
        *whole, last = self.words
        size = len(self.words)
        for at in range(len(found) - size + 1):
            if [place.word[:WORD] for place in found[at : at + size - 1]] != whole:
                continue
            word = found[at + size - 1].word[:WORD]
            if word == last or (self.begins and word.startswith(last)):
                yield found[at].start, found[at + size - 1].end


@dataclass(frozen=True)
class Query:
    """Terms that a file must hold, in its text or in its path, and terms that it must not hold.

    ``parts`` asks for the terms wherever they stand, within words too. ``fault`` says why nothing can be looked for.
    """

    wanted: tuple[Term, ...] = ()
    unwanted: tuple[Term, ...] = ()
    parts: bool = False
    fault: str = ""

    def __bool__(self) -> bool:
        return bool(self.wanted) and not self.fault

    @classmethod
    def read(cls, typed: str, *, parts: bool = False) -> "Query":
        """Return what was typed as a query; nothing that can be typed raises."""
        wanted: list[Term] = []
        unwanted: list[Term] = []
        for piece in PIECE.finditer(typed[:CHARACTERS].translate(QUOTES)):
            text = piece["phrase"] if piece["phrase"] is not None else piece["word"]
            begins = bool(piece["star"]) or (piece["word"] is not None and text.endswith("*"))
            if words := tuple(words_of(text)):
                (unwanted if piece["minus"] else wanted).append(Term(words, begins and not parts, text.strip("* ")))
        found = tuple(dict.fromkeys(wanted)), tuple(dict.fromkeys(unwanted))
        return cls(*found, parts, _fault(typed, *found))

    @property
    def loosened(self) -> "Query":
        """The words of the query wherever they stand: for text in which a phrase goes over the end of a line."""
        return Query(tuple(Term((word,)) for term in self.wanted for word in term.words), parts=self.parts)

    def held_by(self, line: str) -> int:
        """Return how many of the terms a line holds."""
        ready = self.prepared(line)
        return sum(needle in ready for needle in self._needles)

    def matches(self, path: str, text: str) -> bool:
        """Say whether a file of that path and text is looked for."""
        return self.found_in(self.prepared(path), self.prepared(text))

    def found_in(self, path: str, text: str) -> bool:
        """Say the same of a path and a text that are :meth:`prepared`."""
        holds = all(needle in text or needle in path for needle in self._needles)
        return holds and not any(needle in text or needle in path for needle in self._unwanted)

    def prepared(self, text: str) -> str:
        """Return a text as it is looked through."""
        return " ".join(fold(text).split()) if self.parts else spaced(text)

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Return what to mark in a line, from left to right, no two places overlapping."""
        ready = self.prepared(line)
        if not any(needle in ready for needle in self._needles):
            return []
        spans = self._parts_in(line) if self.parts else self._terms_in(line)
        joined: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if joined and start <= joined[-1][1]:
                joined[-1] = joined[-1][0], max(end, joined[-1][1])
            else:
                joined.append((start, end))
        return joined

    @property
    def said(self) -> str:
        """What is looked for, in words."""
        if self.parts:
            return _listed([f"“{term.typed}”" for term in self.wanted]) + self._said_without()
        return _listed([term.said for term in self.wanted]) + self._said_without()

    def _said_without(self) -> str:
        unwanted = [term.said.replace("the word ", "", 1) for term in self.unwanted]
        return f", without {_listed(unwanted, 'or')}" if unwanted else ""

    @cached_property
    def _needles(self) -> tuple[str, ...]:
        return tuple(self._needle(term) for term in self.wanted)

    @cached_property
    def _unwanted(self) -> tuple[str, ...]:
        return tuple(self._needle(term) for term in self.unwanted)

    def _needle(self, term: Term) -> str:
        return " ".join(term.words) if self.parts else term.needle

    def _terms_in(self, line: str) -> Iterable[tuple[int, int]]:
        found = list(places(line))
        return (span for term in self.wanted for span in term.spans(found))

    def _parts_in(self, line: str) -> Iterable[tuple[int, int]]:
        text = ""
        origins: list[tuple[int, int]] = []
        for place in places(line):
            if text:
                text += " "
                origins.append((place.start, place.start))
            # A letter that became several, or none, leaves no way to say which is which; then the word is marked.
            exact = len(place.word) == place.end - place.start
            text += place.word
            origins += [
                (place.start + at, place.start + at + 1) if exact else (place.start, place.end)
                for at in range(len(place.word))
            ]
        for needle in self._needles:
            at = text.find(needle)
            while at >= 0:
                yield origins[at][0], origins[at + len(needle) - 1][1]
                at = text.find(needle, at + len(needle))


def _fault(typed: str, wanted: tuple[Term, ...], unwanted: tuple[Term, ...]) -> str:
    if not typed.strip():
        return ""
    if not wanted:
        if unwanted:
            return "Say at least one word that a file must hold; “-” alone only leaves files out."
        return "There is no letter and no digit in what you typed, so there is no word to look for."
    if sum(len(term.words) for term in (*wanted, *unwanted)) > MOST_TERMS:
        return f"That is more than {MOST_TERMS} words. Leave some out."
    if any(term.begins and len(term.words[-1]) < SHORTEST_BEGINNING for term in (*wanted, *unwanted)):
        return f"“*” needs at least {SHORTEST_BEGINNING} letters before it."
    return ""


def _listed(parts: list[str], last: str = "and") -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"
