"""Models this version knows by name; any other id may be used as well, with an unknown context size."""

from dataclasses import dataclass

from agents.demo import LABEL, MODELS


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model's id, how many tokens of context it takes (None: unknown), and what else to say of it."""

    id: str
    context: int | None = None
    note: str = ""


KNOWN_MODELS = (
    KnownModel("claude-opus-5-5", 1_000_000),
    KnownModel("claude-sonnet-5-5", 1_000_000),
    KnownModel("claude-haiku-5-5", 200_000),
    *(KnownModel(model, note=f"{LABEL}, needs no key") for model in MODELS),
)
_CONTEXT = {model.id: model.context for model in KNOWN_MODELS}


def context_size(model: str) -> int | None:
    """Return how many tokens of context ``model`` takes, or None when that is not known."""
    return _CONTEXT.get(model)
