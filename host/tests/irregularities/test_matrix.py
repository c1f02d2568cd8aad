"""The matrix of rulings is complete, and every fault has an irregularity in it."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.engine import device_faults
from cutcard.engine.irregularities.stage import Stage
from cutcard.rulebooks.book import RULEBOOKS
from cutcard.rulebooks.readings import reading
from cutcard.rulebooks.vocabulary import IRREGULARITIES
from cutcard.rulings.matrix import ROWS, STAGES, cell, matrix
from cutcard_firmware.core.schema import messages


def test_matrix_has_a_row_for_every_irregularity() -> None:
    assert {row.irregularity.kind for row in ROWS} == set(IRREGULARITIES)


def test_every_cell_is_a_ruling_a_choice_or_a_reason_against_it() -> None:
    cells = list(matrix())
    assert len(cells) == len(ROWS) * len(STAGES) * len(RULEBOOKS)
    for found in cells:
        assert found.kind in ("ruling", "choice", "cannot")
        assert found.text or found.options or found.orders or found.rules
        if found.kind == "choice":
            assert found.options


def test_jurisdictions_have_different_rulings() -> None:
    def rules(rulebook: str) -> tuple[str, ...]:
        return cell("face-up", Stage.PLAYERS_TURN, rulebook).rules

    assert [rules(name) for name in RULEBOOKS] == [("16.1",), ("9.2",), ("5.5",), ()]


@pytest.mark.parametrize(
    ("stage", "rule"),
    [(Stage.INITIAL_DEAL, "9.5"), (Stage.AFTER_INTERIM, "32.10")],
)
def test_crown_may_reconstruct_until_the_interim_settlement(stage: Stage, rule: str) -> None:
    assert rule in cell("misdeal", stage, "crown-melbourne-26").rules


def test_every_device_fault_is_in_the_table() -> None:
    assert list(device_faults.DEVICE_FAULTS) == list(messages.FAULTS[1:])


def test_every_irregularity_of_the_fault_table_is_in_the_matrix() -> None:
    known = {mapping.irregularity for mapping in device_faults.DEVICE_FAULTS.values()}
    assert known | {device_faults.UNCALLED_CARD.irregularity} <= set(IRREGULARITIES)


def test_a_count_mismatch_is_a_malfunction_until_a_count_proves_wrong_cards() -> None:
    known = device_faults.known_as("count-mismatch", Stage.PLAYERS_TURN)
    assert known == "malfunction"
    proven = device_faults.proven("count-mismatch", "missing")
    assert proven is not None
    assert (proven.kind, proven.found) == ("wrong-cards", "missing")
    assert device_faults.proven("jam-on-exit") is None


def test_stopped_machine_does_not_affect_a_settled_round() -> None:
    assert device_faults.known_as("motor-stall", Stage.SETTLED) is None
    assert device_faults.known_as("cutting-card-missing", Stage.SETTLED) == "no-cut-card"


def test_the_command_prints_cells_as_json() -> None:
    run = CliRunner().invoke(
        app, ["rulings", "--json", "-i", "malfunction", "-r", "nz-division-2", "-s", "initial deal"]
    )
    assert run.exit_code == 0
    cells = [json.loads(line) for line in run.stdout.splitlines()]
    assert [found["irregularity"] for found in cells] == [
        "malfunction, continuous shuffler",
        "malfunction, shoe",
    ]
    assert cells[0]["options"][0] == {
        "ruling": "void-round",
        "by": "casino-operator",
        "rules": ["16.13", reading("void-round-returns-all")],
        "required": True,
    }


@pytest.mark.parametrize("option", ["--irregularity", "--fault"])
def test_rulings_rejects_an_unknown_irregularity(option: str) -> None:
    run = CliRunner().invoke(app, ["rulings", option, "earthquake"])
    assert run.exit_code == 2


def test_rulings_accepts_the_old_option_fault() -> None:
    older, newer = (
        CliRunner().invoke(app, ["rulings", option, "face-up", "-r", "uk-blackjack"])
        for option in ("--fault", "--irregularity")
    )
    assert older.exit_code == 0
    assert older.stdout == newer.stdout
    assert "--fault" not in CliRunner().invoke(app, ["rulings", "--help"]).stdout


def test_the_command_prints_a_table_for_people() -> None:
    run = CliRunner().invoke(app, ["rulings", "-i", "face-up", "-r", "mbs-free-bet-3"])
    assert run.exit_code == 0
    assert "5.5" in run.stdout
