"""What state the database is in, and how a process that lives long connects to it."""

from django.core.management.base import CommandError
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor

from memdash.config import Config

UNMIGRATED = "The database has not had the migrations of this version. Run memdash migrate."

POOL = {"min_size": 1, "max_size": 10, "timeout": 20}


def lacks_migrations() -> bool:
    """Return whether the database has not had all migrations of this version; DatabaseError when it is away."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def refuse_alone(command: str, config: Config) -> None:
    """Raise CommandError when a process that needs others beside it has no broker to reach them by."""
    if not config.redis_url:
        raise CommandError(
            f"memdash {command} is one of several processes and needs REDIS_URL and DATABASE_URL. On one machine,"
            " memdash up does without."
        )


def pool_connections() -> None:
    """Let the threads of this process share a few connections to PostgreSQL, from the next one on.

    Not from its start: a pool keeps trying where a single connection says at once that the server is away.
    """
    connections.close_all()
    if connection.vendor == "postgresql":
        connections.settings["default"]["OPTIONS"]["pool"] = POOL
