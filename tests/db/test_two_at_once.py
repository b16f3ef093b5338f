"""Two acts of people at the same moment, each on a connection of its own: none undoes what the other was told."""

import threading
import time
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections, transaction

from memories import settings
from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.commands import Create, Delete
from memories.models import ChangeSet, FileSeen, MemoryStore, Role, StoreSeen
from memories.moments import seen
from memories.refusals import Refused, StoreGone
from tests.support.files import at, write
from tests.support.people import browser_of, member, operator
from tests.support.stores import AGENT, PERSON, files_of

pytestmark = pytest.mark.django_db(transaction=True)

APART = 0.2
"""Seconds between the starts of two that wait for a third, so that they come to its lock in this order."""


def one_after_the_other(hold: Callable[[], object], *acts: Callable[[], object]) -> None:
    """Let acts wait, in this order, for a transaction in which ``hold`` was called, and then all go on at once.

    SQLite lets them go on in any order.
    """
    failures: list[BaseException] = []

    def guarded(act: Callable[[], object]) -> None:
        try:
            act()
        except BaseException as failure:
            failures.append(failure)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=guarded, args=[act]) for act in acts]
    with transaction.atomic():
        hold()
        for thread in threads:
            thread.start()
            time.sleep(APART)
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize("known", [0, 1], ids=["new to them", "marked before"])
def test_of_two_tabs_that_mark_at_once_the_one_that_saw_less_lowers_nothing(store: MemoryStore, known: int) -> None:
    user = member(store, Role.CURATOR)
    entry = write(store, "a.md", "x")

    def tab(upto: int) -> Callable[[], object]:
        return lambda: seen.mark(user.pk, stores={store.pk: upto}, files={entry.pk: upto})

    if known:
        tab(known)()
    one_after_the_other(tab(2), tab(9), tab(5))

    assert (StoreSeen.objects.get().seq, FileSeen.objects.get().version) == (9, 9)


@pytest.fixture
def fresh() -> tuple[User, MemoryStore, ChangeSet]:
    """Somebody who has just made a store, the store, and the act that made it."""
    user = operator()
    browser_of(user).post("/stores/new", {"name": "Fresh"})
    return user, MemoryStore.objects.get(name="Fresh"), ChangeSet.objects.get()


def making_undone(user: User, act: ChangeSet) -> None:
    try:
        settings.take_back(act, actor=Actor(ActorKind.PERSON, user.username, user_id=user.pk))
    except Refused as refusal:
        assert "holds memory, or the history of it, and stays" in str(refusal)


@pytest.mark.parametrize("first", ["the undo", "the file"])
def test_a_file_posted_while_the_making_of_its_store_is_undone_is_refused_or_keeps_the_store(
    fresh: tuple[User, MemoryStore, ChangeSet], first: str
) -> None:
    user, store, act = fresh
    browser, answers = browser_of(user), []

    def post() -> None:
        fields = {"path": "a.md", "text": "typed with care", "note": ""}
        answers.append(browser.post(f"/stores/{store.slug}/new-file", fields))

    acts: list[Callable[[], object]] = [lambda: making_undone(user, act), post]
    one_after_the_other(
        lambda: MemoryStore.objects.filter(pk=store.pk).update(description="held"),
        *(acts if first == "the undo" else reversed(acts)),
    )

    store.refresh_from_db()
    (answer,) = answers
    if store.archived_at:
        assert (answer.status_code, files_of(store), store.seq) == (422, {}, 0)
        assert "This memory store is gone, since a person undid the making of it; nothing was changed." in answer.text
        assert "typed with care" in answer.text
    else:
        assert (answer.status_code, files_of(store)) == (302, {"/memories/a.md": b"typed with care"})
    if connection.vendor == "postgresql":
        assert bool(store.archived_at) is (first == "the undo")


def test_nobody_writes_into_a_store_whose_making_was_undone_until_it_is_back(
    fresh: tuple[User, MemoryStore, ChangeSet],
) -> None:
    user, store, act = fresh
    making_undone(user, act)

    for actor in (AGENT, PERSON):
        with pytest.raises(StoreGone, match=r"^Error: this memory store is gone, .* can bring it back\.$"):
            memory.apply(store.pk, Create(at("a.md"), "x"), actor=actor)
    with pytest.raises(Refused, match="does not exist"):
        memory.apply(store.pk, Delete(at("a.md")), actor=PERSON)

    making_undone(user, ChangeSet.objects.latest("pk"))
    memory.apply(store.pk, Create(at("a.md"), "x"), actor=AGENT)
    assert files_of(store) == {"/memories/a.md": b"x"}
