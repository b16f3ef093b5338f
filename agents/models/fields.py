"""Fields of this app."""

import json
from typing import Any

from django.db import models


class BlocksField(models.TextField):  # type: ignore[type-arg]  # generic in the stubs alone
    """JSON kept as it came: key order and NUL survive, which PostgreSQL's jsonb would change or refuse.

    What is sent back to the model must equal what it said, or its prompt cache misses and its signatures fail.
    """

    def from_db_value(self, value: str | None, expression: object, connection: object) -> Any:  # noqa: ARG002  (Django's signature)
        return None if value is None else json.loads(value)

    def get_prep_value(self, value: Any) -> str:
        return json.dumps(value, separators=(",", ":"))
