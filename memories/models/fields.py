"""Columns with a rule of their own."""

from typing import Any

from django.db import models


class PathField(models.CharField):  # type: ignore[type-arg]  # django-stubs' parameters say nothing a path needs
    """A path, compared byte for byte on every database: PostgreSQL gets collation C, SQLite's default already is."""

    def db_parameters(self, connection: Any) -> dict[str, Any]:
        parameters: dict[str, Any] = super().db_parameters(connection)
        if connection.vendor == "postgresql":
            parameters["collation"] = "C"
        return parameters

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "memories.models.fields.PathField", args, kwargs
