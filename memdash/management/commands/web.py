"""``memdash web``: the pages, beside workers and a beat of their own."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from memdash.processes.database import UNMIGRATED, lacks_migrations, pool_connections, refuse_alone
from memdash.processes.port import url_of
from memdash.processes.server import add_listen_arguments, open_listener, serve
from memdash.settings import CONFIG
from memdash.terminal import OperatorCommand


class Command(OperatorCommand):
    """Serve pages."""

    help = "Serve pages. Workers and beat run as processes of their own, over REDIS_URL and DATABASE_URL."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take where to listen."""
        add_listen_arguments(parser, CONFIG)

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        """Serve until Ctrl-C or SIGTERM; refuse a database that lacks migrations."""
        refuse_alone("web", CONFIG)
        listener = open_listener(host, port, CONFIG)
        if lacks_migrations():
            raise CommandError(UNMIGRATED)
        pool_connections()
        address = CONFIG.public_url or url_of(listener)
        serve(listener, CONFIG, lambda: print(f"memdash is at {address}/", flush=True))
