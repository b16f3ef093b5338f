"""How a benchmark measures and what its table says."""

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter, thread_time

Step = Callable[[int], object]
"""What is timed; it is given the number of the round, from 0."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table: what was measured, and the bar it has to keep under."""

    name: str
    bar: float
    value: float
    unit: str
    detail: str = ""

    @property
    def passed(self) -> bool:
        return self.value <= self.bar

    def __str__(self) -> str:
        value, bar = f"{self.value:.3g}{self.unit}", f"{self.bar:g}{self.unit}"
        return f"{self.name:<52} {value:>10}   bar {bar:>8}   {'pass' if self.passed else 'FAIL'}   {self.detail}"


def interleaved(
    steps: Sequence[Step],
    rounds: int,
    *,
    after: Callable[[], object] = bool,
    clock: Callable[[], float] = perf_counter,
) -> list[float]:
    """Return the median seconds of each step, taken in turns so that a slow moment of the machine meets all of them.

    ``after`` runs after each and is not timed.
    """
    times: list[list[float]] = [[] for _ in steps]
    gc.collect()
    for number in range(rounds):
        # Who goes first changes, so that nobody always finds the caches the other one left.
        order = range(len(steps)) if number % 2 else reversed(range(len(steps)))
        for place in order:
            started = clock()
            steps[place](number)
            times[place].append(clock() - started)
            after()
    return [median(taken) for taken in times]


def ratio(name: str, bar: float, ours: Step, theirs: Step, rounds: int) -> Line:
    """Compare two steps; the value is our median divided by theirs."""
    our_time, their_time = interleaved([ours, theirs], rounds)
    return Line(name, bar, our_time / their_time, "×", f"{our_time * 1e6:,.0f} µs, SDK {their_time * 1e6:,.0f} µs")


def growth(name: str, bar: float, small: Step, large: Step, rounds: int, *, after: Callable[[], object]) -> Line:
    """Compare a step on a small store with the same on a large one; the value is large divided by small."""
    small_time, large_time = interleaved([small, large], rounds, after=after)
    return Line(name, bar, large_time / small_time, "×", f"{small_time * 1e6:,.0f} µs, then {large_time * 1e6:,.0f} µs")


def processor_time(name: str, bar: float, step: Step, rounds: int) -> Line:
    """Time one step that only computes, so that others on the machine do not count; bar and value are milliseconds."""
    (taken,) = interleaved([step], rounds, clock=thread_time)
    return Line(name, bar, taken * 1e3, " ms")
