"""The two scenarios: which script answers which message."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from agents.demo import CODE_REVIEWER, SUPPORT_DESK
from agents.demo.asks import Ask
from agents.demo.scripts import reviews, tickets
from agents.demo.scripts.notes import forget, remember, tidy_up
from agents.demo.scripts.questions import answer_question, overview
from agents.demo.scripts.renames import rename_topic
from agents.demo.scripts.steps import CannotLook
from agents.demo.scripts.topics import Topics
from agents.demo.turns import Script
from agents.demo.words import keywords

Scenario: TypeAlias = Callable[[Ask], Script]


def _beginning(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


_REMEMBER = _beginning(
    r"(?:remember|note|keep in mind|write down|store|save)\b[\s,:]*(?:down |that |this:? )?\s*(\S.*)"
)
_FORGET = _beginning(
    r"(?:forget|delete|remove|erase)\b(?: everything| all| what)?(?: that)?(?: you (?:know|have))?"
    r"(?: about| on| that)?\s+(\S.*)"
)
_RENAME = _beginning(r"rename\s+(\S.*?)\s+(?:to|into)\s+(\S.*)|(\S.{0,80}?)\s+is\s+now\s+called\s+(\S.*)")
_WORK = _beginning(
    r"(?:can you |could you |will you )?(?:reply|answer|respond|draft|write|handle|work|take|look|review|check)\b"
)
_QUESTION = _beginning(
    r"(?:what|when|where|who|whom|whose|which|how|why|is|are|do|does|did|has|have|can|could|should|will)\b"
    r"|(?:tell me|show|list|summari[sz]e)\b|.*\?\s*$"
)
_TIDY = _beginning(r"(?:do (?:a|the|your) )?(?:(?:daily|weekly|monthly) )?(?:clean|tidy)(?:ing)?[ -]?up\b")
_CLOSE = re.compile(r"^(?:close|resolve|finish)\b|\bis (?:closed|resolved|solved)\b", re.IGNORECASE)


def support_desk(ask: Ask) -> Script:
    """Answer tickets from the customers' files and the policies."""
    if ask.ticket and _CLOSE.search(ask.request):
        return _seeing(tickets.close(ask))
    return _seeing(_order(ask, tickets.TOPICS) or _question(ask, tickets.TOPICS) or tickets.reply(ask))


def code_reviewer(ask: Ask) -> Script:
    """Check code against the rules in memory."""
    return _seeing(_order(ask, reviews.TOPICS) or _question(ask, reviews.TOPICS) or reviews.review(ask))


def _seeing(script: Script) -> Script:
    """Return the script with an end of its own for when the memory does not say what it holds."""
    try:
        return (yield from script)
    except CannotLook as why:
        return f"I could not look at my memory, so I neither know nor changed anything: {why}."


def _order(ask: Ask, topics: Topics) -> Script | None:
    """Return the script for what a person orders the memory itself to do, or None."""
    if match := _REMEMBER.match(ask.request):
        return remember(replace(ask, text=match[1]), topics)
    if match := _RENAME.match(ask.request):
        return rename_topic(match[1] or match[3], (match[2] or match[4]).rstrip(" .!\n"), topics)
    if match := _FORGET.match(ask.request):
        return forget(ask, match[1].rstrip(" .!\n"), topics)
    return tidy_up() if _TIDY.match(ask.request) else None


def _question(ask: Ask, topics: Topics) -> Script | None:
    """Return the script for what a person wants to know, or None if there is work to do."""
    if _WORK.match(ask.request):
        return None
    is_question = bool(_QUESTION.match(ask.request))
    if is_question and (keywords(ask.request) or ask.subject([]).slug):
        return answer_question(ask, topics)
    is_small_talk = len(ask.request.split()) < 4 and not ask.ticket and not ask.attachments
    return overview(topics) if is_question or is_small_talk else None


SCENARIOS: Mapping[str, Scenario] = MappingProxyType({SUPPORT_DESK: support_desk, CODE_REVIEWER: code_reviewer})
