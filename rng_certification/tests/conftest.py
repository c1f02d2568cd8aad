"""What several files of tests look at: one finished campaign and its signed report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rng_certification.report.writing import write_report
from rng_certification.tests.finished_campaign import finish, signer, small_plan


@pytest.fixture(scope="session")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a campaign with its report. Copy it before you change anything."""
    folder = finish(tmp_path_factory.mktemp("reported") / "campaign", small_plan())
    write_report(folder, signer(1))
    return folder


@pytest.fixture(scope="session")
def campaign_data(reported: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((reported / "campaign.json").read_text())
    return data
