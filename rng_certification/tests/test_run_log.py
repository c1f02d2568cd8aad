"""The log of all campaigns: numbers, interrupted runs, and changed lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from rng_certification.campaign.run_log import BadLogError, RunLog
from rng_certification.tests.mini_campaign import mini_plan


@pytest.fixture
def log(tmp_path: Path) -> RunLog:
    return RunLog(tmp_path / "home" / "runs.jsonl")


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def test_every_run_has_a_number_even_if_it_never_ended(log: RunLog, tmp_path: Path) -> None:
    first = log.begin(mini_plan(), _folder(tmp_path / "a"))
    second = log.begin(mini_plan(), _folder(tmp_path / "b"))
    log.end(second, "pass")
    assert (first, second) == (1, 2)
    assert [(run.number, run.verdict) for run in log.runs()] == [(1, ""), (2, "pass")]


def test_a_resumed_campaign_keeps_its_number(log: RunLog, tmp_path: Path) -> None:
    folder = _folder(tmp_path / "a")
    log.begin(mini_plan(), folder)
    log.begin(mini_plan(), _folder(tmp_path / "b"))
    assert log.begin(mini_plan(), folder) == 1
    assert [run.number for run in log.runs()] == [1, 2]


@pytest.mark.parametrize("change", ["taken out", "changed", "none of ours"])
def test_a_changed_or_removed_line_is_found(log: RunLog, tmp_path: Path, change: str) -> None:
    for name in "abc":
        log.begin(mini_plan(), _folder(tmp_path / name))
    lines = log.path.read_text().splitlines()
    if change == "taken out":
        del lines[1]
    elif change == "changed":
        lines[1] = lines[1].replace('"begun"', '"ended"')
    else:
        lines[1] = "[]"
    log.path.write_text("\n".join(lines) + "\n")
    with pytest.raises(BadLogError, match=r"line [23]"):
        log.runs()
