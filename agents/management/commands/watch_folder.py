"""``memdash watch``: follow a directory that an agent's program writes."""

import signal
import threading
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser, OutputWrapper
from django.db import transaction

from agents import folders
from agents.folders import claims
from agents.folders.following import Follower
from agents.folders.loop import Loop
from agents.making import NameUnclear, agent_named, create_agent
from agents.models import Agent, Place, WatchedFolder
from memdash.terminal import OperatorCommand, printable
from memdash.web.formats import counted

NAME = 255
BY_COMMAND = "memdash watch"


class _Console:
    """Prints a line for each file and each piece of news, at once, also into a pipe."""

    def __init__(self, out: OutputWrapper) -> None:
        self._out = out

    def file(self, line: str) -> None:
        self._out.write(printable(line))
        self._out.flush()

    def folder(self, line: str, *, is_bad: bool) -> None:
        self.file(f"problem: {line}" if is_bad else line)


class Command(OperatorCommand):
    """Follow a directory."""

    help = (
        "Follow a directory that the SDK's file system tool, or any program, writes: DIR/memories/** or DIR itself."
        " Each change becomes a version within seconds; nothing is ever written to DIR. Ctrl-C ends it, and the next"
        " start takes what changed meanwhile."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take what to follow, whose memory it is, and for how long."""
        parser.add_argument("directory", type=Path, metavar="DIR")
        parser.add_argument(
            "--agent", required=True, metavar="NAME", help="name or slug; made, with a store, if absent"
        )
        parser.add_argument("--once", action="store_true", help="take what is there now and end; 1 if anything is left")
        parser.add_argument(
            "--accept-deletions",
            action="store_true",
            help="delete what is missing from DIR at the start, also when it is everything",
        )

    def handle(
        self, *args: Any, directory: Path, agent: str, once: bool, accept_deletions: bool, **options: Any
    ) -> None:
        """Take what is there, then what changes, until Ctrl-C or SIGTERM."""
        folder = self._folder(agent, directory)
        claim = claims.take(folder.pk)
        if claim is None:
            folder.refresh_from_db()
            who = claims.follower_of(folder) or "another process"
            raise CommandError(f"{printable(folder.path)} is followed already, by {who}. Stop that first.")
        stop = threading.Event()
        if not once:
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: stop.set())
        console = _Console(self.stdout)
        follower = Follower(folder, claim, console, stop)
        if accept_deletions:
            follower.holdings.accept_all(BY_COMMAND)
        try:
            self._follow(follower, console, stop, once=once)
        except claims.ClaimLost:
            raise CommandError(
                "The folder is followed by another process now, or no longer meant to be. Nothing is lost."
            ) from None
        finally:
            claim.release()

    def _folder(self, name: str, directory: Path) -> WatchedFolder:
        try:
            with transaction.atomic():
                agent = agent_named(name)
                if agent is None:
                    if not 0 < len(name.strip()) <= NAME:
                        raise CommandError(f"A new agent needs a name of 1 to {NAME} characters.")
                    agent = create_agent(name=name, place=Place.FOLDER)
                return folders.claim_in_shell(agent, directory, BY_COMMAND)
        except (NameUnclear, folders.FolderRefused) as refusal:
            raise CommandError(printable(str(refusal))) from None

    def _follow(self, follower: Follower, console: _Console, stop: threading.Event, *, once: bool) -> None:
        folder: WatchedFolder = follower.folder
        agent: Agent = folder.agent
        console.file(f"Looking through {folder.path} for {agent.name}.")
        loop = Loop(follower, console, stop)
        loop.settle()
        console.file(_summary(follower))
        if once:
            if left := _left(follower):
                raise CommandError(left)
            return
        if not stop.is_set():
            console.file("Watching. Ctrl-C stops it.")
        loop.run()
        console.file("Stopped.")


def _summary(follower: Follower) -> str:
    counts = [f"{number:,} {word}" for word, number in sorted(follower.counts.items()) if number]
    waiting = [f"{follower.waiting:,} waiting"] if follower.waiting else []
    return f"In all {', '.join([*counts, *waiting]) or 'nothing yet'}."


def _left(follower: Follower) -> str:
    """Return what keeps the folder and the store from being in step, or nothing."""
    if follower.folder.problem:
        return follower.folder.problem
    if follower.waiting:
        return f"{counted(follower.waiting, 'file')} could not be taken, named above with the reason."
    return "Some files are still being written. Run it again." if follower.is_unsettled else ""
