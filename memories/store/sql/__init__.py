"""The hand-written SQL of the six commands, the same on SQLite and PostgreSQL.

With the ORM every small command is two to four times slower. Each method is one statement and knows no rule.
"""

from memories.store.sql.files import FileStatements
from memories.store.sql.record import RecordStatements
from memories.store.sql.snapshots import SnapshotStatements
from memories.store.sql.words import WordStatements


class Sql(SnapshotStatements, FileStatements, RecordStatements, WordStatements):
    """All statements, on one cursor."""


__all__ = ["Sql"]
