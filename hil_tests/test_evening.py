"""`cutcard table run`: an evening at two tables on the bench, balanced and replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cases.runner import run_file
from cutcard.cli.main import app


def test_evening_balances_and_replays(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    if request.config.getoption("port") != "bench":
        pytest.skip("an evening has mishaps that only the person at the bench can cause")
    asked = ["table", "run", "--rounds", "8", "--folder", str(tmp_path / "evening"), "--json"]
    answer = CliRunner().invoke(app, asked)
    assert answer.exit_code == 0, answer.output
    result = json.loads(answer.stdout)
    assert result["ok"]
    for table in result["tables"]:
        assert table["rounds"] == table["replayed"] == 8
        assert table["cards"]["inside"] + table["cards"]["outside"] == table["cards"]["pack"]
        assert sum(table["cents"].values()) == 0
        assert table["faults"] >= 1
    written = list((tmp_path / "evening").glob("*/cases/*.toml"))
    assert len(written) == 16
    assert all(run_file(path).ok for path in written)


def test_run_output_fits_80_columns_with_titles_and_whole_words(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if request.config.getoption("port") != "bench":
        pytest.skip("this evening is played on the bench")
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'rulebook = "crown-melbourne-26"\ndecks = 8\nshuffler = "shoe"\nrounds = 2\n'
        'players = [{ name = "Ana", box = 1, wager = 20 }]\nmishaps = { 2 = "power" }\n'
        "[table]\nmin = 10\nmax = 100\n"
    )
    asked = ["table", "run", str(plan), "--folder", str(tmp_path / "run"), "--seed", "2"]
    said = CliRunner().invoke(app, asked).output
    story = [line for line in said.splitlines() if str(tmp_path) not in line]
    assert all(len(line) <= 80 for line in story)
    assert "by TG Higher Duties Dealer" in said
    assert "[]" not in said
    assert "tg-" not in said
    again = CliRunner().invoke(app, asked)
    assert (again.exit_code, "has a table already" in again.output) == (2, True)
