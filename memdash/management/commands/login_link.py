"""``memdash login-link``: a one-time way in for somebody without a password at hand."""

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError, CommandParser

from memdash.accounts import links
from memdash.processes import folder
from memdash.processes.people import first_operator
from memdash.settings import CONFIG
from memdash.terminal import OperatorCommand, printable


class Command(OperatorCommand):
    """Print a sign-in link."""

    help = "Print a link that signs a person in, once and within 15 minutes."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take whom it is for."""
        parser.add_argument("name", nargs="?", help="who it signs in; the first operator when left out")

    def handle(self, *args: Any, name: str | None, **options: Any) -> None:
        """Print the link, or refuse when there is no such active person."""
        user = get_user_model().objects.filter(username=name, is_active=True).first() if name else first_operator()
        if user is None:
            raise CommandError(f"There is no active person named {printable(name or '')}. memdash createuser adds one.")
        self.stdout.write(f"{_address()}{links.create(user)}")


def _address() -> str:
    served = (folder.holder(CONFIG.data) or {}).get("address")
    return CONFIG.public_url or str(served or f"http://{CONFIG.host}:{CONFIG.port}")
