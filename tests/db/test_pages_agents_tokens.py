"""Tokens on their page: who sees, makes and ends which, and that a secret is shown once."""

import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents import tokens
from agents.making import create_agent
from agents.models import Agent, ApiToken, Place, RefusedCall, Scope, TokenDay
from agents.tokens import Reason
from agents.tokens.use import record_refusal
from memdash.accounts.models import Session
from memories import tool
from memories.actors import Actor, ActorKind
from memories.models import Member, MemoryStore, Role
from tests.db.conftest import PASSWORD
from tests.support.people import browser_of, member, operator, stranger
from tests.support.stores import new_store

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_passwords")]

SECRET = re.compile(r"mdh_[\w-]{43}")


@pytest.fixture
def helper(store: MemoryStore) -> Agent:
    """An agent that runs elsewhere."""
    return create_agent(name="Invoice helper", store=store, place=Place.API)


@pytest.fixture
def curator(helper: Agent, mara: User) -> User:
    """Mara, who has a password and is a curator of the agent's store."""
    Member.objects.create(store=helper.store, user=mara, role=Role.CURATOR)
    return mara


@pytest.fixture
def browser(curator: User) -> Client:
    return browser_of(curator)


def filled(**changed: Any) -> dict[str, Any]:
    """Return the form as a browser sends it, with some of it changed."""
    given = {
        "once": uuid4(),
        "name": "Nightly copy",
        "agent": "invoice-helper",
        "scope": "read",
        "expires": "90",
        "password": PASSWORD,
    }
    return given | changed


def token_of(
    agent: Agent, user: User, name: str = "laptop", *, days: float | None = 30, scope: Scope = Scope.WRITE
) -> ApiToken:
    expires_at = None if days is None else timezone.now() + timedelta(days=days)
    return tokens.make_token(agent, agent.store, name, scope, user=user, expires_at=expires_at)[0]


def row(html: str, token: ApiToken) -> str:
    """Return the row of the token in the list."""
    return html.partition(f'id="token-{token.uuid}"')[2].partition("</tr>")[0]


def every_row(table: str) -> str:
    """Return all that a table holds."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
        return str(cursor.fetchall())


def test_a_token_is_made_and_its_secret_opens_the_store(browser: Client, helper: Agent) -> None:
    answer = browser.post("/tokens/", filled())

    (secret,) = set(SECRET.findall(answer.text))
    token = ApiToken.objects.get()
    assert answer.status_code == 200
    assert tokens.authenticate(f"Bearer {secret}") == token
    assert (token.name, token.agent, token.store, token.scope) == ("Nightly copy", helper, helper.store, Scope.READ)
    assert token.expires_at and timedelta(days=89) < token.expires_at - timezone.now() <= timedelta(days=90)
    assert "no-store" in answer["Cache-Control"]


def test_a_secret_is_in_no_row_no_session_and_no_later_page(browser: Client) -> None:
    (secret,) = set(SECRET.findall(browser.post("/tokens/", filled()).text))
    rows = "".join(map(every_row, connection.introspection.table_names()))

    assert "Nightly copy" in rows
    assert secret not in rows
    assert all(secret not in str(each.get_decoded()) for each in Session.objects.all())
    for page in ("/tokens/", "/", "/account/"):
        assert secret not in browser.get(page).text


def test_a_form_sent_again_by_a_reload_makes_no_second_token(browser: Client) -> None:
    sent = filled()
    browser.post("/tokens/", sent)

    answer = browser.post("/tokens/", sent, follow=True)

    assert answer.redirect_chain == [("/tokens/", 302)]
    assert "was made before" in answer.text
    assert not SECRET.search(answer.text)
    assert ApiToken.objects.count() == 1


def test_an_end_may_be_left_out_and_then_stays_amber(browser: Client) -> None:
    browser.post("/tokens/", filled(expires="never"))

    token = ApiToken.objects.get()
    assert token.expires_at is None
    assert re.search(r'class="num[^"]* warn"[^>]*>\s*No end', row(browser.get("/tokens/").text, token))


@pytest.mark.parametrize(
    ("changed", "status", "said"),
    [
        ({"password": "wrong"}, 422, "That is not your current password."),
        ({"password": ""}, 422, "Enter your password."),
        ({"name": " "}, 422, "This field is required."),
        ({"name": "x" * 256}, 422, "at most 255 characters"),
        ({"agent": "nobody"}, 422, "You may make no token of this agent."),
        ({"scope": "admin"}, 422, "Select a valid choice."),
        ({"expires": "100000"}, 422, "Select a valid choice."),
        ({"once": "me"}, 422, "valid UUID"),
    ],
)
def test_a_form_that_is_wrong_makes_nothing_and_says_where(
    browser: Client, changed: dict[str, str], status: int, said: str
) -> None:
    answer = browser.post("/tokens/", filled(**changed))

    assert answer.status_code == status
    assert said in answer.text
    assert not ApiToken.objects.exists()


def test_guessing_the_password_here_is_slowed_down_as_at_the_door(browser: Client) -> None:
    statuses = [browser.post("/tokens/", filled(password=f"guess {number}")).status_code for number in range(8)]

    assert statuses[:5] == [422] * 5
    assert 429 in statuses[5:]
    assert not ApiToken.objects.exists()


def test_somebody_without_a_password_is_asked_for_none(helper: Agent) -> None:
    user = member(helper.store, Role.OWNER)
    user.set_unusable_password()
    user.save()
    browser = browser_of(user)

    page = browser.get("/tokens/").text
    browser.post("/tokens/", filled(password=""))

    assert 'name="password"' not in page
    assert "You have no password yet" in page
    assert ApiToken.objects.get().made_by == user


@pytest.mark.parametrize("role", [None, Role.VIEWER])
def test_nobody_makes_a_token_of_an_agent_whose_store_they_may_not_change(
    helper: Agent, mara: User, role: Role | None
) -> None:
    if role:
        Member.objects.create(store=helper.store, user=mara, role=role)
    browser = browser_of(mara)

    answer = browser.post("/tokens/", filled())

    assert answer.status_code == 422
    assert 'value="invoice-helper"' not in browser.get("/tokens/?agent=invoice-helper").text
    assert not ApiToken.objects.exists()


def test_a_deleted_agent_gets_no_token(browser: Client, helper: Agent) -> None:
    Agent.objects.filter(pk=helper.pk).update(archived_at=timezone.now())

    assert browser.post("/tokens/", filled()).status_code == 422
    assert not ApiToken.objects.exists()


def test_the_list_shows_tokens_of_the_stores_one_may_see_and_no_others(helper: Agent) -> None:
    foreign = create_agent(name="Foreign", store=new_store())
    token_of(helper, operator(), "of this store")
    token_of(foreign, operator(), "of another store")

    viewer = browser_of(member(helper.store, Role.VIEWER)).get("/tokens/").text
    outsider = browser_of(stranger()).get("/tokens/").text

    assert "of this store" in viewer and "of another store" not in viewer
    assert "Revoke…" not in viewer
    assert "of this store" not in outsider and "No token yet" in outsider


def test_a_row_tells_its_use_of_today_and_leads_to_what_was_refused(browser: Client, helper: Agent) -> None:
    token = token_of(helper, operator(), days=3)
    ApiToken.objects.filter(pk=token.pk).update(used_at=timezone.now(), used_from="192.0.2.14")
    TokenDay.objects.create(token=token, day=timezone.now().date(), calls=1204)
    TokenDay.objects.create(token=token, day=timezone.now().date() - timedelta(days=1), calls=7)
    record_refusal(helper.store, status=403, reason=Reason.SCOPE, address="192.0.2.14", ending="abcd", token=token)

    page = browser.get("/tokens/").text

    shown = row(page, token)
    assert all(words in shown for words in ("1,204", "just now", "192.0.2.14", "Read, write", token.prefix))
    assert "warn" in shown
    assert "1 call was refused today" in page
    assert f"/tokens/refused?token={token.uuid}" in page
    refused = browser.get(f"/tokens/refused?token={token.uuid}").text
    assert "may read only" in refused and "192.0.2.14" in refused


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("expire", "Expired"),
        ("delete the agent", "Ended with its agent"),
        ("leave", "may no longer use the store"),
        ("become a viewer", "may write no longer"),
    ],
)
def test_a_token_that_no_longer_works_as_it_was_made_says_why(helper: Agent, change: str, said: str) -> None:
    maker = member(helper.store, Role.CURATOR)
    token = token_of(helper, maker)
    if change == "expire":
        ApiToken.objects.filter(pk=token.pk).update(expires_at=timezone.now() - timedelta(minutes=1))
    elif change == "delete the agent":
        Agent.objects.filter(pk=helper.pk).update(archived_at=timezone.now())
    elif change == "leave":
        Member.objects.filter(user=maker).delete()
    else:
        Member.objects.filter(user=maker).update(role=Role.VIEWER)

    assert said in row(browser_of(operator()).get("/tokens/").text, token)


def test_revoking_says_what_the_token_did_today_and_ends_it_at_once(
    browser: Client, helper: Agent, curator: User
) -> None:
    token, secret = tokens.make_token(helper, helper.store, "laptop", Scope.WRITE, user=curator, expires_at=None)
    actor = Actor(ActorKind.TOKEN, "Invoice helper", agent_id=helper.pk, token_id=token.pk)
    for name in ("a", "b"):
        tool.execute(helper.store, {"command": "create", "path": f"/memories/{name}.md", "file_text": "tea"}, actor)
    TokenDay.objects.create(token=token, day=timezone.now().date(), calls=5, refused=2)
    ApiToken.objects.filter(pk=token.pk).update(used_at=timezone.now())

    asked = browser.get(f"/tokens/{token.uuid}/revoke").text
    answer = browser.post(f"/tokens/{token.uuid}/revoke", follow=True)

    assert "5 times today" in asked
    assert "2 calls of it were refused today" in asked
    assert "2 changes to 2 files" in asked
    assert answer.redirect_chain == [(f"/tokens/#token-{token.uuid}", 302)]
    assert "Its next call is refused." in answer.text
    assert f"Revoked by {curator}" in row(answer.text, token)
    assert isinstance(tokens.authenticate(f"Bearer {secret}"), tokens.Refusal)
    assert "cannot be switched on again" in browser.get(f"/tokens/{token.uuid}/revoke").text
    assert "was revoked before" in browser.post(f"/tokens/{token.uuid}/revoke", follow=True).text


@pytest.mark.parametrize(("role", "status"), [(None, 404), (Role.VIEWER, 403), (Role.CURATOR, 200), (Role.OWNER, 200)])
def test_curators_and_owners_revoke_tokens_of_others(helper: Agent, role: Role | None, status: int) -> None:
    token = token_of(helper, operator())
    browser = browser_of(member(helper.store, role) if role else stranger())

    assert browser.get(f"/tokens/{token.uuid}/revoke").status_code == status
    browser.post(f"/tokens/{token.uuid}/revoke")

    token.refresh_from_db()
    assert bool(token.revoked_at) == (status == 200)


def test_a_maker_who_may_only_look_now_may_still_revoke_their_own(helper: Agent) -> None:
    maker = member(helper.store, Role.CURATOR)
    token = token_of(helper, maker)
    Member.objects.filter(user=maker).update(role=Role.VIEWER)
    browser = browser_of(maker)

    assert "Revoke…" in row(browser.get("/tokens/").text, token)
    browser.post(f"/tokens/{token.uuid}/revoke")

    token.refresh_from_db()
    assert token.revoked_by == maker.username


def test_refused_calls_of_other_stores_are_not_listed(browser: Client, helper: Agent) -> None:
    foreign = create_agent(name="Foreign", store=new_store())
    theirs = token_of(foreign, operator())
    record_refusal(foreign.store, status=401, reason=Reason.UNKNOWN, address="198.51.100.1", ending="zzzz")
    record_refusal(helper.store, status=401, reason=Reason.UNKNOWN, address="198.51.100.2", ending="9f2c")

    page = browser.get("/tokens/refused").text

    assert "…9f2c" in page and "198.51.100.2" in page
    assert "198.51.100.1" not in page
    assert browser.get(f"/tokens/refused?token={theirs.uuid}").status_code == 404
    assert browser.get("/tokens/refused?token=x").status_code == 404


def test_names_that_play_tricks_are_shown_for_what_they_are(curator: User, helper: Agent) -> None:
    token = token_of(helper, curator, "<script>alert(1)</script>\u202e")
    Agent.objects.filter(pk=helper.pk).update(name="<b>helper\u200b")
    browser = browser_of(curator)

    for page in ("/tokens/", f"/tokens/{token.uuid}/revoke", f"/tokens/refused?token={token.uuid}"):
        html = browser.get(page).text
        assert "<script>alert" not in html and "<b>helper" not in html, page
        assert "\u202e" not in html and "\u200b" not in html, page


def test_a_long_list_takes_as_many_queries_as_a_short_one_and_few_bytes(browser: Client, helper: Agent) -> None:
    makers = [member(helper.store, Role.CURATOR) for _ in range(3)]
    token_of(helper, makers[0])

    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as caught:
            assert browser.get("/tokens/").status_code == 200
        return len(caught)

    few = queries()
    for number in range(60):
        token_of(helper, makers[number % 3], f"{'x' * 250}{number}")
    ApiToken.objects.update(used_at=timezone.now(), used_from="2001:db8::1")
    RefusedCall.objects.bulk_create(
        RefusedCall(store=helper.store, status=401, reason="unknown", ending="abcd", refused_at=timezone.now())
        for _ in range(200)
    )
    Agent.objects.bulk_create(
        Agent(name=f"Agent {n}", slug=f"agent-{n}", store=helper.store, created_at=timezone.now()) for n in range(300)
    )

    assert queries() == few
    assert len(browser.get("/tokens/").content) < 150_000
    assert len(browser.get("/tokens/refused").content) < 100_000


def test_an_address_chooses_the_agent_also_past_those_that_are_offered(browser: Client, helper: Agent) -> None:
    Agent.objects.bulk_create(
        Agent(name=f"A {n:03}", slug=f"a-{n}", store=helper.store, created_at=timezone.now()) for n in range(201)
    )

    assert "invoice-helper" not in browser.get("/tokens/").text
    assert '<option value="invoice-helper" selected>' in browser.get("/tokens/?agent=invoice-helper").text


def test_settings_and_the_palette_lead_to_tokens(browser: Client, curator: User, helper: Agent) -> None:
    token_of(helper, curator)

    account = browser.get("/account/").text

    assert 'href="/tokens/">Tokens <span class="count">1</span>' in account
    assert 'href="/tokens/"' in browser.get("/palette?q=token").text
