"""Budgets: where a run stops, that it says so, and that it goes on with a larger one."""

from decimal import Decimal

import pytest

from agents import runs
from agents.demo.faults import Fault
from agents.models import ModelPrice, Run, RunState
from agents.runs.costs import Prices
from tests.support.runs import CLAUDE, driven, model_api, new_agent, new_run, person
from tests.support.stores import assert_sound

pytestmark = pytest.mark.django_db(transaction=True)


def priced(**prices: Decimal | None) -> None:
    each = dict.fromkeys(("input", "output", "cache_write", "cache_read"), Decimal(1))
    ModelPrice.objects.create(model=CLAUDE, **{**each, **prices})


@pytest.mark.parametrize(
    ("budget", "reason", "unit"),
    [
        ({"max_turns": 3}, "budget:turns", "3 turns"),
        ({"max_run_output_tokens": 100}, "budget:output_tokens", "100 output tokens"),
        ({"max_cost": Decimal("0.0001")}, "budget:cost", "0.0001 US dollars"),
    ],
)
def test_a_run_stops_at_its_budget_says_which_and_goes_on_with_a_larger_one(
    budget: dict[str, object], reason: str, unit: str
) -> None:
    priced()
    with model_api():
        run = driven(new_run(agent=new_agent(**budget)))

        assert (run.state, run.reason) == (RunState.STOPPED, reason)
        assert unit in run.detail
        turns = run.turns

        runs.resume(run, user=person(), budget=Decimal(1000))
        driven(run)

    assert run.state == RunState.DONE
    assert run.turns > turns
    assert_sound(run.agent.store)


def test_continuing_without_a_figure_gives_the_run_its_agents_budget_once_more() -> None:
    with model_api():
        run = driven(new_run(agent=new_agent(max_turns=2)))
        for turns in (4, 6):
            runs.resume(run, user=person())
            driven(run)
            assert (run.turns, run.settings["max_turns"]) == (turns, turns)


def test_no_answer_may_be_longer_than_what_is_left_of_the_budget() -> None:
    with model_api() as server:
        run = driven(new_run(agent=new_agent(max_run_output_tokens=60, max_output_tokens=50)))

        asked = [request.body["max_tokens"] for request in server.received]
    assert asked[0] == 50
    assert all(tokens <= 60 for tokens in asked)
    assert run.output_tokens <= 60
    assert run.reason == "budget:output_tokens", "cut by the budget, not by the limit of a turn"


def test_time_counts_while_a_worker_drives_and_ends_even_an_answer_that_streams() -> None:
    with model_api(Fault("one_byte_per_second", seconds=0.05, after=1)):
        run = new_run(agent=new_agent(max_minutes=1))
        Run.objects.filter(pk=run.pk).update(active_seconds=58.0)
        driven(run)

        assert (run.state, run.reason) == (RunState.STOPPED, "budget:minutes")
        assert 60 <= run.active_seconds < 65

        runs.resume(run, user=person())
        run.refresh_from_db()
        assert run.settings["max_minutes"] == 2


def test_a_wait_costs_no_time_of_the_budget() -> None:
    with model_api(Fault("status", status=429, headers={"retry-after": "2"})):
        run = driven(new_run())

    assert run.started_at is not None
    assert run.ended_at is not None
    waited = (run.ended_at - run.started_at).total_seconds() - run.active_seconds
    assert waited > 1.5


def test_a_cost_budget_without_a_price_stops_the_run_before_it_spends_anything() -> None:
    with model_api() as server:
        run = driven(new_run(agent=new_agent(max_cost=Decimal(5))))

        assert len(server.received) == 0
        assert (run.state, run.reason) == (RunState.STOPPED, "budget:cost")
        assert "price" in run.detail

        priced()
        runs.resume(run, user=person())
        assert driven(run).state == RunState.DONE


def test_a_run_without_budgets_goes_to_its_end() -> None:
    with model_api():
        run = driven(new_run(agent=new_agent(max_turns=None, max_run_output_tokens=None, max_minutes=None)))

    assert run.state == RunState.DONE


def counted(**tokens: int) -> Run:
    return Run(settings={"model": CLAUDE}, **tokens)


def test_a_cost_is_what_its_four_kinds_of_tokens_come_to() -> None:
    priced(input=Decimal(3), output=Decimal(15), cache_write=Decimal("3.75"), cache_read=Decimal("0.3"))
    run = counted(
        input_tokens=1_000_000, output_tokens=100_000, cache_write_tokens=200_000, cache_read_tokens=2_000_000
    )

    assert Prices.load().cost(run) == Decimal("5.85")


def test_a_cost_is_unknown_while_a_price_it_needs_is_and_never_zero() -> None:
    assert Prices.load().cost(counted(input_tokens=5)) is None

    priced(output=None)
    assert Prices.load().cost(counted(input_tokens=5, output_tokens=1)) is None
    assert Prices.load().cost(counted(input_tokens=5)) == Decimal("0.000005")
