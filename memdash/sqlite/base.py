"""Django's SQLite backend with a shorter way into a transaction."""

from django.db.backends.sqlite3 import base


class DatabaseWrapper(base.DatabaseWrapper):
    """What Django calls here goes past its cursor, which takes longer than SQLite needs to begin."""

    transaction_mode: str | None

    def _start_transaction_under_autocommit(self) -> None:
        with self.wrap_database_errors:
            self.connection.execute(f"BEGIN {self.transaction_mode or ''}")
