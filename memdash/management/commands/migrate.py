"""``memdash migrate``: Django's, which tells what is wrong with the database in one line."""

from django.core.management.commands import migrate

from memdash.terminal import OneLineErrors


class Command(OneLineErrors, migrate.Command):
    """Bring the database up to this version."""
