"""Doing to many files what a page has shown, in one transaction that holds the store."""

from collections.abc import Callable, Sequence

from memories import store
from memories.actors import Actor
from memories.bulk.plans import MOST, Ask, Chosen, Plan, Verdict
from memories.bulk.verbs import Verb
from memories.models import MemoryStore
from memories.refusals import ContentChanged, Refused

Choose = Callable[[], Sequence[Chosen]]
"""Finds the files that are chosen, as they are now."""


class NothingToDo(Refused):
    """There are no files to do it to, or more than one act takes."""


def planned(memory: MemoryStore, verb: Verb, choose: Choose, ask: Ask) -> Plan:
    """Return what would become of the files; raise NothingToDo for too many, AskMissing where more has to be said."""
    chosen = choose()
    if len(chosen) > MOST:
        raise NothingToDo(
            f"{len(chosen):,} files are chosen, and one act takes {MOST:,} at most, as one undo does. Choose fewer:"
            " one folder, or a narrower filter."
        )
    return Plan(verb.key, tuple(verb.judge(memory, chosen, ask)))


def carry_out(
    memory: MemoryStore, verb: Verb, choose: Choose, ask: Ask, *, actor: Actor, shown: str
) -> tuple[Plan, store.Outcome]:
    """Do it if it still is what was ``shown``, as one change set; return what became of each file.

    Raises ContentChanged once anything of it is another, NothingToDo, AskMissing; nothing was changed then.
    """
    if verb.act is None:
        raise NothingToDo("This changes nothing.")
    with store.locked(memory.pk) as tx:
        plan = planned(memory, verb, choose, ask)
        if plan.shown != shown:
            raise ContentChanged("Something changed while you looked; nothing was done. This is how it stands now.")
        rows = plan.of(Verdict.CHANGES)
        if not rows:
            raise NothingToDo("There is nothing to do to these files.")
        return plan, verb.act(tx, rows, ask, actor)
