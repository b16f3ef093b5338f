"""Columns with a rule of their own."""

from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    _Text = models.CharField[str, str]
else:
    _Text = models.CharField


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
