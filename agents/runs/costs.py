"""What runs cost, as far as somebody told the price."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Self

from agents.models import ModelPrice, Run

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """The price table as it stands now; it counts for runs of the past as well."""

    rows: dict[str, ModelPrice]

    @classmethod
    def load(cls) -> Self:
        """Read the table, once for as many runs as need it."""
        return cls({row.model: row for row in ModelPrice.objects.all()})

    def cost(self, run: Run) -> Decimal | None:
        """Return the US dollars that ``run`` has cost so far, or None if a price it needs is not known."""
        price = self.rows.get(run.settings["model"])
        if price is None:
            return None
        parts = (
            (run.input_tokens, price.input),
            (run.output_tokens, price.output),
            (run.cache_write_tokens, price.cache_write),
            (run.cache_read_tokens, price.cache_read),
        )
        total = Decimal(0)
        for tokens, each in parts:
            if tokens and each is None:
                return None
            total += tokens * (each or 0)
        return total / MILLION
