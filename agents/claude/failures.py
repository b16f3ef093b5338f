"""What each failure of a request means for its run: ask again, or tell a person what to do."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import anthropic
import httpx2

from agents.claude.addresses import AddressRefused
from agents.claude.answers import Final, RequestFailed, Transient
from agents.claude.connection import AnswerTooLarge

PASSING_TYPES = {"overloaded_error", "api_error", "rate_limit_error", "timeout_error"}
SPENT_CODES = {
    "contract_spend_limit_reached",
    "enforced_spend_limit_reached",
    "linked_organization_spend_limit_reached",
}
MALFORMED_TRIES = 3

_ADVICE = {
    400: "Change the agent's settings, or start a new run.",
    401: "Ask the operator to check ANTHROPIC_API_KEY and restart memdash, then retry.",
    402: "Ask the operator to settle the account's billing, then retry.",
    403: "Ask the operator which models and features the key may use, or choose another model.",
    404: "Check the agent's model id.",
    413: "The conversation has grown too large to send. Start a new run, or let the agent use compaction.",
}
_OTHER_ADVICE = "Change the agent's settings, or start a new run."


def failure_of(error: Exception, *, api_key: str) -> RequestFailed:
    """Return what ``error``, raised by the SDK or below it, means; the key never stands in its text."""
    causes = list(_chain(error))
    for cause in causes:
        if isinstance(cause, AddressRefused):
            return Final(str(cause), "Ask the operator to look at ANTHROPIC_BASE_URL.")
        if isinstance(cause, AnswerTooLarge):
            return Final("The answer was larger than memdash takes.", "Ask the operator to look at ANTHROPIC_BASE_URL.")
    if isinstance(error, anthropic.APIStatusError):
        return _of_status(error, api_key)
    if isinstance(error, (httpx2.TransportError, anthropic.APIConnectionError)):
        return Transient(_of_connection(causes, api_key))
    # A stream that is no sound answer makes the SDK raise nearly anything, from ValueError to AttributeError.
    return Transient(f"The answer was malformed ({type(error).__name__}).", tries=MALFORMED_TRIES)


def _of_connection(causes: list[BaseException], api_key: str) -> str:
    if any(isinstance(cause, httpx2.ConnectTimeout) for cause in causes):
        return "The model could not be reached in time."
    if any(isinstance(cause, httpx2.TimeoutException) for cause in causes):
        return "The model fell silent."
    if any(isinstance(cause, httpx2.ConnectError) for cause in causes):
        return f"The model could not be reached: {_words(str(causes[-1]), api_key)}"
    return "The connection to the model broke."


def _of_status(error: anthropic.APIStatusError, api_key: str) -> RequestFailed:
    status, request_id = error.status_code, error.request_id or ""
    said = _words(error.api_message or "", api_key)
    in_stream = 200 <= status < 300
    passing = error.type in PASSING_TYPES if in_stream else status in {408, 409, 429} or status >= 500
    if 300 <= status < 400:
        return Final(
            "The model's address answered with a redirect, which is never followed.",
            "Ask the operator to correct ANTHROPIC_BASE_URL.",
            status=status,
            request_id=request_id,
        )
    name = f"{error.type or 'error'} while the answer was streaming" if in_stream else f"error {status}"
    cause = f"The model API answered with {name}: {said}" if said else f"The model API answered with {name}."
    if passing and error.error_code not in SPENT_CODES:
        return Transient(cause, status=status, request_id=request_id, retry_after=_retry_after(error.response))
    advice = _ADVICE[402] if error.error_code in SPENT_CODES else _ADVICE.get(status, _OTHER_ADVICE)
    return Final(cause, advice, status=status, request_id=request_id)


def _retry_after(response: httpx2.Response) -> float | None:
    """Return the seconds that the API asks to wait, or None if it names none that make sense."""
    milliseconds, value = response.headers.get("retry-after-ms"), response.headers.get("retry-after", "")
    for text, scale in ((milliseconds, 0.001), (value, 1.0)):
        if text and re.fullmatch(r"\d{1,9}(\.\d{1,6})?", text):
            return float(text) * scale
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__


def _words(text: str, api_key: str) -> str:
    """Return what a stranger said, as one short sentence without the key; "" for nothing."""
    printable = "".join(char if char.isprintable() else " " for char in text.replace(api_key, "[the key]"))
    return printable.strip()[:400].rstrip(".") + "." if printable.strip() else ""
