"""`cutcard table jackpot`: rounds with a button, and draws that a stranger can check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.table.jackpot.draw_checks import check_draws


def test_rounds_with_a_button_balance_replay_and_verify(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if request.config.getoption("port") != "bench":
        pytest.skip("the cards, and so who presses, are those of a seed at the bench")
    run = CliRunner().invoke
    for seed in map(str, range(5, 25)):
        # A busy computer deals other cards from a seed: somebody has a Blackjack in one of them.
        folder = tmp_path / seed
        asked = ["table", "jackpot", "--rounds", "5", "--folder", str(folder), "--json"]
        answer = run(app, [*asked, "--seed", seed])
        assert answer.exit_code == 0, answer.output
        result = json.loads(answer.stdout)
        assert result["ok"]
        assert result["rounds"] == result["replayed"] == 5
        assert sum(result["cents"].values()) == 0
        if result["prizes"]:
            break
    assert result["prizes"]
    assert result["faults"] == 1  # the power of the controller, and what it had drawn was paid

    verified = ["prize", "verify", result["draws"], "--public-key"]
    assert run(app, [*verified, result["public_key"]]).exit_code == 0
    assert run(app, [*verified, "00" * 32]).exit_code == 1
    found = check_draws(folder / "table.journal")
    assert (len(found.draws), found.problems) == (len(result["prizes"]), [])
