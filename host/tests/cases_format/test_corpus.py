"""All included cases agree with the engine, and they are fast."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutcard.cases.runner import run_file

CASES = Path(__file__).parents[2] / "cutcard" / "cases" / "library"
FILES = sorted(CASES.rglob("*.toml"))


def test_library_has_at_least_250_cases() -> None:
    assert len(FILES) >= 250


@pytest.mark.parametrize("rulebook", sorted({file.relative_to(CASES).parts[0] for file in FILES}))
def test_every_case_of_a_rulebook_agrees(rulebook: str) -> None:
    reports = [run_file(file) for file in sorted((CASES / rulebook).rglob("*.toml"))]
    assert [(report.path.name, report.malformed, report.differences) for report in reports] == [
        (report.path.name, None, []) for report in reports
    ]
