"""Replacing a text in many files, of several stores too: where it occurs, what would become of it, and doing that."""

from memories.replacing.acting import Replaced, carry_out
from memories.replacing.hits import FIND_CHARACTERS, PUT_CHARACTERS, HitRow, TooMuch, Wanted
from memories.replacing.plans import FILES, HITS, SCANNED, FileHits, Left, Plan, Scope, planned

__all__ = [
    "FILES",
    "FIND_CHARACTERS",
    "HITS",
    "PUT_CHARACTERS",
    "SCANNED",
    "FileHits",
    "HitRow",
    "Left",
    "Plan",
    "Replaced",
    "Scope",
    "TooMuch",
    "Wanted",
    "carry_out",
    "planned",
]
