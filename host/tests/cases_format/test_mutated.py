"""Case files with steps dropped, doubled and reordered are refused or settled completely."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cutcard.cases.case import MalformedCaseError
from cutcard.cases.loader import read_case
from cutcard.cases.runner import run_case
from cutcard.engine.ledger import LAYOUT, balance
from tests.cases_format.test_corpus import FILES


@cache
def steps_of(rulebook: str) -> list[dict[str, Any]]:
    cases = [tomllib.loads(file.read_text("utf-8"), parse_float=Decimal) for file in FILES]
    return [
        step for case in cases if case["rulebook"] == rulebook for step in case.get("steps", ())
    ]


@st.composite
def mutated(draw: st.DrawFn) -> tuple[Path, dict[str, Any]]:
    file = draw(st.sampled_from(FILES))
    case = tomllib.loads(file.read_text("utf-8"), parse_float=Decimal)
    steps: list[dict[str, Any]] = case.get("steps", [])
    for _ in range(draw(st.integers(1, 3)) if steps else 0):
        place = draw(st.integers(0, len(steps)))
        if draw(st.booleans()) and place < len(steps):
            steps.pop(place)
        else:
            steps.insert(place, draw(st.sampled_from(steps_of(case["rulebook"]))))
    return file, case


@settings(max_examples=200, deadline=None)
@given(mutated())
def test_a_mutated_case_is_malformed_or_differs_or_balances(
    case: tuple[Path, dict[str, Any]],
) -> None:
    try:
        report = run_case(read_case(*case))
    except MalformedCaseError:
        return
    if report.round is not None and report.round.over:
        assert balance(report.round.postings, LAYOUT) == 0
