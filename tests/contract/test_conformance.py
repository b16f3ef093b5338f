"""The memory tool answers to the letter of its specification."""

from typing import Any

import pytest

from tests.contract.conformance import CASES, cases_of, play
from tests.support.stores import ToolStore

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in cases_of(CASES)])
def test_the_case_holds(case: dict[str, Any]) -> None:
    play(case, ToolStore)
