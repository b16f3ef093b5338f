"""``memdash createuser``: add a person."""

import sys
from getpass import getpass
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from memdash.terminal import OperatorCommand, printable
from memories.models import Member, MemoryStore, Role


class Command(OperatorCommand):
    """Add a person with a password and the stores they may reach."""

    help = "Add a person. The password is asked for, or read as one line from standard input."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the name and what the person may do."""
        parser.add_argument("name", help="the name they sign in with")
        parser.add_argument("--operator", action="store_true", help="reaches every store")
        parser.add_argument(
            "--store",
            action="append",
            default=[],
            metavar="SLUG:ROLE",
            help=f"a store and a role in it ({', '.join(Role.values)}); may be given several times",
        )

    def handle(self, *args: Any, name: str, operator: bool, store: list[str], **options: Any) -> None:
        """Add the person, or refuse with the rule that the name, a store or the password breaks."""
        user = User(username=name, is_superuser=operator, is_staff=operator)
        if get_user_model().objects.filter(username=name).exists():
            shown = printable(name)
            raise CommandError(f"There is a person named {shown} already. memdash login-link {shown} lets them in.")
        roles = [_role_in(each) for each in store]
        try:
            user.clean_fields(exclude=["password"])
            password = _password()
            validate_password(password, user)
        except ValidationError as wrong:
            raise CommandError(" ".join(wrong.messages)) from None
        user.set_password(password)
        with transaction.atomic():
            user.save()
            Member.objects.bulk_create(Member(store=store, user=user, role=role) for store, role in roles)
        self.stdout.write(f"Added {printable(name)}{', an operator' if operator else ''}.")
        if not roles and not operator:
            self.stdout.write("They are a member of no store yet, so they will see none.")


def _role_in(pair: str) -> tuple[MemoryStore, str]:
    slug, _, role = pair.partition(":")
    if role not in Role.values:
        raise CommandError(f"--store {printable(pair)} must be SLUG:ROLE, with {', '.join(Role.values)} as the role.")
    store = MemoryStore.objects.filter(slug=slug).first()
    if store is None:
        known = ", ".join(MemoryStore.objects.values_list("slug", flat=True)[:10]) or "none"
        raise CommandError(f"There is no store {printable(slug)}. There is: {known}.")
    return store, role


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass("Password: ")
    if getpass("The same again: ") != password:
        raise CommandError("The two passwords differ. Nobody was added.")
    return password
