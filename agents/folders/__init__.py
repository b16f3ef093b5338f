"""Folders of an agent's program that are followed: what changes in one becomes versions of the agent's store."""

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone

from agents.folders.claims import follower_of
from agents.folders.waiting import LISTED
from agents.models import Agent, Place, WatchedFolder
from memories import store as memory
from memories.paths import MemoryPath

PATH = 4096


class FolderRefused(Exception):
    """The folder cannot be followed for that agent; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Status:
    """How it stands with a folder.

    ``follower`` is the process that follows it, in words, and empty when none does. ``missing`` files are gone without
    being taken for deleted, the last of them since ``missing_until``, and ``gone`` are the first of their paths;
    ``waiting`` are those that could not be taken, the first of ``waiting_count``, each with the reason.
    """

    path: str
    follower: str
    files: int
    missing: int
    missing_until: datetime | None
    gone: tuple[str, ...]
    looked_at: datetime | None
    problem: str
    problem_since: datetime | None
    waiting: tuple[tuple[str, str], ...]
    waiting_count: int

    @property
    def is_in_order(self) -> bool:
        """Return whether the folder is followed, and everything in it was taken."""
        return bool(self.follower) and not self.problem and not self.waiting_count


def register(agent: Agent, path: str, user: User) -> WatchedFolder:
    """Have the folder followed in the background for the agent, from within seconds on, and return its row.

    Raises PermissionDenied unless ``user`` is the operator: any directory of the server can be named. Raises
    FolderRefused. The same folder again changes nothing.
    """
    if not user.is_superuser:
        raise PermissionDenied("Directories of the server are followed for the operator.")
    folder = Path(path.strip())
    if not folder.is_absolute():
        raise FolderRefused("Name the folder by its whole path, from / on.")
    return _row(agent, _checked(agent, folder), user.get_username(), in_background=True)


def claim_in_shell(agent: Agent, folder: Path, by: str) -> WatchedFolder:
    """Return the row of the folder for a process that follows it itself; raise FolderRefused.

    An agent that followed another folder follows this one from now on: one that moved is still the same.
    """
    known = WatchedFolder.objects.filter(agent=agent).first()
    # By its name as well: a link that stands there now took the folder's place, and is not what was named.
    if known and known.path in (os.path.abspath(folder), str(folder.resolve())) and not agent.archived_at:  # noqa: PTH100  (follows no link)
        # It may be away just now, which is told and waited for.
        return known
    checked = _checked(agent, folder)
    if known and follower_of(known):
        raise FolderRefused(f"{agent.name} follows {known.path}, by {follower_of(known)}. Stop that first.")
    if known:
        WatchedFolder.objects.filter(pk=known.pk).update(path=checked)
        known.path = checked
        return known
    return _row(agent, checked, by, in_background=False)


def unregister(agent: Agent) -> bool:
    """Follow the agent's folder no longer, and return whether one was; files and versions stay as they are.

    Whoever follows it lets go within seconds. What the folder held is forgotten.
    """
    with transaction.atomic():
        deleted, _ = WatchedFolder.objects.filter(agent=agent).delete()
        if not WatchedFolder.objects.filter(agent__store=agent.store_id).exists():
            memory.reads_go_unseen(agent.store_id, False)
    return bool(deleted)


def accept_deletions(agent: Agent, user: User, until: datetime) -> bool:
    """Have what is missing from the agent's folder since ``until`` or longer deleted within seconds.

    Returns whether anything is. What went missing later is left for somebody who has seen that.
    """
    missing = WatchedFolder.objects.filter(agent=agent, files__missing_since__lte=until).values("pk")
    return bool(WatchedFolder.objects.filter(pk__in=missing).update(accepted_at=until, accepted_by=user.get_username()))


def status(folder: WatchedFolder) -> Status:
    """Return how it stands with the folder as of its row; two queries, three when files are missing."""
    missing = folder.files.filter(missing_since__isnull=False)
    counts = missing.aggregate(number=Count("pk"), until=Max("missing_since"))
    gone = missing.filter(missing_since__lte=counts["until"]).order_by("path")[:LISTED] if counts["number"] else ()
    return Status(
        path=folder.path,
        follower=follower_of(folder),
        files=folder.files.filter(missing_since=None).count(),
        missing=counts["number"],
        missing_until=counts["until"],
        gone=tuple(MemoryPath(file.path).relative for file in gone),
        looked_at=folder.looked_at,
        problem=folder.problem,
        problem_since=folder.problem_since,
        waiting=tuple((name, why) for name, why in folder.waiting),
        waiting_count=folder.waiting_count,
    )


def _checked(agent: Agent, folder: Path) -> str:
    """Return the folder's true path, or raise FolderRefused."""
    if agent.place != Place.FOLDER:
        raise FolderRefused(
            f"{agent.name} is an agent of another kind ({Place(agent.place).label.lower()}), and changes of a folder"
            " would mix with its own. Take another name, and a new agent is made."
        )
    if agent.archived_at:
        raise FolderRefused(f"{agent.name} was deleted. Bring it back, or take another name.")
    try:
        true = folder.resolve(strict=True)
        str(true).encode()
    except UnicodeEncodeError:
        raise FolderRefused("The folder's path is not UTF-8, so it cannot be kept. Rename it.") from None
    except (OSError, RuntimeError, ValueError):
        raise FolderRefused(f"{folder} is not there, or cannot be looked into.") from None
    data = Path(settings.MEMDASH_DATA).resolve()
    if not true.is_dir():
        raise FolderRefused(f"{folder} is not a directory.")
    if len(str(true)) > PATH:
        raise FolderRefused(f"The path of the folder has {len(str(true)):,} characters; at most {PATH:,} are kept.")
    if true == data or true in data.parents or data in true.parents:
        raise FolderRefused(f"{true} holds memdash's own data, or lies in it. Name another folder.")
    taken = WatchedFolder.objects.filter(path=str(true)).exclude(agent=agent).select_related("agent").first()
    if taken:
        raise FolderRefused(f"{true} is the folder of {taken.agent.name} already. Use that agent, or another folder.")
    return str(true)


def _row(agent: Agent, path: str, by: str, *, in_background: bool) -> WatchedFolder:
    with transaction.atomic():
        row, _ = WatchedFolder.objects.get_or_create(
            agent=agent,
            defaults={"path": path, "added_by": by, "added_at": timezone.now(), "in_background": in_background},
        )
        if row.path != path:
            raise FolderRefused(f"{agent.name} has the folder {row.path} already. Remove that one first.")
        if in_background and not row.in_background:
            WatchedFolder.objects.filter(pk=row.pk).update(in_background=True)
            row.in_background = True
        memory.reads_go_unseen(agent.store_id, True)
    return row
