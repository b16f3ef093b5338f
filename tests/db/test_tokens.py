"""Tokens: what is kept of them, and what they open when."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from agents import tokens
from agents.making import create_agent
from agents.models import Agent, ApiToken, Place, Scope
from agents.tokens import Reason, Refusal
from memories.models import Member, MemoryStore, Role
from tests.support.people import member, operator
from tests.support.stores import new_store


@pytest.fixture
def helper(store: MemoryStore) -> Agent:
    """Return an agent that runs elsewhere."""
    return create_agent(name="Invoice helper", store=store, place=Place.API)


@pytest.fixture
def maker(store: MemoryStore) -> User:
    """Return who makes the tokens: a curator of the store."""
    return member(store, Role.CURATOR)


def make(agent: Agent, user: User, *, scope: Scope = Scope.WRITE, days: float | None = None) -> tuple[ApiToken, str]:
    expires_at = None if days is None else timezone.now() + timedelta(days=days)
    return tokens.make_token(agent, agent.store, "laptop", scope, user=user, expires_at=expires_at)


def shown(secret: str) -> ApiToken | Refusal:
    return tokens.authenticate(f"Bearer {secret}")


def test_a_token_has_256_random_bits_and_only_its_hash_is_kept(helper: Agent, maker: User) -> None:
    token, secret = make(helper, maker)
    _, another = make(helper, maker)

    assert secret.startswith("mdh_") and len(secret) == 4 + 43 and secret != another
    assert (token.prefix, token.ending) == (secret[:10], secret[-4:])
    row = ApiToken.objects.filter(pk=token.pk).values().get()
    assert not any(secret in str(value) or secret[4:] in str(value) for value in row.values())


def test_a_token_opens_its_store_as_its_agent(helper: Agent, maker: User) -> None:
    token, secret = make(helper, maker)

    assert shown(secret) == token
    assert tokens.authenticate(f"bearer  {secret} ") == token


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic bWFyYTpwdw==", "mdh_without_a_scheme"])
def test_without_a_token_there_is_nothing_to_check(db: None, header: str) -> None:
    assert tokens.authenticate(header) == Refusal(Reason.MISSING)


@pytest.mark.parametrize("shows", ["mdh_short", "mdh_" + "ä" * 43, "mdh_" + "\udcff" * 43, "x" * 100_000])
def test_a_token_that_nobody_made_is_known_by_its_last_characters_at_most(db: None, shows: str) -> None:
    refusal = shown(shows)

    assert isinstance(refusal, Refusal)
    assert (refusal.reason, refusal.token) == (Reason.UNKNOWN, None)
    assert refusal.ending in ("", "xxxx")


def test_a_revoked_token_is_over_at_once_and_for_good(helper: Agent, maker: User) -> None:
    token, secret = make(helper, maker)

    assert tokens.revoke(token, by=maker)
    assert not tokens.revoke(token, by=operator())

    token.refresh_from_db()
    assert token.revoked_by == maker.get_username()
    assert shown(secret) == Refusal(Reason.REVOKED, token.ending, token)


def test_a_token_ends_at_its_moment(helper: Agent, maker: User) -> None:
    ended, secret = make(helper, maker, days=-0.001)
    lasting, other = make(helper, maker, days=1)

    assert shown(secret) == Refusal(Reason.EXPIRED, ended.ending, ended)
    assert shown(other) == lasting


def test_a_token_ends_with_its_agent(helper: Agent, maker: User) -> None:
    token, secret = make(helper, maker)
    Agent.objects.update(archived_at=timezone.now())

    assert shown(secret) == Refusal(Reason.AGENT, token.ending, token)


@pytest.mark.parametrize("scope", list(Scope))
def test_a_token_ends_when_its_maker_leaves_the_store_or_is_deactivated(
    helper: Agent, maker: User, scope: Scope
) -> None:
    token, secret = make(helper, maker, scope=scope)
    gone = Refusal(Reason.MAKER, token.ending, token)

    User.objects.update(is_active=False)
    assert shown(secret) == gone

    User.objects.update(is_active=True)
    assert shown(secret) == token

    Member.objects.all().delete()
    assert shown(secret) == gone


@pytest.mark.parametrize("role", [*Role, None])
@pytest.mark.parametrize("scope", list(Scope))
def test_a_token_never_may_more_than_its_maker(helper: Agent, maker: User, role: Role | None, scope: Scope) -> None:
    user = maker if role else operator()
    token, _ = make(helper, user, scope=scope)
    if role:
        Member.objects.filter(user=maker).update(role=role)

    assert tokens.may_write(token) == (scope == Scope.WRITE and role != Role.VIEWER)


def test_a_token_is_made_for_the_store_that_its_agent_uses(helper: Agent, maker: User) -> None:
    with pytest.raises(ValueError, match="does not use"):
        tokens.make_token(helper, new_store(), "laptop", Scope.WRITE, user=maker, expires_at=None)
