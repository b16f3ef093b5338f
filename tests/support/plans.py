"""How the database goes about a statement."""

import re

from django.db import connection


def index_conditions(sql: str) -> list[str]:
    """Return what a statement looks up in indexes, one text of conditions without blanks for each ("store_id=?").

    PostgreSQL is kept from reading tables whole, which it rightly does to small ones.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            found = [re.search(r"^SEARCH .*\((.*)\)", row[3]) for row in cursor.fetchall()]
        else:
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute(f"EXPLAIN {sql}")
            found = [re.search(r"Index Cond: (.*)", row[0]) for row in cursor.fetchall()]
    return [match[1].replace(" ", "") for match in found if match]
