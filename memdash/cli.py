"""The ``memdash`` command: Django's management commands under names that read well in a shell."""

import os
import sys

from django.core.management import execute_from_command_line

NAMES = {"import": "import_memory", "export": "export_memory", "tool": "memory_tool", "login-link": "login_link"}


def main() -> None:
    """Run the management command named by the first argument; words of the shell stand for Python module names."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memdash.settings")
    command, *rest = sys.argv[1:] or ["help"]
    execute_from_command_line([sys.argv[0], NAMES.get(command, command), *rest])
