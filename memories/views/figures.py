"""What a text costs to read, as far as that can be told without asking a model."""

from typing import Final

BYTES_PER_TOKEN: Final = 4


def about_tokens(size: int) -> int:
    """Return about how many tokens ``size`` bytes of text are, to two digits."""
    tokens = -(-size // BYTES_PER_TOKEN)
    return tokens if tokens < 100 else round(tokens, 2 - len(str(tokens)))
