"""Every planted defect is caught by its intended test; good sources pass."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pytest

from rng_certification import soak
from rng_certification.certification import certify
from rng_certification.planted.power import MEASURED
from rng_certification.planted.table import DEFECTS, LARGE_DEFECTS, UNCAUGHT, Planted


def test_there_are_more_than_25_planted_defects() -> None:
    assert len({defect.name for defect in DEFECTS}) == len(DEFECTS) >= 25


def test_the_power_for_every_defect_has_been_measured() -> None:
    """By `planted.power --record`, in samples that have not changed since."""
    measured = {row["defect"]: row for row in json.loads(MEASURED.read_text())}
    for defect in (*DEFECTS, *LARGE_DEFECTS):
        row = measured[defect.name]
        assert (row["sample"], row["caught_by"]) == (defect.sample, defect.caught_by)
        assert row["by_its_test"] >= 0.95 * row["samples"] > 0, defect.name


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
def test_planted_defect_is_caught(defect: Planted) -> None:
    judgement = certify(BytesIO(defect.data(seed=20_26)), defect.subject()).judgement
    assert judgement.verdict == "fail"
    caught = [test.finding.name for test in judgement.failures]
    assert [name for name in caught if name.startswith(defect.caught_by)], caught[:5]


@pytest.mark.parametrize("defect", UNCAUGHT, ids=lambda defect: defect.name)
def test_defects_invisible_in_output_pass_and_name_the_check_that_finds_them(
    defect: Planted,
) -> None:
    """The table must also list the limits: these defects pass, with the check that finds them."""
    assert certify(BytesIO(defect.data(seed=20_27)), defect.subject()).judgement.passed
    assert len(defect.instead) > 20


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        ("bits", 4),
        ("draws", 10),
        ("shuffles", 30),
        ("prizes", 8),
        ("presses", 8),
        ("steps", 1),
        ("noise", 1),
    ],
)
def test_good_sources_pass(kind: str, number: int) -> None:
    """Fixed seeds. At family alpha 0.005 two failures of 100 are already rare.

    `make soak` judges 1000 of each kind.
    """
    tally = soak.run(kind, range(number))
    assert len(tally.failures) <= 1, tally.failures
    assert tally.heavy_tails() == []


def test_a_count_of_good_sources_resumes(tmp_path: Path) -> None:
    kept = soak.SoakCounts(tmp_path / "counts.json", first_seed=7)
    kept.tallies["shuffles"] = soak.run("shuffles", range(7, 9))
    kept.keep()
    assert soak.SoakCounts(tmp_path / "counts.json", first_seed=7).tallies == kept.tallies
    with pytest.raises(SystemExit, match="of other seeds"):
        soak.SoakCounts(tmp_path / "counts.json", first_seed=8)
