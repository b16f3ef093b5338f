"""Strangers' text made fit for a row."""


def plain(text: object, limit: int) -> str:
    """Return ``text`` without NUL and lone surrogates, which a column may not hold, in at most ``limit`` characters."""
    kept = str(text).replace("\x00", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return kept if len(kept) <= limit else kept[: limit - 1] + "…"
