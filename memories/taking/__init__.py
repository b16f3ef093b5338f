"""Comparing a store with another, or with itself at a moment, and taking files across as one act."""

from memories.taking.acting import Taken, take
from memories.taking.comparing import Choice, Comparison, Side, compared

__all__ = ["Choice", "Comparison", "Side", "Taken", "compared", "take"]
