"""Fixtures for several test files: a finished campaign, its report, the names of all tests."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from rng_certification.campaign.declared import all_parts
from rng_certification.campaign.product import Product
from rng_certification.campaign.work import run_shard
from rng_certification.report.writing import write_report
from rng_certification.tests.finished_campaign import finish, signer, small_plan
from rng_certification.unpredictability.construction import functions


@pytest.fixture(scope="session")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a campaign with its report. Copy it before you change it."""
    folder = finish(tmp_path_factory.mktemp("reported") / "campaign", small_plan())
    write_report(folder, signer(1))
    return folder


@pytest.fixture(scope="session")
def campaign_data(reported: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((reported / "campaign.json").read_text())
    return data


# Enough data of each kind to list its tests, but not always to run them.
SMALL = {
    "bits": 250_000,
    "draws": 10_000,
    "shuffles": 1_000,
    "shelves": 1_000,
    "continuous": 13_000,
    "jackpot": 10_000,
    "presses": 10_000,
    "first_draws": 20,
    "predictability": 6_000,
    "counters": 4_000,
}


# Together they have every kind of part.
PRODUCTS = ("carousel-60", "drum-60", "shelves-10", "controller-4")


@pytest.fixture(scope="session")
def tests_that_exist() -> list[str]:
    """Return the tests of every part of a campaign; "<part>/" for a part with slow tests."""
    known: dict[str, list[str]] = {"construction": _construction()}
    found = []
    for part in [part for name in PRODUCTS for part in all_parts(Product.of(name))]:
        if part.kind in SMALL and part.kind not in known and part.source != "bench":
            small = asdict(replace(part, sample=SMALL[part.kind], shards=1))
            known[part.kind] = [row["name"] for row in run_shard(small, 0, "names")["findings"]]
        found += [f"{part.id}/{name}" for name in known.get(part.kind, [""])]
    return found


def _construction() -> list[str]:
    return [
        f"construction/{script}/{function.removeprefix('test_')}".replace("_", "-")
        for script, function in functions()
    ]
