"""The ``memdash`` command: management commands under names that read well in a shell."""

import os
import sys
from importlib import import_module
from importlib.metadata import version

import django
from django.core.management import execute_from_command_line, get_commands, load_command_class

from memdash.config import WrongSetting

# What an operator needs, in the order of need; the modules bear other names where Python would not take these.
COMMANDS = {
    "up": ("up", "serve pages and work in one process, on this machine"),
    "login-link": ("login_link", "make a one-time sign-in link"),
    "createuser": ("createuser", "add a person"),
    "import": ("import_memory", "bring in a directory of memory files"),
    "watch": ("watch_folder", "follow a directory that an agent's program writes"),
    "export": ("export_memory", "write an agent's memory to a directory"),
    "tool": ("memory_tool", "use the memory tool from a script"),
    "doctor": ("doctor", "check this installation"),
    "migrate": ("migrate", "bring the database up to this version"),
    "web": ("web", "serve pages, beside Redis and PostgreSQL"),
    "worker": ("worker", "work on a queue, beside Redis and PostgreSQL"),
    "beat": ("beat", "keep the schedule, beside Redis and PostgreSQL"),
}


def main() -> None:
    """Run the command that the first argument names; any other name goes to Django as it is."""
    # Databases, exports and keys that we make are the operator's alone, wherever they land.
    os.umask(0o077)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memdash.settings")
    name, *rest = sys.argv[1:] or ["help"]
    if name in {"help", "-h", "--help"} and not rest:
        print(_help())
    elif name in {"version", "--version"}:
        print(f"memdash {version('memdash')}")
    else:
        try:
            _run(name, rest)
        except KeyboardInterrupt:
            sys.exit(130)
        except BrokenPipeError:
            # Whoever read the output has had enough, as head does. Python would complain once more on its way out.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)


def _help() -> str:
    rows = "\n".join(f"  {name:<12}{words}" for name, (_, words) in COMMANDS.items())
    return f"memdash COMMAND, version {version('memdash')}\n\n{rows}\n\nmemdash COMMAND --help tells its options."


def _run(name: str, rest: list[str]) -> None:
    _check_settings()
    if name not in COMMANDS:
        execute_from_command_line([sys.argv[0], name, *rest])
        return
    django.setup()
    module, _ = COMMANDS[name]
    load_command_class(get_commands()[module], module).run_from_argv(["memdash", name, *rest])


def _check_settings() -> None:
    try:
        import_module("memdash.settings")
    except WrongSetting as wrong:
        sys.exit("\n".join(f"memdash: {line}" for line in str(wrong).splitlines()))
    except OSError as error:
        sys.exit(f"memdash: {error.strerror}: {error.filename}. Set MEMDASH_DATA to a folder that you may write to.")
