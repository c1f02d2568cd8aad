"""`cutcard table evening`: two tables on the bench, balanced and replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cases.runner import run_file
from cutcard.cli.main import app


def test_an_evening_balances_and_replays(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    if request.config.getoption("port") != "bench":
        pytest.skip("an evening has mishaps that only the person at the bench can cause")
    asked = ["table", "evening", "--rounds", "8", "--folder", str(tmp_path), "--json"]
    answer = CliRunner().invoke(app, asked)
    assert answer.exit_code == 0, answer.output
    told = json.loads(answer.stdout)
    assert told["ok"]
    for table in told["tables"]:
        assert table["rounds"] == table["replayed"] == 8
        assert table["cards"]["inside"] + table["cards"]["outside"] == table["cards"]["pack"]
        assert sum(table["cents"].values()) == 0
        assert table["faults"] >= 1
    written = list((tmp_path / "cases").glob("*/*.toml"))
    assert len(written) == 16
    assert all(run_file(path).ok for path in written)
