"""What is noted beside an answer: two notes at once are both kept, and no answer waits long or fails for one."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
import time_machine
from django.db import connection, connections, transaction
from django.test import Client
from django.utils import timezone

from agents.models import ApiToken, RefusedCall, Scope, TokenDay
from agents.tokens import Reason
from agents.tokens.use import count_call, record_refusal
from memdash.accounts.models import Session, Tries
from memdash.web import passing
from memories.models import MemoryStore
from memories.store.turns import in_turn
from tests.support.outside import creating, new_token
from tests.support.people import browser_of, operator

pytestmark = pytest.mark.django_db(transaction=True)

LONG = 5.0
"""Seconds for which others write; an answer that waited for them would take as long."""


@contextmanager
def meanwhile(act: Callable[[], object], *, holds: float) -> Iterator[Callable[[], None]]:
    """Do ``act`` in a transaction on another connection that stays open for ``holds`` seconds, or until it is told."""
    acting, done = threading.Event(), threading.Event()

    def hold() -> None:
        with in_turn(), transaction.atomic():
            act()
            acting.set()
            done.wait(holds)
        connections.close_all()

    thread = threading.Thread(target=hold)
    thread.start()
    assert acting.wait(5)
    try:
        yield done.set
    finally:
        done.set()
        thread.join()


def everything_is_held() -> None:
    """Lock every row that a note would change, on SQLite the whole database."""
    for model in (MemoryStore, TokenDay, Tries, Session, RefusedCall):
        list(model.objects.select_for_update())
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(f"LOCK TABLE {model._meta.db_table} IN EXCLUSIVE MODE")


def refused(secret: str, token: ApiToken) -> tuple[int, float]:
    """Return the status of a call that this secret may not make, and how long the answer took."""
    began = time.monotonic()
    answer = Client().post(
        f"/api/v1/stores/{token.store.slug}/memory",
        creating(),
        content_type="application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )
    return answer.status_code, time.monotonic() - began


def days() -> list[tuple[int, int]]:
    return list(TokenDay.objects.values_list("calls", "refused"))


def test_the_first_two_calls_of_a_day_at_once_are_both_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passing, "PATIENCE", LONG)
    token, _ = new_token()

    with meanwhile(lambda: count_call(token, "192.0.2.1"), holds=0.3):
        record_refusal(token.store, status=403, reason=Reason.SCOPE, address="", token=token)

    assert days() == [(1, 1)]
    assert RefusedCall.objects.count() == 1


def test_a_call_is_counted_in_the_transaction_that_another_count_made_wait() -> None:
    token, _ = new_token()

    with meanwhile(lambda: count_call(token, "192.0.2.1"), holds=0.3), in_turn(), transaction.atomic():
        count_call(token, "192.0.2.1")
        assert MemoryStore.objects.exists()

    assert days() == [(2, 0)]


@pytest.mark.parametrize("shows", ["nothing good", "may only read"])
def test_a_call_is_refused_in_time_while_others_write(shows: str) -> None:
    token, secret = new_token(scope=Scope.READ)
    secret, expected = ("mdh_nobody-made-this-one", 401) if shows == "nothing good" else (secret, 403)

    with meanwhile(everything_is_held, holds=LONG):
        status, seconds = refused(secret, token)

    assert status == expected
    assert seconds < LONG - 1
    assert not RefusedCall.objects.exists()
    assert refused(secret, token)[0] == expected
    assert RefusedCall.objects.count() == 1


def test_a_page_is_shown_in_time_while_others_write_though_it_would_note_the_use_of_its_session() -> None:
    browser = browser_of(operator())
    browser.get("/account/")
    with time_machine.travel(timezone.now() + timedelta(minutes=5)), meanwhile(everything_is_held, holds=LONG):
        began = time.monotonic()
        answer = browser.get("/stores/")
        seconds = time.monotonic() - began

    assert answer.status_code == 200
    assert seconds < LONG - 1


def test_a_note_that_was_lost_leaves_the_connection_as_it_was() -> None:
    def broken() -> None:
        MemoryStore.objects.create(pk=1, slug="a", created_at=timezone.now())
        MemoryStore.objects.create(pk=1, slug="b", created_at=timezone.now())

    before = patience()

    assert passing.in_passing(broken) is None
    assert passing.in_passing(MemoryStore.objects.count) == 0
    assert patience() == before


def patience() -> object:
    """Return how long this connection waits for others."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout" if connection.vendor == "sqlite" else "SHOW lock_timeout")
        return cursor.fetchone()
