"""``memdash up``: everything in one process."""

import socket
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser

from memdash.accounts import links
from memdash.processes import folder
from memdash.processes.database import lacks_migrations, pool_connections
from memdash.processes.people import first_operator
from memdash.processes.port import url_of
from memdash.processes.server import add_listen_arguments, open_listener, serve
from memdash.settings import CONFIG
from memdash.terminal import OperatorCommand


class Command(OperatorCommand):
    """Serve pages and work on runs in one process, on this machine."""

    help = "Serve pages and work on runs in one process. The first start makes the database and the first operator."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take where to listen, and whether to begin with demo data."""
        parser.add_argument("--demo", action="store_true", help="begin with demo agents, when there is no store yet")
        add_listen_arguments(parser, CONFIG)

    def handle(self, *args: Any, host: str, port: int, demo: bool, **options: Any) -> None:
        """Prepare the data folder and the database, then serve until Ctrl-C or SIGTERM."""
        if CONFIG.redis_url:
            raise CommandError(
                "REDIS_URL is set, so pages and work are separate processes: start memdash web, memdash worker -Q runs,"
                " memdash worker -Q default and memdash beat. Or unset REDIS_URL for memdash up."
            )
        try:
            folder.make(CONFIG.data)
            folder.hold(CONFIG.data)
        except folder.FolderTaken as taken:
            raise CommandError(str(taken)) from None
        listener = open_listener(host, port, CONFIG)
        folder.describe(CONFIG.data, url_of(listener))
        self.prepare(demo=demo)
        welcome = self.welcome(listener)
        pool_connections()
        serve(listener, CONFIG, lambda: self.say(welcome))
        self.say("Stopped.")

    def prepare(self, *, demo: bool) -> None:
        """Bring the database up to this version; with ``demo``, give an empty installation its demo agents."""
        self.say(f"Data folder: {CONFIG.data}")
        if folder.is_open(CONFIG.data):
            self.say(f"Others on this machine can look into it; chmod 700 {CONFIG.data} keeps them out.")
        if lacks_migrations():
            self.say("Preparing the database …")
            call_command("migrate", verbosity=0, interactive=False)
        if demo:
            from agents.demo import history  # noqa: PLC0415  (its texts are of no use to other starts)

            if history.is_due():
                self.say("Writing the history of the demo agents …")
                history.load(first_operator())

    def welcome(self, listener: socket.socket) -> str:
        """Return where the pages are, and a way to sign in as long as the operator has no password."""
        address = CONFIG.public_url or url_of(listener)
        operator = first_operator()
        lines = [f"memdash is at {address}/"]
        if not operator.has_usable_password():
            lines += [
                f"Sign in as {operator.get_username()}, once and within 15 minutes (memdash login-link makes another):",
                f"  {address}{links.create(operator)}",
            ]
        if not CONFIG.anthropic_api_key.get_secret_value():
            lines.append("ANTHROPIC_API_KEY is not set, so only the scripted demo model can run.")
        return "\n".join([*lines, "Ctrl-C stops it."])

    def say(self, text: str) -> None:
        """Write to standard output at once, also into a pipe."""
        self.stdout.write(text)
        self.stdout.flush()
