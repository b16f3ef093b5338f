"""What lies in stores of others shows on no page: it is not named, and no number counts it."""

import re

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from agents.making import create_agent
from agents.models import RunState, Scope
from agents.tokens import Reason, make_token
from agents.tokens.use import record_refusal
from memories import store
from memories.commands import Create, Delete, Label
from memories.models import Member, MemoryStore, Role
from memories.paths import MemoryPath
from tests.browser import cases
from tests.support.people import browser_of, operator, stranger
from tests.support.run_rows import run_in
from tests.support.stores import PERSON

pytestmark = pytest.mark.django_db(transaction=True)

FRESH = re.compile(r'name="(csrfmiddlewaretoken|once)" value="[\w-]+"')
LISTS = (
    "/palette?q=o",
    "/stores/?q=o",
    "/stores/?q=o&state=near",
    "/agents/?q=o",
    "/runs/?q=o",
    "/runs/?state=live",
    "/trash/?q=o",
    "/stores/?label=urgent",
)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OWNER, None])
def test_rows_of_foreign_stores_change_no_page(role: Role | None) -> None:
    User.objects.create_superuser("mara", password="a long password")
    cases.seed(1)
    user = stranger()
    if role:
        Member.objects.bulk_create(Member(store=each, user=user, role=role) for each in MemoryStore.objects.all())
    signed_in = [case.path() for case in cases.cases().values() if case.signed_in and case.shown]
    addresses = [*filter(None, signed_in), *LISTS]
    browser = browser_of(user)

    with time_machine.travel(timezone.now(), tick=False):
        before = pages(browser, addresses)
        make_foreign_rows()
        after = pages(browser, addresses)

    assert len(set(before.values())) > len(LISTS)
    for address in addresses:
        assert after[address] == before[address], address


def make_foreign_rows() -> None:
    """Make one of each thing that pages list or count, named so that every filter above finds it."""
    foreigner = operator()
    for name in ("Foreign notes", "Support desk"):
        agent = create_agent(name=name, model="foreign-model")
        deleted = create_agent(name=f"{name}, old", store=agent.store)
        for state in RunState:
            run_in(state, agent, title=f"Foreign {state}")
            run_in(state, deleted)
        type(deleted).objects.filter(pk=deleted.pk).update(archived_at=timezone.now())
        store.apply(agent.store_id, Create(MemoryPath("/memories/foreign.md"), "tea"), actor=PERSON)
        store.apply(agent.store_id, Label(MemoryPath("/memories/foreign.md"), add=("urgent",)), actor=PERSON)
        store.apply(agent.store_id, Create(MemoryPath("/memories/gone.md"), "tea"), actor=PERSON)
        store.apply(agent.store_id, Delete(MemoryPath("/memories/gone.md")), actor=PERSON)
        MemoryStore.objects.filter(pk=agent.store_id).update(max_files=1)
        token, _ = make_token(agent, agent.store, "Foreign", Scope.WRITE, user=foreigner, expires_at=None)
        record_refusal(agent.store, status=401, reason=Reason.REVOKED, address="", ending=token.ending, token=token)


def pages(browser: Client, addresses: list[str]) -> dict[str, tuple[int, str]]:
    """Return the status of each address and its page, but for what is made anew for its forms."""
    answers = {address: browser.get(address) for address in addresses}
    return {address: (answer.status_code, FRESH.sub("", answer.text)) for address, answer in answers.items()}
