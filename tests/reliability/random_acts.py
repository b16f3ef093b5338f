"""All that the agents and people of a made-up history do to files, each at random."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from memories import bulk, replacing, taking, undo
from memories.actors import ActorKind
from memories.commands import (
    Create,
    Delete,
    ImportFile,
    Insert,
    Overwrite,
    Purge,
    Rename,
    Restore,
    StrReplace,
    Undelete,
)
from memories.models import MemoryEntry, MemoryVersion
from memories.refusals import Refused
from memories.undo import Answer, Moment
from tests.reliability.histories import Broken, History, files_by_id
from tests.support.files import picture
from tests.support.stores import content_of

FACTS: Final = ("17:00", "18:00", "tea", "coffee", "milk")


IMAGES: Final = tuple(picture(colour) for colour in ("teal", "navy"))


def play(history: History, operations: int) -> None:
    """Have that many operations tried, of kinds at random."""
    kinds, weights = list(ACTS), [weight for weight, _ in ACTS.values()]
    for _ in range(operations):
        attempt(history, history.luck.choices(kinds, weights)[0])


def attempt(history: History, kind: str) -> None:
    """Have an operation of a kind tried; a refused one has to leave everything as it was."""
    history.tried += 1
    try:
        ACTS[kind][1](history, history.tried)
    except Refused:
        history.refused[kind] += 1
        if files_by_id(history.memory) != history.now:
            raise Broken(f"operation {history.tried}, {kind}, was refused and changed files") from None
        return
    history.done[kind] += 1
    history.remember()


def _save(history: History, number: int) -> None:
    """Save over a text as the editor does."""
    path = history.file()
    entry = MemoryEntry.objects.live().files().filter(store=history.memory, path=path.text).first()
    sha256 = entry.blob.sha256 if entry and entry.blob else ""
    history.apply(Overwrite(path, history.text(number), sha256), history.person())


def _restore(history: History, _number: int) -> None:
    """Bring an earlier version of a file back."""
    path = history.file()
    versions = MemoryVersion.objects.filter(store=history.memory, entry__path=path.text, blob__isnull=False)
    version = history.luck.choice(list(versions.select_related("blob").order_by("pk")) or [None])
    if version is None or version.blob is None:
        raise Refused("There is none.")
    history.apply(Restore(path, version.number, content_of(version.blob)), history.person())


def _put_back(history: History, number: int) -> None:
    """Put the store, or some of its files, back to a moment; and undo that, half of the time."""
    start, seq = history.now, history.moment()
    plans = undo.plan(Moment(history.memory.pk, seq))
    some = frozenset(made.entry.uuid for made in plans if history.luck.random() < 0.5) if number % 2 else None
    done = undo.put_back(
        history.memory,
        seq,
        actor=history.person(),
        replies=history.replies(plans),
        only=some,
        others=history.luck.choice([Answer.KEEP, Answer.WHOLE]),
    )
    history.remember()
    if history.luck.random() < 0.5:
        history.undo_again(done, start, f"undo of putting back to {seq}")


def _in_bulk(history: History, number: int) -> None:
    """Do one thing to many files."""
    verb = bulk.VERBS[history.luck.choice(["move", "pin", "unpin", "lock", "unlock", "unlock", "delete"])]
    ids = [key for key in history.now if history.luck.random() < 0.3]
    ask = {"to": history.folder().text, "keep": "on" if number % 2 else ""}

    def choose() -> list[bulk.Chosen]:
        return [
            bulk.Chosen(row.pk, str(row.uuid), row.path, row.size, row.version, row.pinned, row.locked,
                        row.path.rpartition("/")[0])
            for row in MemoryEntry.objects.filter(pk__in=ids).order_by("path")
        ]  # fmt: skip

    shown = bulk.planned(history.memory, verb, choose, ask).shown
    bulk.carry_out(history.memory, verb, choose, ask, actor=history.person(), shown=shown)


def _replace_all(history: History, _number: int) -> None:
    """Find a fact and put another in its place."""
    find, put = history.luck.sample(FACTS, 2)
    plan = replacing.planned(replacing.Wanted(find, put), replacing.Scope((history.memory,)))
    replacing.carry_out(plan, {file.uuid for file in plan.files if history.luck.random() < 0.7}, actor=history.person())


def _take(history: History, _number: int) -> None:
    """Take some files over from an earlier moment."""
    source, target = taking.Side(history.memory, history.moment()), taking.Side(history.memory)
    keys = [
        each.key for each in taking.compared(source, target).choices if not each.refused and history.luck.random() < 0.5
    ]
    taking.take(source, target, keys, actor=history.person())


def _purge(history: History, _number: int) -> None:
    """Let some files of the trash go for good, for which undo of what went before can do nothing any more."""
    gone = history.trash()
    history.apply(Purge(tuple(history.luck.sample(gone, min(len(gone), 2)))), history.person())


def _undelete(history: History, _number: int) -> None:
    history.apply(Undelete(history.luck.choice(history.trash() or [0]), history.path()), history.person())


def _import(history: History, number: int) -> None:
    actor = replace(history.person(), kind=ActorKind.IMPORT)
    path = history.luck.choice([history.path(), history.file()])
    data = history.luck.choice([*IMAGES, *[history.text(number).encode()] * 6])
    history.apply(ImportFile(path, data), actor)


Act = Callable[[History, int], None]

ACTS: Final[dict[str, tuple[int, Act]]] = {
    "create": (24, lambda history, number: history.apply(Create(history.path(), history.text(number)))),
    "str_replace": (10, lambda history, number: history.apply(StrReplace(history.file(), "milk\n", f"cup {number}\n"))),
    "insert": (10, lambda history, number: history.apply(Insert(history.file(), 0, history.text(number)))),
    "save": (8, _save),
    "import": (5, _import),
    "rename a file": (8, lambda history, _: history.apply(Rename(history.file(), history.path()))),
    "rename a directory": (5, lambda history, _: history.apply(Rename(history.folder(), history.path()))),
    "delete a file": (6, lambda history, _: history.apply(Delete(history.file()))),
    "delete a directory": (2, lambda history, _: history.apply(Delete(history.folder()))),
    "restore a file": (5, _undelete),
    "restore a version": (4, _restore),
    "undo": (16, lambda history, _: history.take_back(history.act())),
    "put back": (3, _put_back),
    "many at once": (4, _in_bulk),
    "find and replace": (2, _replace_all),
    "take": (2, _take),
    "purge": (1, _purge),
    "see": (6, History.see),
}
"""Kinds of acts, each with how often it comes among all."""
