"""Plain work on words: slugs, titles, names and the telling words of a sentence."""

import re
import unicodedata

READ_AT_MOST = 4_000
SLUG_AT_MOST = 60

_NAME = r"[A-ZÀ-ÖØ-Þ][\w&'’-]*(?: (?:[A-ZÀ-ÖØ-Þ0-9][\w&'’-]*|&|of|und|et)){0,4}"
_VERB = r"(?:has|have|is|are|was|now|pays|uses|renews|prefers|wants|will|needs)"
_NAMES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^(?:[Tt]he )?(?:[Cc]ustomer |[Cc]lient )?({_NAME}) {_VERB}\b",
        rf"\b(?:[Cc]ustomer|[Cc]lient|[Ff]rom|[Ff]or|[Aa]bout|[Aa]t) ({_NAME})",
        rf"\b(?:[Ii]s|[Dd]oes|[Dd]id|[Hh]as|[Ww]hen|[Ff]orget) ({_NAME})",
        rf"({_NAME})['’]s\b",
        r"\b(?:know about|forget about|forget) ([\w&-]+(?: [\w&-]+)?)\s*[?.!]*$",
    )
)
_NO_NAME_WORDS = """
    a an i we you it the this that these please ticket tickets everything anything what when where who which how why is
    are do does memory lessons lesson january february march april may june july august september october november
    december
"""
_EMPTY_WORDS = """
    a about actually all am an and any are at be been can could did do does for from give had has have how i in is it
    its know list many me memory much my of on or our please remember say show tell that the their them there they this
    to us was we what when where which who whom why will with would you your current currently now customer customers
    client clients
"""
_NO_NAMES = frozenset(_NO_NAME_WORDS.split())
_EMPTY = frozenset(_EMPTY_WORDS.split())


def cleaned(text: str) -> str:
    """Return ``text`` without what no memory file may hold: lone surrogates and control characters."""
    text = text.encode("utf-8", "replace").decode()
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) != "Cc")


def one_line(text: str, at_most: int = 400) -> str:
    """Return ``text`` on one line, cut with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= at_most else line[: at_most - 1].rstrip() + "…"


def slugged(name: str) -> str:
    """Return ``name`` as the name of a file: lower case, words joined by dashes."""
    words = re.findall(r"\w+", unicodedata.normalize("NFC", name).lower())
    return "-".join(words)[:SLUG_AT_MOST].strip("-_")


def titled(slug: str) -> str:
    """Return the words of a slug as a title."""
    return " ".join(word[:1].upper() + word[1:] for word in re.split(r"[-_]", slug))


def named(text: str) -> str:
    """Return the name of a customer that ``text`` gives, or an empty string."""
    for pattern in _NAMES:
        for match in pattern.finditer(text[:READ_AT_MOST]):
            name = re.sub(r"['’]s\b.*$", "", match[1]).strip(" '’&-")
            if name and name.split()[0].lower() not in _NO_NAMES:
                return name
    return ""


def known_slug(text: str, slugs: list[str]) -> str:
    """Return which of ``slugs`` the words of ``text`` name, by all its words or else by its first; or nothing."""
    spoken = set(re.findall(r"[^\W_]+", text[:READ_AT_MOST].lower()))
    by_length = sorted(slugs, key=lambda slug: (-len(slug), slug))
    whole = (slug for slug in by_length if spoken.issuperset(re.findall(r"[^\W_]+", slug.lower())))
    firsts = ((re.split(r"[\W_]", slug)[0], slug) for slug in by_length)
    partly = (slug for first, slug in firsts if len(first) > 2 and first in spoken and first not in _EMPTY)
    return next(whole, "") or next(partly, "")


def keywords(text: str, *, without: str = "") -> list[str]:
    """Return the telling words of ``text`` in lower case, those of the slug ``without`` left out."""
    known = set(re.split(r"[-_.]", without))
    words = (word.removesuffix("'s") for word in re.findall(r"\w[\w']*", text[:READ_AT_MOST].lower()))
    return list(dict.fromkeys(word for word in words if len(word) > 1 and word not in _EMPTY and word not in known))


def mentions(line: str, word: str) -> bool:
    """Return whether ``line`` holds ``word`` or one of the same stem, as in seat, seats or renew, renewal.

    Numbers and short words must be the same.
    """
    spoken = re.findall(r"[^\W_]+", line.lower())
    if len(word) < 4 or word.isdigit():
        return word in spoken
    stem = word[:5]
    return any(w.startswith(stem) or (len(w) > 3 and word.startswith(w)) for w in spoken)
