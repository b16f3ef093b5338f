"""How much a run may use before it stops and asks a person."""

from dataclasses import replace
from decimal import Decimal

from agents.models import Agent, Message, Run
from agents.runs.costs import Prices
from agents.runs.reasons import Reason, Stop
from agents.runs.terms import Terms
from agents.runs.texts import tokens_in
from memories.refusals import Refused


class BudgetTooSmall(Refused):
    """The raised budget is spent already."""


def reached(run: Run, terms: Terms) -> Stop | None:
    """Return why ``run`` may not ask the model once more, or None if it may."""
    if terms.max_turns is not None and run.turns >= terms.max_turns:
        return _stop(Reason.TURNS, f"It has used its budget of {terms.max_turns:,} turns.")
    if terms.max_run_output_tokens is not None and run.output_tokens >= terms.max_run_output_tokens:
        return _out_of_tokens(terms)
    if terms.max_minutes is not None and run.active_seconds >= 60 * terms.max_minutes:
        return _stop(Reason.MINUTES, f"It has used its budget of {terms.max_minutes:,} minutes of active time.")
    if terms.cost_budget is not None and not run.agent.is_scripted:
        cost = Prices.load().cost(run)
        if cost is None:
            unknown = f"It has a budget of {terms.cost_budget} US dollars, and the price of {terms.model} is not known."
            return Stop(Reason.COST, f"{unknown} Set the price, then continue.")
        if cost >= terms.cost_budget:
            return _stop(Reason.COST, f"It has used its budget of {terms.cost_budget} US dollars.")
    return None


def output_tokens_left(terms: Terms, used: int) -> int:
    """Return the most output tokens that an answer may have in a run that has ``used`` so many before."""
    if terms.max_run_output_tokens is None:
        return terms.max_output_tokens
    return min(terms.max_output_tokens, terms.max_run_output_tokens - used)


def cut_short(run: Run, terms: Terms, answer: Message) -> Stop | None:
    """Return the stop by the budget of output tokens, if that and not the limit of a turn cut off ``answer``."""
    before = run.output_tokens - tokens_in(answer.usage, "output_tokens")
    return _out_of_tokens(terms) if output_tokens_left(terms, before) < terms.max_output_tokens else None


def seconds_left(run: Run, terms: Terms) -> float | None:
    """Return the active seconds that the run still has, or None without a limit."""
    return None if terms.max_minutes is None else max(0.0, 60 * terms.max_minutes - run.active_seconds)


def raised(run: Run, to: Decimal | None) -> Terms:
    """Return the run's terms with the budget that stopped it raised ``to`` a figure, or by the agent's present one.

    Raises BudgetTooSmall if the run has spent that much already.
    """
    terms = Terms.of_run(run)
    agent: Agent = run.agent
    match run.reason:
        case Reason.TURNS:
            more = int(to) if to else run.turns + (agent.max_turns or run.turns)
            _above(more, run.turns, "turns")
            return replace(terms, max_turns=more)
        case Reason.OUTPUT_TOKENS:
            more = int(to) if to else run.output_tokens + (agent.max_run_output_tokens or run.output_tokens)
            _above(more, run.output_tokens, "output tokens")
            return replace(terms, max_run_output_tokens=more)
        case Reason.MINUTES:
            spent = int(run.active_seconds // 60)
            more = int(to) if to else spent + (agent.max_minutes or max(1, spent))
            _above(more, spent, "minutes")
            return replace(terms, max_minutes=more)
        case Reason.COST:
            cost = Prices.load().cost(run)
            if cost is None:
                raise BudgetTooSmall(f"The price of {terms.model} is not known. Set it first.")
            budget = to or cost + (agent.max_cost or cost)
            _above(budget, cost, "US dollars")
            return replace(terms, max_cost=str(budget))
    return terms


def _above(budget: int | Decimal, spent: int | Decimal, unit: str) -> None:
    if budget <= spent:
        raise BudgetTooSmall(f"The run has used {spent:,} {unit} already; give it more than that.")


def _out_of_tokens(terms: Terms) -> Stop:
    return _stop(Reason.OUTPUT_TOKENS, f"It has used its budget of {terms.max_run_output_tokens:,} output tokens.")


def _stop(reason: Reason, text: str) -> Stop:
    return Stop(reason, f"{text} Continue with a larger one, or leave it here.")
