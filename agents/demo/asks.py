"""What a person asks for, read from a message by plain patterns."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from agents.demo.words import READ_AT_MOST, known_slug, named, slugged, titled

_GREETING = re.compile(r"^\s*(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))\b[^,.!\n]{0,40}[,.!]\s*", re.I)
_COURTESY = re.compile(r"^(?:please|kindly|now|also|and)\b,?\s+", re.I)
_TICKET = re.compile(r"\b(?:ticket|case|request)\s*(?:no\.?|number)?\s*#?(\d{1,12})\b|#(\d{2,12})\b", re.I)
_SPOKEN_OF = re.compile(
    r"\b(?:it|its|they|them|their|he|she|(?:the|this|that) (?:customer|client|repository|repo))\b", re.I
)


class Subject(NamedTuple):
    """A customer or repository: its slug in paths, and its name in texts; both empty if none is meant."""

    slug: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """One message of a person: its own words, the attached texts, and what was said earlier in the same run."""

    text: str
    attachments: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()

    @property
    def request(self) -> str:
        """Return the words without greeting and courtesy, cut at a length that the patterns can bear."""
        text = _GREETING.sub("", self.text[:READ_AT_MOST]).strip()
        return _COURTESY.sub("", text)

    @property
    def ticket(self) -> str:
        """Return the number of the ticket it names, or an empty string."""
        found = (_TICKET.search(text[:READ_AT_MOST]) for text in (self.text, *self.attachments))
        return next((match[1] or match[2] for match in found if match), "")

    def subject(self, known: list[str]) -> Subject:
        """Return whom it is about: one of the slugs in ``known``, or a new name that its words give.

        Without either, one that an attachment names, or, if the words point back, one spoken of earlier.
        """
        if slug := known_slug(self.request, known):
            return Subject(slug, titled(slug))
        if name := named(self.request):
            return Subject(slugged(name), name)
        before = tuple(reversed(self.earlier)) if _SPOKEN_OF.search(self.request) else ()
        for text in self.attachments + before:
            if slug := known_slug(text, known):
                return Subject(slug, titled(slug))
        name = next((name for text in before if (name := named(text))), "")
        return Subject(slugged(name), name)
