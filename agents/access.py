"""Who may reach which agent and run: both belong to the agent's store, and so does the right to them."""

from uuid import UUID

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from agents.models import Agent, ApiToken, Place, RefusedCall, Run
from memories import access
from memories.models import Member, MemoryStore, Role


def agents_for(user: User) -> QuerySet[Agent]:
    """Return the agents whose stores ``user`` may see, those that were deleted left out."""
    return all_agents_for(user).filter(archived_at=None)


def all_agents_for(user: User) -> QuerySet[Agent]:
    """Return the agents whose stores ``user`` may see, those that were deleted among them."""
    return Agent.objects.filter(store__in=access.stores_for(user))


def deleted_for(user: User) -> QuerySet[Agent]:
    """Return the deleted agents whose stores ``user`` may see."""
    return all_agents_for(user).filter(archived_at__isnull=False)


def agent_for(user: User, slug: str) -> Agent:
    """Return the agent, also a deleted one, if ``user`` may see it; otherwise raise Http404."""
    return get_object_or_404(all_agents_for(user).select_related("store"), slug=slug)


def agent_to_manage(user: User, slug: str) -> Agent:
    """Return the agent, also a deleted one, if ``user`` may change it; otherwise raise Http404 or PermissionDenied."""
    agent = agent_for(user, slug)
    if not may_manage(user, agent):
        raise PermissionDenied("Only an owner of the agent's store may change its settings.")
    return agent


def runs_for(user: User) -> QuerySet[Run]:
    """Return the runs of the agents whose stores ``user`` may see, those of deleted agents included."""
    return Run.objects.filter(agent__store__in=access.stores_for(user))


def run_for(user: User, uuid: UUID) -> Run:
    """Return the run if ``user`` may see it; otherwise raise Http404."""
    return get_object_or_404(runs_for(user).select_related("agent__store"), uuid=uuid)


def may_run(user: User, agent: Agent) -> bool:
    """Return whether ``user`` may start, continue and end runs of ``agent``: whoever may change its memory."""
    return access.may_write(user, agent.store)


def may_manage(user: User, agent: Agent) -> bool:
    """Return whether ``user`` may change the settings of ``agent`` or delete it: owners of its store."""
    return access.may_own(user, agent.store)


def writable_by(user: User) -> QuerySet[Agent]:
    """Return the agents whose memory ``user`` may change."""
    agents = agents_for(user)
    return agents if user.is_superuser else agents.filter(store__in=_stores(user, Role.CURATOR, Role.OWNER))


def runnable_by(user: User) -> QuerySet[Agent]:
    """Return the agents that run here and that ``user`` may give work to."""
    return writable_by(user).filter(place=Place.HERE)


def tokens_for(user: User) -> QuerySet[ApiToken]:
    """Return the tokens of the stores that ``user`` may see."""
    return ApiToken.objects.filter(store__in=access.stores_for(user))


def token_for(user: User, uuid: UUID) -> ApiToken:
    """Return the token if ``user`` may see it; otherwise raise Http404."""
    return get_object_or_404(tokens_for(user).select_related("agent", "store", "made_by"), uuid=uuid)


def may_revoke(user: User, token: ApiToken) -> bool:
    """Return whether ``user`` may end the token: whoever made it, and whoever may change its store."""
    return token.made_by_id == user.pk or access.may_write(user, token.store)


def refused_for(user: User) -> QuerySet[RefusedCall]:
    """Return the calls that were turned away from the stores ``user`` may see."""
    return RefusedCall.objects.filter(store__in=access.stores_for(user))


def ownable_by(user: User) -> QuerySet[MemoryStore]:
    """Return the stores for which ``user`` may make agents."""
    return access.stores_for(user) if user.is_superuser else _stores(user, Role.OWNER)


def _stores(user: User, *roles: Role) -> QuerySet[MemoryStore]:
    stores = MemoryStore.objects.filter(archived_at=None)
    return stores.filter(pk__in=Member.objects.filter(user=user, role__in=roles).values("store"))
