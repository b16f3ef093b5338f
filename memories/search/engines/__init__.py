"""The index as each database keeps it. Both are given words of ``memories.search.words``, and so agree on them."""

from django.db import connection

from memories.search.engines import postgresql, sqlite
from memories.search.engines.base import Counts, Engine, Hit

SQLITE = sqlite.Fts5()
POSTGRESQL = postgresql.Gin()


def engine() -> Engine:
    """Return the engine of the database in use."""
    return SQLITE if connection.vendor == "sqlite" else POSTGRESQL


__all__ = ["Counts", "Engine", "Hit", "engine"]
