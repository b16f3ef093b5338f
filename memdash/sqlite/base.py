"""Django's SQLite backend with a shorter way into a transaction and out of it."""

from django.db.backends.sqlite3 import base


class DatabaseWrapper(base.DatabaseWrapper):
    """What Django calls here goes past its cursor and its log, which take longer than SQLite needs to begin."""

    transaction_mode: str | None

    def _start_transaction_under_autocommit(self) -> None:
        self._past_django(f"BEGIN {self.transaction_mode or ''}")

    def _commit(self) -> None:
        if self.connection is not None:
            self._past_django("COMMIT")

    def _past_django(self, statement: str) -> None:
        try:
            self.connection.execute(statement)
        except self.Database.Error:
            with self.wrap_database_errors:
                raise
