"""Where a model is reached, and why it cannot be."""

from dataclasses import dataclass, field

from django.conf import settings

from agents.claude.addresses import AddressRefused, NameUnknown, check_base_url
from agents.claude.answers import Final, Transient

PUBLIC_URL = "https://api.anthropic.com"
DEMO_PREFIX = "demo/"

NO_KEY = "There is no key for Claude on this server: ANTHROPIC_API_KEY is not set."
NO_KEY_ADVICE = (
    "Ask the operator to set it and restart memdash, then retry. To try memdash without a key, give the agent the"
    " scripted demo model, demo/support-desk."
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address of the Messages API and the key for it; ``allow_private`` lets it be on this machine or network."""

    base_url: str
    api_key: str = field(repr=False)
    allow_private: bool = False


def obstacle(model: str) -> str:
    """Return why no run of ``model`` can start here and what to do about it, or "" if nothing is known against it."""
    if model.startswith(DEMO_PREFIX) or settings.MEMDASH_ANTHROPIC_API_KEY:
        return ""
    return f"{NO_KEY} {NO_KEY_ADVICE}"


def endpoint_for(model: str) -> Endpoint:
    """Return where ``model`` is reached; of a demo model, the scripted server in this process, started at need.

    Raises Final without a key or with an address that may not be called, and Transient when its name does not resolve.
    """
    if model.startswith(DEMO_PREFIX):
        from agents.demo.server import ensure_server  # noqa: PLC0415  (only runs of the demo model need a server)

        return Endpoint(ensure_server(pace=settings.MEMDASH_DEMO_PACE), "scripted", allow_private=True)
    if not settings.MEMDASH_ANTHROPIC_API_KEY:
        raise Final(NO_KEY, NO_KEY_ADVICE)
    allow_private = settings.MEMDASH_ALLOW_PRIVATE_BASE_URL
    try:
        url = check_base_url(settings.MEMDASH_ANTHROPIC_BASE_URL or PUBLIC_URL, allow_private=allow_private)
    except AddressRefused as refused:
        raise Final(str(refused), "Ask the operator to correct it and restart memdash, then retry.") from None
    except NameUnknown as unknown:
        raise Transient(str(unknown)) from None
    return Endpoint(url, settings.MEMDASH_ANTHROPIC_API_KEY, allow_private)
