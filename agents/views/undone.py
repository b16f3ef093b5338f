"""What became of a run's changes: whether somebody took them back."""

from agents.models import Run
from agents.views.facts import Facts
from agents.views.outside import OutsideFacts
from memories.models import ChangeSet


def undone_by(run: Run, facts: Facts | OutsideFacts) -> ChangeSet | None:
    """Return the act that took back what ``run`` changed, unless that was taken back itself; None while it is live."""
    if run.is_live or not facts.has_changed_memory:
        return None
    acts = ChangeSet.objects.filter(store=run.agent.store_id)
    back = acts.filter(undoes__in=acts.filter(key=f"run:{run.uuid}").values("uuid")).order_by("-pk").first()
    return None if back and acts.filter(undoes=back.uuid).exists() else back
