"""`cutcard table jackpot`: rounds with a button, and draws that a third party can verify."""

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
        pytest.skip("needs the bench: a seed decides the cards and the presses")
    run = CliRunner().invoke
    for seed in map(str, range(5, 25)):
        # Timing on a busy computer changes the cards of a seed; one of these has a Blackjack.
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
    assert result["faults"] == 1  # the power failure of the controller; its draw was paid

    verified = ["prize", "verify", result["draws"], "--public-key"]
    assert run(app, [*verified, result["public_key"]]).exit_code == 0
    assert run(app, [*verified, "00" * 32]).exit_code == 1
    found = check_draws(folder / "table.journal")
    assert (len(found.draws), found.problems) == (len(result["prizes"]), [])
