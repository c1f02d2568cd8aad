"""Prize draws: the prize of each number, and the independence of a controller's four tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from rng_certification.base.compiled import Counts, Draws
from rng_certification.base.judgement import Judgement, judge
from rng_certification.jackpot.press_columns import PressColumns, press_places
from rng_certification.jackpot.presses_battery import PressesBattery, press
from rng_certification.jackpot.prizes import UnknownPrizesError, all_prizes, find_prizes
from rng_certification.twin.streams import start

MADNESS = "madness-21"
PRESSES = 60_000


def test_every_rulebooks_prize_tables_have_an_id() -> None:
    tables = all_prizes()
    assert list(tables) == [MADNESS, *(f"pontoon-pandemonium-{n}" for n in range(1, 11))]
    assert tables[MADNESS].total == 3750
    assert tables["pontoon-pandemonium-9"].total == 100


def test_numbers_count_prizes_from_0_in_the_printed_order() -> None:
    prizes = find_prizes(MADNESS)
    levels = prizes.levels(np.array([0, 1, 10, 11, 35, 36, 3749], dtype=np.uint32))
    assert [prizes.amounts[level] for level in levels] == [1000, 100, 100, 50, 50, 40, 5]


def test_an_unknown_prize_table_is_rejected_with_the_valid_ids() -> None:
    with pytest.raises(UnknownPrizesError, match="use one of madness-21, pontoon-pandemonium-1"):
        find_prizes("madness-22")


def _certify(tmp_path: Path, draws: Draws, *arguments: str) -> tuple[int, dict[str, object]]:
    file = tmp_path / "button.bin"
    file.write_bytes(draws.astype("<u4").tobytes())
    command = ["certify", "--input", str(file), "--kind", "draws", *arguments, "--json", "-"]
    result = CliRunner().invoke(app, command)
    return result.exit_code, json.loads(result.stdout) if result.stdout.startswith("{") else {}


def test_good_prizes_pass_and_are_counted_prize_by_prize(tmp_path: Path) -> None:
    draws = start("button").draws(3750, 30_000)
    code, said = _certify(tmp_path, draws, "--prizes", MADNESS)
    assert code == 0
    prizes = said["prizes"]
    assert isinstance(prizes, dict)
    assert sum(row["observed"] for row in prizes["prizes"]) == 30_000
    assert all(row["low"] <= row["observed"] <= row["high"] for row in prizes["prizes"])
    assert said["range"] == 3750


def test_a_table_read_from_its_second_row_fails_by_its_prizes(tmp_path: Path) -> None:
    """Numbers are uniform over one prize too few: the $1,000 is never paid."""
    draws = 1 + start("off by one").draws(3749, 100_000)
    code, said = _certify(tmp_path, draws, "--prizes", MADNESS)
    assert code == 1
    assert "frequency/extreme-value" in str(said["failed"])


@pytest.mark.parametrize(
    "arguments",
    [("--prizes", "no-such-table"), ("--prizes", MADNESS, "--range", "3750")],
    ids=["unknown id", "range as well"],
)
def test_invalid_options_for_prizes_exit_with_2(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert _certify(tmp_path, np.zeros(10, dtype=np.uint32), *arguments)[0] == 2


def test_a_number_beyond_the_table_is_named_with_its_offset(tmp_path: Path) -> None:
    draws = start("beyond").draws(3750, 20_000)
    draws[7] = 3750
    code, said = _certify(tmp_path, draws, "--prizes", MADNESS)
    assert (code, said["offset"]) == (2, 28)


def _judged(
    ids: tuple[str, ...], change: Callable[[Counts, Counts, Draws], Draws] | None = None
) -> Judgement:
    prizes = [find_prizes(each) for each in ids]
    battery = PressesBattery(prizes)
    tables, boxes, times = press_places(0, PRESSES, len(prizes))
    draws = press(start("controller"), prizes, tables)
    drawn = draws if change is None else change(tables, boxes, draws)
    battery.feed(PressColumns(tables, boxes, times, drawn))
    return judge(battery.findings())


@pytest.mark.parametrize(
    "ids", [(MADNESS,) * 4, (MADNESS, "pontoon-pandemonium-1", "pontoon-pandemonium-9")]
)
def test_tables_of_one_controller_are_independent(ids: tuple[str, ...]) -> None:
    judgement = _judged(ids)
    assert judgement.passed, judgement.failures
    assert {"tables/pairs", "players/pairs", "players/equal-draws"} <= {
        test.finding.name for test in judgement.tests if test.finding.p is not None
    }


def _sharing_a_stream(tables: Counts, boxes: Counts, draws: Draws) -> Draws:
    """Table 2 draws the same numbers as table 1, each at its turn."""
    first, second = np.flatnonzero(tables == 0), np.flatnonzero(tables == 1)
    shared = min(len(first), len(second))
    draws[second[:shared]] = draws[first[:shared]]
    return draws


def _mean_to_box_3(tables: Counts, boxes: Counts, draws: Draws) -> Draws:
    """One press in ten at box 3 that would win a prize in the better half is drawn again."""
    unlucky = (boxes == 2) & (draws < 1875)
    unlucky &= np.arange(len(draws)) % 10 == 0
    draws[unlucky] += 1875
    return draws


def _never_twice_in_a_row(tables: Counts, boxes: Counts, draws: Draws) -> Draws:
    """After a prize in the best quarter the next table does not get one of them."""
    best = draws < 937
    after = np.concatenate(([False], best[:-1] & (tables[1:] != tables[:-1])))
    draws[best & after & (np.arange(len(draws)) % 2 == 1)] += 937
    return draws


@pytest.mark.parametrize(
    ("change", "caught_by"),
    [
        (_sharing_a_stream, "tables/repeated-stretches"),
        (_mean_to_box_3, "players/box-3"),
        (_never_twice_in_a_row, "tables/pairs"),
    ],
)
def test_a_controller_that_is_not_independent_fails(
    change: Callable[[Counts, Counts, Draws], Draws], caught_by: str
) -> None:
    judgement = _judged((MADNESS,) * 4, change)
    assert any(test.finding.name.startswith(caught_by) for test in judgement.failures)


def test_a_fifth_table_is_rejected() -> None:
    with pytest.raises(ValueError, match="1 to 4 tables"):
        PressesBattery([find_prizes(MADNESS)] * 5)
