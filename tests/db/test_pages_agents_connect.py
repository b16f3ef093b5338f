"""Connecting agents: that run here, elsewhere, or are a folder; and the first call as it comes in."""

import re
from datetime import timedelta
from pathlib import Path
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
from agents.models import Agent, ApiToken, FolderFile, Place, RefusedCall, Scope, WatchedFolder
from agents.snippets import snippets
from agents.tokens import Reason
from agents.tokens.use import record_refusal
from memories.models import Member, MemoryStore, Role
from tests.db.conftest import PASSWORD
from tests.support.people import browser_of, member, operator, stranger
from tests.support.stores import new_store

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("quick_passwords")]


@pytest.fixture
def browser(mara: User) -> Client:
    """The browser of mara, who has a password and no store."""
    return browser_of(mara)


@pytest.fixture
def helper(store: MemoryStore) -> Agent:
    return create_agent(name="Invoice helper", store=store, place=Place.API)


def filled(**changed: Any) -> dict[str, Any]:
    given = {"once": uuid4(), "place": "api", "name": "Invoice helper", "store": "", "folder": "", "password": PASSWORD}
    return given | changed


def token_of(agent: Agent) -> tuple[ApiToken, str]:
    expires_at = timezone.now() + timedelta(days=1)
    return tokens.make_token(agent, agent.store, "laptop", Scope.WRITE, user=operator(), expires_at=expires_at)


def called(slug: str, secret: str, address: str = "192.0.2.14", *, session: str | None = "s-1", **asked: Any) -> int:
    """Send a call as a program elsewhere does, and return the status of the answer."""
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    body = {"command": "view", "path": "/memories"} | ({"session": session} if session else {}) | asked
    answer = Client().post(
        f"/api/v1/stores/{slug}/memory", body, content_type="application/json", headers=headers, REMOTE_ADDR=address
    )
    return int(answer.status_code)


def test_an_agent_that_runs_elsewhere_gets_a_store_of_its_own_and_a_token_shown_once(
    browser: Client, mara: User
) -> None:
    page = browser.post("/agents/connect", filled())

    agent, token = Agent.objects.get(), ApiToken.objects.get()
    secret = page.text.partition('id="secret"')[2].partition(">")[2].partition("<")[0]
    assert page.status_code == 200
    assert (agent.name, agent.place, agent.store.slug) == ("Invoice helper", Place.API, "invoice-helper")
    assert Member.objects.get(store=agent.store).role == Role.OWNER
    assert tokens.authenticate(f"Bearer {secret}") == token
    assert (token.agent, token.scope, token.made_by) == (agent, Scope.WRITE, mara)
    assert token.expires_at and token.expires_at > timezone.now() + timedelta(days=89)
    assert "Waiting for the first call" in page.text
    assert secret not in browser.get("/agents/invoice-helper/connect").text
    assert "Invoice helper" in browser.get("/agents/").text


def test_every_program_names_the_real_address_and_store_and_not_the_secret(browser: Client) -> None:
    page = browser.post("/agents/connect", filled(), headers={"Host": "localhost:8787"})

    shown = page.context["snippets"]
    assert shown == snippets("http://localhost:8787", "invoice-helper")
    secret = page.context["secret"]
    assert all(secret not in snippet.text for snippet in shown)
    assert page.text.count(f"export MEMDASH_TOKEN={secret}") == 1


def test_what_a_program_in_python_needs_of_memdash_is_one_file_to_download(browser: Client) -> None:
    page = browser.post("/agents/connect", filled()).text

    answer = browser.get("/agents/client.py")

    assert 'href="/agents/client.py"' in page
    assert answer.content == Path("memdash/client.py").read_bytes()
    assert answer["Content-Disposition"] == 'attachment; filename="client.py"'


def test_the_public_address_stands_in_programs_where_there_is_one(browser: Client, settings: Any) -> None:
    settings.MEMDASH_PUBLIC_URL = "https://memory.example.org"

    page = browser.post("/agents/connect", filled())

    assert page.context["snippets"] == snippets("https://memory.example.org", "invoice-helper")


def test_a_form_sent_again_by_a_reload_makes_nothing_more(browser: Client) -> None:
    sent = filled()
    browser.post("/agents/connect", sent)

    answer = browser.post("/agents/connect", sent, follow=True)

    assert answer.redirect_chain == [("/agents/invoice-helper/connect", 302)]
    assert "was made before" in answer.text
    assert (Agent.objects.count(), MemoryStore.objects.count(), ApiToken.objects.count()) == (1, 1, 1)


def test_an_id_that_somebody_else_used_makes_nothing(browser: Client, helper: Agent) -> None:
    theirs, _ = token_of(helper)

    answer = browser.post("/agents/connect", filled(once=theirs.uuid), follow=True)

    assert answer.redirect_chain == [("/agents/connect", 302)]
    assert (Agent.objects.count(), ApiToken.objects.count()) == (1, 1)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"password": "wrong"}, "That is not your current password."),
        ({"password": ""}, "Enter your password."),
        ({"name": ""}, "This field is required."),
        ({"place": "moon"}, "Select a valid choice."),
        ({"store": "nowhere"}, "You own no store of this address."),
        ({"place": "folder", "folder": "/tmp"}, "Folders of the server are followed for the operator."),
    ],
)
def test_a_form_that_is_wrong_makes_nothing_and_says_where(browser: Client, changed: dict[str, str], said: str) -> None:
    answer = browser.post("/agents/connect", filled(**changed))

    assert answer.status_code == 422
    assert said in answer.text
    assert not Agent.objects.exists() and not MemoryStore.objects.exists()


@pytest.mark.parametrize("role", [None, Role.VIEWER, Role.CURATOR])
def test_nobody_connects_an_agent_to_a_store_they_do_not_own(browser: Client, mara: User, role: Role | None) -> None:
    memory = new_store()
    if role:
        Member.objects.create(store=memory, user=mara, role=role)

    answer = browser.post("/agents/connect", filled(store=memory.slug))

    assert answer.status_code == 422
    assert f'value="{memory.slug}"' not in browser.get(f"/agents/connect?store={memory.slug}").text
    assert not Agent.objects.exists()


def test_a_store_one_owns_may_be_shared_and_says_who_shares_it(browser: Client, mara: User, helper: Agent) -> None:
    Member.objects.create(store=helper.store, user=mara, role=Role.OWNER)

    asked = browser.get(f"/agents/connect?store={helper.store.slug}").text
    browser.post("/agents/connect", filled(name="Night triage", store=helper.store.slug))

    assert f'value="{helper.store.slug}" selected>' in asked
    assert "used by Invoice helper" in asked
    assert Agent.objects.get(name="Night triage").store == helper.store


def test_one_that_runs_here_goes_on_to_its_settings_with_what_is_known(
    browser: Client, mara: User, store: MemoryStore
) -> None:
    Member.objects.create(store=store, user=mara, role=Role.OWNER)
    sent = filled(place="here", name="Desk & co", store=store.slug, password="")

    page = browser.post("/agents/connect", sent, follow=True)

    assert page.redirect_chain[0][0].startswith("/agents/new?")
    assert 'value="Desk &amp; co"' in page.text
    assert f'value="{store.slug}" selected>' in page.text
    assert not Agent.objects.exists()


def test_the_first_call_is_shown_with_what_it_asked_and_was_answered(browser: Client) -> None:
    secret = browser.post("/agents/connect", filled()).context["secret"]
    waiting = browser.get("/agents/invoice-helper/first-call")
    unchanged = browser.get("/agents/invoice-helper/first-call?seen=waiting")
    assert called("invoice-helper", secret) == 200

    came = browser.get("/agents/invoice-helper/first-call?seen=waiting")

    assert (waiting.status_code, unchanged.status_code, came.status_code) == (200, 204, 286)
    assert "hx-get" in waiting.text and "hx-get" not in came.text
    for words in ("Connected", "192.0.2.14", "view", "/memories", "Here&#x27;re the files", " ms", "read and write"):
        assert words in came.text, words
    assert "Connected" in browser.get("/agents/invoice-helper/connect").text


def test_a_call_that_names_no_session_is_a_first_call_too(browser: Client) -> None:
    secret = browser.post("/agents/connect", filled()).context["secret"]
    called("invoice-helper", secret, session=None)

    came = browser.get("/agents/invoice-helper/first-call")

    assert came.status_code == 286
    assert "named no session" in came.text and "192.0.2.14" in came.text


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        ("token", "401.</strong>|brought a token that ends in wxyz. This agent’s ends in "),
        ("none", "401.</strong>|brought no token."),
        ("store", "404.</strong>|brought this agent’s token to another store. Its store is invoice-helper."),
        ("expired", "401.</strong>|which has expired."),
    ],
)
def test_a_call_that_is_refused_says_what_is_wrong_with_it(browser: Client, spoil: str, said: str) -> None:
    secret: str = browser.post("/agents/connect", filled()).context["secret"]
    elsewhere = new_store()
    if spoil == "expired":
        ApiToken.objects.update(expires_at=timezone.now())
    shown = {"token": f"{secret[:-4]}wxyz", "none": ""}.get(spoil, secret)

    called(elsewhere.slug if spoil == "store" else "invoice-helper", shown, "198.51.100.7")

    answer = browser.get("/agents/invoice-helper/first-call?seen=waiting")
    assert answer.status_code == 200
    assert all(words in answer.text for words in (*said.split("|"), "198.51.100.7", "Nothing was read or changed."))
    assert secret not in answer.text
    key = answer.context["key"]
    assert browser.get(f"/agents/invoice-helper/first-call?seen={key}").status_code == 204


def test_calls_refused_before_the_token_was_made_or_of_other_tokens_are_not_shown(helper: Agent) -> None:
    other, _ = token_of(helper)
    record_refusal(helper.store, status=401, reason=Reason.UNKNOWN, address="", ending="aaaa")
    RefusedCall.objects.update(refused_at=timezone.now() - timedelta(hours=1))
    token_of(helper)
    record_refusal(helper.store, status=401, reason=Reason.EXPIRED, address="", ending=other.ending, token=other)

    page = browser_of(operator()).get("/agents/invoice-helper/first-call").text

    assert "Waiting for the first call" in page
    assert "Refused" not in page


def test_another_token_is_made_on_the_agents_page_with_the_password(browser: Client, mara: User, helper: Agent) -> None:
    Member.objects.create(store=helper.store, user=mara, role=Role.CURATOR)

    without = browser.post("/agents/invoice-helper/connect", {"once": uuid4(), "password": "wrong"})
    made = browser.post("/agents/invoice-helper/connect", {"once": uuid4(), "password": PASSWORD})

    assert (without.status_code, made.status_code) == (422, 200)
    assert tokens.authenticate(f"Bearer {made.context['secret']}") == ApiToken.objects.get()


@pytest.mark.parametrize("page", ["connect", "first-call"])
@pytest.mark.parametrize(("role", "status"), [(None, 404), (Role.VIEWER, 403), (Role.CURATOR, 200), (Role.OWNER, 200)])
def test_curators_and_owners_see_how_an_agent_is_connected(
    helper: Agent, page: str, role: Role | None, status: int
) -> None:
    token_of(helper)
    browser = browser_of(member(helper.store, role) if role else stranger())

    assert browser.get(f"/agents/invoice-helper/{page}").status_code == status


def test_a_deleted_agent_gets_no_token_on_its_page(helper: Agent) -> None:
    Agent.objects.update(archived_at=timezone.now())
    browser = browser_of(operator())

    page = browser.post("/agents/invoice-helper/connect", {"once": uuid4()})

    assert "The tokens of a deleted agent open nothing." in page.text
    assert not ApiToken.objects.exists()


def test_a_folder_is_followed_for_the_operator(tmp_path: Path) -> None:
    browser = browser_of(operator())

    answer = browser.post("/agents/connect", filled(place="folder", folder=str(tmp_path), password=""), follow=True)

    folder = WatchedFolder.objects.get()
    assert answer.redirect_chain == [("/agents/invoice-helper/connect", 302)]
    assert (folder.path, folder.agent.place) == (str(tmp_path.resolve()), Place.FOLDER)
    assert str(tmp_path) in answer.text
    assert f"memdash watch {tmp_path.resolve()} --agent invoice-helper" in answer.text


def test_a_folder_that_cannot_be_followed_makes_no_agent_and_says_why(tmp_path: Path) -> None:
    browser = browser_of(operator())

    answer = browser.post("/agents/connect", filled(place="folder", folder=str(tmp_path / "gone"), password=""))

    assert answer.status_code == 422
    assert "is not there, or cannot be looked into." in answer.text
    assert not Agent.objects.exists() and not MemoryStore.objects.exists()


def test_a_folder_page_says_how_it_stands_and_ends_it(tmp_path: Path) -> None:
    user = operator()
    agent = create_agent(name="Notes", place=Place.FOLDER)
    browser = browser_of(user)
    browser.post("/agents/notes/connect", {"folder": str(tmp_path)})
    folder = WatchedFolder.objects.get(agent=agent)
    FolderFile.objects.create(folder=folder, path="/memories/a.md", sha256="", inode="1", missing_since=timezone.now())
    WatchedFolder.objects.update(
        problem="It is not there.", problem_since=timezone.now(), waiting=[["b\u202e.md", "too large"]], waiting_count=1
    )

    page = browser.get("/agents/notes/connect").text
    (until,) = re.findall(r'name="until" value="([^"]+)"', page)
    stale = browser.post("/agents/notes/accept-deletions", {"until": "2020-01-01T00:00:00+00:00"}, follow=True).text
    senseless = browser.post("/agents/notes/accept-deletions", {"until": "yesterday"}, follow=True).text
    before = WatchedFolder.objects.get().accepted_at
    accepted = browser.post("/agents/notes/accept-deletions", {"until": until}, follow=True).text
    ended = browser.post("/agents/notes/unfollow", follow=True).text

    for words in ("It is not there.", "too large", "1 file is missing from the folder.", "Follow it no longer"):
        assert words in page, words
    assert "\u202e" not in page
    assert '<bdi class="mono">a.md</bdi>' in page
    for answer in (stale, senseless):
        assert "Nothing of that is missing" in answer
    assert before is None
    assert "deleted within seconds" in accepted
    assert "is followed no longer" in ended
    assert not WatchedFolder.objects.exists()


@pytest.mark.parametrize("verb", ["connect", "unfollow", "accept-deletions"])
@pytest.mark.parametrize(("role", "status"), [(None, 404), (Role.VIEWER, 403), (Role.OWNER, 403)])
def test_only_the_operator_decides_on_folders_of_the_server(
    tmp_path: Path, verb: str, role: Role | None, status: int
) -> None:
    agent = create_agent(name="Notes", place=Place.FOLDER)
    if verb != "connect":
        WatchedFolder.objects.create(agent=agent, path=str(tmp_path), added_by="mara", added_at=timezone.now())
    before = WatchedFolder.objects.count()
    browser = browser_of(member(agent.store, role) if role else stranger())

    answer = browser.post(f"/agents/notes/{verb}", {"folder": str(tmp_path)})

    assert answer.status_code == status
    assert WatchedFolder.objects.filter(accepted_at=None).count() == before


def test_names_that_play_tricks_are_shown_for_what_they_are(browser: Client) -> None:
    page = browser.post("/agents/connect", filled(name="<script>alert(1)</script>\u202e")).text

    assert "<script>alert" not in page
    assert "\u202e" not in page


def test_the_form_offers_many_stores_in_few_queries_and_bytes(browser: Client, mara: User) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as caught:
            assert browser.get("/agents/connect").status_code == 200
        return len(caught)

    now = timezone.now()
    first = create_agent(name="First")
    Member.objects.create(store=first.store, user=mara, role=Role.OWNER)
    few = queries()
    stores = MemoryStore.objects.bulk_create(
        MemoryStore(name=f"Store {n}", slug=f"store-{n}", created_at=now) for n in range(300)
    )
    Member.objects.bulk_create(Member(store=store, user=mara, role=Role.OWNER) for store in stores)
    Agent.objects.bulk_create(
        Agent(name=f"Agent {n} " + "x" * 40, slug=f"agent-{n}", store=stores[n % 3], created_at=now) for n in range(300)
    )

    assert queries() == few
    assert len(browser.get("/agents/connect").content) < 60_000
    assert 'value="store-299" selected' in browser.get("/agents/connect?store=store-299").text


def test_pages_lead_here(browser: Client, helper: Agent, mara: User) -> None:
    first = browser_of(operator())

    assert 'href="/agents/connect"' in browser.get("/").text  # the page of somebody without a store
    assert 'href="/agents/connect"' in first.get("/agents/").text
    assert 'href="/agents/connect"' in first.get("/palette?q=connect").text
    assert 'href="/agents/invoice-helper/connect"' in first.get("/agents/invoice-helper/settings").text
    assert 'href="/agents/invoice-helper/connect"' in first.get(f"/stores/{helper.store.slug}/files/").text
