"""Taking an act on settings back: each setting that is still as the act left it becomes what it was before."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby
from operator import itemgetter

from django.db import transaction

from memories.actors import Actor
from memories.models import ChangeSet
from memories.refusals import Refused
from memories.settings.acts import changes_of, record
from memories.settings.kinds import EXISTS, Change, Plain, Thing, kind_of


class Fate(StrEnum):
    """What becomes of one setting."""

    BACK = "back"
    SAME = "same"
    """It is as it was before the act; there is nothing to do."""

    CHANGED = "changed"
    """Somebody changed it since; it is kept."""

    GONE = "gone"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Step:
    """One setting of the act: what it is ``now``, and what becomes of it; ``why`` says why it was refused."""

    change: Change
    now: Plain
    fate: Fate
    why: str = ""

    @property
    def label(self) -> str:
        return kind_of(self.change.kind).labels[self.change.field]

    @property
    def is_kept(self) -> bool:
        """Return whether the setting stays although it is not what it was before the act."""
        return self.fate in (Fate.CHANGED, Fate.GONE, Fate.REFUSED)


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The act that took another back, and what became of each setting of that."""

    act: ChangeSet
    steps: Sequence[Step]

    @property
    def kept(self) -> list[Step]:
        return [step for step in self.steps if step.is_kept]


def plan(act: ChangeSet, *, actor: Actor) -> list[Step]:
    """Return what becomes of each setting when ``actor`` takes the act back, found out by doing it for a moment."""
    with transaction.atomic():
        steps = _take_all_back(act, actor)
        transaction.set_rollback(True)
    return steps


def take_back(act: ChangeSet, *, actor: Actor) -> TakenBack:
    """Take an act back in one transaction, as an act that can be taken back itself.

    What somebody changed since is kept. Raises Refused, with nothing changed, where nothing would go back.
    """
    with transaction.atomic():
        steps = _take_all_back(act, actor)
        done = [
            Change(*step.change[:3], step.now, _wanted(step.change), step.change.name)
            for step in steps
            if step.fate is Fate.BACK
        ]
        if not done:
            raise Refused(" ".join(["Nothing was undone.", *kept_words(steps)]))
        return TakenBack(record(done, store=act.store, actor=actor, undoes=act.uuid), steps)


def kept_words(steps: Sequence[Step]) -> list[str]:
    """Return a sentence for each setting that is kept, or one that says that all is as it was."""
    words = []
    for step in steps:
        match step.fate:
            case Fate.CHANGED:
                words.append(f"{step.label} of {step.change.name} was changed since and stays.")
            case Fate.GONE:
                words.append(f"{step.change.name} is gone.")
            case Fate.REFUSED:
                words.append(step.why)
            case _:
                pass
    return list(dict.fromkeys(words)) or ["It is as it was before already."]


def _by_thing(act: ChangeSet) -> list[list[Change]]:
    return [list(group) for _, group in groupby(changes_of(act), key=itemgetter(0, 1))]


def _wanted(change: Change) -> Plain:
    # What was not there before goes; its row stays, so that it can come back.
    return bool(change.before) if change.field == EXISTS else change.before


def _step(change: Change, now: Plain) -> Step:
    if now == change.after:
        return Step(change, now, Fate.BACK)
    return Step(change, now, Fate.SAME if now == _wanted(change) else Fate.CHANGED)


def _take_all_back(act: ChangeSet, actor: Actor) -> list[Step]:
    things = _by_thing(act)
    # What was made last goes first, an agent before its store, and comes back last.
    comes_back = any(change.field == EXISTS and not change.after for changes in things for change in changes)
    order = range(len(things)) if comes_back else reversed(range(len(things)))
    steps = {at: _take_back(Thing(act.store, things[at][0].key, actor), things[at]) for at in order}
    return [step for at in sorted(steps) for step in steps[at]]


def _take_back(thing: Thing, changes: Sequence[Change]) -> list[Step]:
    kind = kind_of(changes[0].kind)
    now = kind.read(thing)
    if now is None:
        return [Step(change, None, Fate.GONE) for change in changes]
    steps = [_step(change, now[change.field]) for change in changes]
    back = {step.change.field: _wanted(step.change) for step in steps if step.fate is Fate.BACK}
    try:
        if back:
            with transaction.atomic():
                kind.put(thing, back)
    except Refused as refusal:
        why = str(refusal)
        return [replace(step, fate=Fate.REFUSED, why=why) if step.fate is Fate.BACK else step for step in steps]
    return steps
