"""Columns with a rule of their own."""

from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    _Text = models.CharField[str, str]
    _Id = models.BigAutoField[int, int]
else:
    _Text = models.CharField
    _Id = models.BigAutoField


class LastingId(_Id):
    """The id of rows that stay, or go together with all that names them, so that an id may be used again.

    SQLite then need not remember the highest there ever was (AUTOINCREMENT), which writes a page more with each row.
    """

    def db_type_suffix(self, connection: Any) -> Any:
        return None if connection.vendor == "sqlite" else super().db_type_suffix(connection)

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "memories.models.fields.LastingId", args, kwargs


class PathField(_Text):
    """A path, compared byte for byte on every database: PostgreSQL gets collation C, SQLite's default already is."""

    def db_parameters(self, connection: Any) -> dict[str, Any]:
        parameters: dict[str, Any] = super().db_parameters(connection)
        if connection.vendor == "postgresql":
            parameters["collation"] = "C"
        return parameters

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "memories.models.fields.PathField", args, kwargs
