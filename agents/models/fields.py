"""Fields of this app."""

import json
from typing import Any

from django.db import models


class BlocksField(models.JSONField):
    """JSON kept as text, as it came: key order and NUL survive, which PostgreSQL's jsonb would change or refuse.

    What is sent back to the model must equal what it said, or its prompt cache misses and its signatures fail.
    """

    def get_internal_type(self) -> str:
        return "TextField"

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:  # noqa: ARG002  (Django calls it so)
        return value if hasattr(value, "as_sql") else json.dumps(value, separators=(",", ":"))

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        return self.get_db_prep_value(value, connection)  # None is JSON's null here, never a missing value
