"""The driver's own cursor: what Django's adds to a statement takes longer than SQLite needs to run it."""

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, TypeVar, cast
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections

T = TypeVar("T")

MANY: Final = 500
"""Rows that one statement asks for, or changes, where there are many."""

Params = Sequence[Any]

Moment = datetime | str
"""A time as statements take it: :meth:`Driver.moment` spells it once for the many that say the same one."""


class Driver:
    """Runs statements on the current connection, the same ones on SQLite and PostgreSQL.

    Statements mark parameters with ``%s``; a parameter may be a UUID, and a time once :meth:`moment` has spelled it.
    Errors are Django's.
    """

    def __init__(self) -> None:
        # Asked for once: the proxy ``django.db.connection`` looks it up at every touch.
        connection: Any = connections[DEFAULT_DB_ALIAS]
        if connection.connection is None:
            connection.ensure_connection()
        self._cursor = connection.connection.cursor()
        self._fault, self._as_django = connection.Database.Error, connection.wrap_database_errors
        self.sqlite = connection.vendor == "sqlite"

    def moment(self, value: datetime) -> Moment:
        """Return a time with a zone as this database keeps it: on SQLite as the text that Django writes and reads."""
        return str(value.astimezone(UTC).replace(tzinfo=None)) if self.sqlite else value

    def as_json(self, text: str) -> str:
        """Return an expression for a JSON column out of one that makes a text."""
        return text if self.sqlite else f"CAST({text} AS jsonb)"

    def run(self, sql: str, params: Params) -> None:
        try:
            self._cursor.execute(_qmarks(sql) if self.sqlite else sql, params)
        except self._fault:
            with self._as_django:
                raise

    def run_many(self, sql: str, rows: Sequence[Params]) -> None:
        """Run a statement once for each row of parameters; not at all when there is none."""
        if len(rows) == 1:
            self.run(sql, rows[0])
        elif rows:
            try:
                self._cursor.executemany(_qmarks(sql) if self.sqlite else sql, rows)
            except self._fault:
                with self._as_django:
                    raise

    def all(self, sql: str, params: Params) -> list[tuple[Any, ...]]:
        """Return every row that a statement gives."""
        try:
            self._cursor.execute(_qmarks(sql) if self.sqlite else sql, params)
            rows: list[tuple[Any, ...]] = self._cursor.fetchall()
        except self._fault:
            with self._as_django:
                raise
        return rows

    def added(self, sql: str, params: Params) -> int:
        """Run an INSERT of one row and return the id it got."""
        if self.sqlite:
            # RETURNING would have SQLite keep a table for the answer.
            self.run(sql, params)
            return cast(int, self._cursor.lastrowid)
        return cast(int, self.all(f"{sql} RETURNING id", params)[0][0])


def batches(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield ``values`` in parts for one statement each."""
    return (values[start : start + MANY] for start in range(0, len(values), MANY))


def as_uuid(value: Any) -> UUID:
    """Return a UUID column's value: PostgreSQL gives UUIDs, SQLite their digits."""
    return value if isinstance(value, UUID) else UUID(value)


def as_moment(value: Moment) -> datetime:
    """Return the time that a column spells, with a zone: PostgreSQL gives times, SQLite their text in UTC."""
    return datetime.fromisoformat(value).replace(tzinfo=UTC) if isinstance(value, str) else value


@cache
def _qmarks(sql: str) -> str:
    return sql.replace("%s", "?")


# What Django's ORM does to a UUID before it hands it to SQLite, done by the driver for those that come to it directly.
sqlite3.register_adapter(UUID, lambda value: value.hex)
