"""The conformance cases of the memory tool: how their files are read and one case is played."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

CASES = Path(__file__).parent.parent / "data" / "cases.json"


class Store(Protocol):
    """An empty store that answers calls of the memory tool."""

    def call(self, value: object) -> tuple[str, bool]: ...

    def files(self) -> dict[str, str]: ...


def cases_of(path: Path) -> list[dict[str, Any]]:
    """Return the cases of a file."""
    cases: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return cases


def expand(value: Any) -> Any:
    """Return ``value`` with its short forms of long strings written out."""
    if isinstance(value, dict):
        if set(value) == {"$repeat"}:
            return expand(value["$repeat"][0]) * value["$repeat"][1]
        if set(value) == {"$concat"}:
            return "".join(map(expand, value["$concat"]))
        return {key: expand(item) for key, item in value.items()}
    return [expand(item) for item in value] if isinstance(value, list) else value


def play(case: dict[str, Any], new_store: Callable[[], Store]) -> None:
    """Play a case, or its alternatives until one holds, each on an empty store; raise AssertionError otherwise."""
    failures = []
    for script in case.get("alternatives", [case]):
        try:
            return _play(new_store(), script)
        except AssertionError as failure:
            failures.append(failure)
    raise failures[-1]


def _play(store: Store, script: dict[str, Any]) -> None:
    for number, raw_step in enumerate(script["steps"], 1):
        step = expand(raw_step)
        text, is_error = store.call(step["input"])
        text.encode("utf-8")
        if not _holds(step["expect"], text, is_error):
            raise AssertionError(f"step {number}: {step['input']!r:.300} answered {text!r:.500} (error: {is_error})")
    if "after" in script:
        want, have = expand(script["after"]["files"]), store.files()
        assert want.keys() == have.keys(), f"files are {sorted(have)}, not {sorted(want)}"
        for path, text in want.items():
            assert have[path] in (text["any_of"] if isinstance(text, dict) else [text]), path


def _holds(expect: Any, text: str, is_error: bool) -> bool:
    expect = {"equals": expect} if isinstance(expect, str) else expect
    return (
        expect.get("is_error", is_error) == is_error
        and expect.get("equals", text) == text
        and ("matches" not in expect or re.fullmatch(expect["matches"], text) is not None)
        and all(piece in text for piece in expect.get("contains", ()))
        and not any(piece in text for piece in expect.get("not_contains", ()))
        and len(text) <= expect.get("max_chars", len(text))
        and ("any_of" not in expect or any(_holds(option, text, is_error) for option in expect["any_of"]))
    )
