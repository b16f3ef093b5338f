"""Strangers' texts and figures made fit for a row."""

from typing import Any


def plain(text: object, limit: int) -> str:
    """Return ``text`` without NUL and lone surrogates, which a column may not hold, in at most ``limit`` characters."""
    kept = str(text).replace("\x00", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return kept if len(kept) <= limit else kept[: limit - 1] + "…"


def tokens_in(usage: dict[str, Any], name: str) -> int:
    """Return a count of tokens that an endpoint claims, or 0 for anything that is no such count."""
    claimed = usage.get(name)
    return claimed if isinstance(claimed, int) and 0 <= claimed < 10**12 else 0
