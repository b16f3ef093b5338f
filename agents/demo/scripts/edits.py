"""Single edits worked out on the lines of a file: replace one, remove one, or bring a value up to date."""

import re

from agents.demo.reading import Document
from agents.demo.turns import Call, str_replace
from agents.demo.words import keywords, mentions

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = re.compile(rf"\d{{4}}-\d\d-\d\d|\d{{1,2}} (?:{_MONTHS})(?: \d{{4}})?|(?:{_MONTHS}) \d{{1,2}}(?:, \d{{4}})?")
_CUE = re.compile(r"\b(renew|expire|end|start|due)", re.IGNORECASE)
_QUANTITY = re.compile(r"(\d[\d.,]*\d|\d)(%| ?[A-Za-z]{3,})")
_COMMON_UNIT_NAMES = "% percent minute hour day week month year line character row file time"
# Two sentences that count days need not count the same days; two that count seats do.
_COMMON_UNITS = frozenset(_COMMON_UNIT_NAMES.split())


def line_replaced(document: Document, number: int, new: str) -> Call:
    """Return the call that puts ``new`` in the place of the line with index ``number``."""
    return _replaced(document, number, [new])


def line_removed(document: Document, number: int) -> Call:
    """Return the call that takes the line with index ``number`` out of the file."""
    return _replaced(document, number, [])


def _replaced(document: Document, number: int, new: list[str]) -> Call:
    """Quote as many lines before the line as it takes to be unique, with the line feeds that bound it."""
    lines = list(document.lines)
    whole = "\n".join(lines)
    tail = "\n" if number + 1 < len(lines) else ""
    first = number
    while whole.count(old := _joined(lines[first : number + 1], first, tail)) > 1 and first:
        first -= 1
    kept = lines[first:number] + new
    if kept:
        return str_replace(document.path, old, _joined(kept, first, tail))
    # With nothing left between the two line feeds, one of them has to go as well.
    return str_replace(document.path, old, "\n" if first and tail else "")


def _joined(lines: list[str], first: int, tail: str) -> str:
    return ("\n" if first else "") + "\n".join(lines) + tail


def brought_up_to_date(document: Document, fact: str) -> Call | None:
    """Return the call that gives a line the quantity or date that ``fact`` states for the same thing.

    None if no line states it, or each states it as ``fact`` does.
    """
    for number, line in enumerate(document.lines):
        new = _with_date(_with_quantities(line, fact), fact)
        if new != line:
            return line_replaced(document, number, new)
    return None


def _with_quantities(line: str, fact: str) -> str:
    stated: dict[str, str] = {_unit(unit): amount for amount, unit in _QUANTITY.findall(_DATE.sub("", fact))}
    dates = [match.span() for match in _DATE.finditer(line)]

    def updated(match: re.Match[str]) -> str:
        amount, unit = match.groups()
        is_date = any(start <= match.start() < end for start, end in dates)
        if is_date or (_unit(unit) in _COMMON_UNITS and not _is_about_the_same(line, fact, unit)):
            return match[0]
        return stated.get(_unit(unit), amount) + unit

    return _QUANTITY.sub(updated, line)


def _unit(text: str) -> str:
    return text.strip().lower().removesuffix("s")


def _is_about_the_same(line: str, fact: str, unit: str) -> bool:
    return any(mentions(line, word) for word in keywords(fact) if word.isalpha() and _unit(word) != _unit(unit))


def _with_date(line: str, fact: str) -> str:
    cue, date = _CUE.search(fact), _DATE.search(fact)
    if not (cue and date):
        return line
    told = re.search(rf"\b{cue[1]}", line, re.IGNORECASE)
    old = _DATE.search(line, told.end()) if told else None
    return line[: old.start()] + date[0] + line[old.end() :] if old else line
