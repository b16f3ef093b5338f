"""Histories of three agents and two people: the past comes back, and news lead from what was seen to what is."""

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories.commands import Create, Delete, Purge
from memories.moments import news, seen
from memories.paths import MemoryPath
from tests.reliability.histories import History
from tests.reliability.moment_checks import news_wrong, put_back_wrong, rebuilt_wrong
from tests.reliability.random_acts import ACTS, attempt
from tests.support.stores import assert_sound

pytestmark = pytest.mark.django_db

A = MemoryPath("/memories/a")

OPERATIONS = st.lists(st.tuples(st.sampled_from(list(ACTS)), st.integers(0, 999)), min_size=1, max_size=25)


@given(OPERATIONS, OPERATIONS)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_past_comes_back_whatever_was_done_since(  # type: ignore[no-untyped-def]
    db, first, then
) -> None:
    history = History(0)
    # Without files there is nothing to do for most kinds of acts.
    for kind, seed in [("create", number) for number in range(6)] + first + [("see", 1)] + then:
        history.luck = Random(seed)
        attempt(history, kind)

    assert list(news_wrong(history)) == []
    assert list(rebuilt_wrong(history, list(history.taken))) == []
    assert list(put_back_wrong(history, history.luck.sample(list(history.taken), 3))) == []
    assert_sound(history.memory)


def test_a_file_that_was_purged_is_told_as_gone_to_who_saw_it_and_to_nobody_else() -> None:
    history = History(0)
    saw, knew, never = history.people
    history.apply(Create(A, "tea\n"), history.agents[0])
    history.remember()
    (key,) = history.now
    for person in (saw, knew):
        seen.mark(person.user.pk, files={key: 1})
    history.apply(Delete(A), history.agents[0])
    seen.mark(knew.user.pk, files={key: 2})
    history.apply(Purge((key,)), history.agents[0])

    told = {}
    for person in history.people:
        stores = news.changed_stores(person.user)
        versions = news.page(person.user, stores, 0, 20)
        found = [each.difference for each in news.news_of(person.user, stores, versions)]
        told[person.user] = [(each.before is None, each.after) for each in found]

    assert told == {saw.user: [(False, None)], knew.user: [], never.user: []}
    assert [news.quick_count(person.user, 9) for person in history.people] == [1, 0, 0]
    assert news.counts(knew.user, news.changed_stores(knew.user)) == {}


def test_two_files_that_went_from_one_path_one_after_the_other_are_both_told_as_gone() -> None:
    history = History(0)
    (person, *_) = history.people
    for _ in range(2):
        history.apply(Create(A, "tea\n"), history.agents[0])
        history.remember()
        (key,) = history.now
        seen.mark(person.user.pk, files={key: 1})
        history.apply(Delete(A), history.agents[0])
        history.remember()

    stores = news.changed_stores(person.user)
    told = news.news_of(person.user, stores, news.page(person.user, stores, 0, 20))

    assert [(each.difference.path, each.difference.after) for each in told] == [(A.text, None)] * 2
    assert len({each.entry.pk for each in told}) == 2
