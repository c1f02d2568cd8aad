"""The console separates gaming days: the pit has the latest one, the archive the others."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.console.gaming_day import BadGamingDayError, GamingDay
from cutcard.console.people import People
from cutcard.console.pit import Pit
from tests.console.looking import needs_axe, signed_in, violations
from tests.console.served import serving

AUCKLAND = GamingDay.of("Pacific/Auckland", "06:00")


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        ("2026-11-18T16:59:59Z", "2026-11-18"),  # 05:59:59 on 19 November in Auckland
        ("2026-11-18T17:00:00Z", "2026-11-19"),
        ("2026-11-19T10:59:00Z", "2026-11-19"),  # one minute before midnight
        ("2026-11-19T11:01:00+00:00", "2026-11-19"),
        ("not a time", ""),
    ],
)
def test_a_gaming_day_begins_at_its_rollover_in_its_time_zone(moment: str, day: str) -> None:
    assert AUCKLAND.date_of(moment) == day


@pytest.mark.parametrize(
    ("zone", "rollover", "why"),
    [
        ("Pacific/Nowhere", "06:00", "time zone 'Pacific/Nowhere' is unknown"),
        ("../etc/passwd", "06:00", "is unknown"),
        ("UTC", "6 am", "rollover '6 am' is not a time of day"),
        ("UTC", "24:00", "is not a time of day"),
    ],
)
def test_an_invalid_gaming_day_is_rejected(
    zone: str, rollover: str, why: str, tmp_path: Path
) -> None:
    with pytest.raises(BadGamingDayError, match=why):
        GamingDay.of(zone, rollover)
    options = ["--time-zone", zone, "--rollover", rollover]
    answer = CliRunner().invoke(app, ["console", str(tmp_path), *options])
    assert answer.exit_code == 2
    assert why in answer.output


@pytest.fixture
def two_evenings(evening: Path) -> Path:
    """The evening, and the same one a month earlier as another table."""
    earlier = evening / "eight"
    shutil.copytree(evening / "seven", earlier)
    journal = earlier / "table.journal"
    journal.write_text(re.sub(r'"\d{4}-\d\d-\d\dT\d\d:', '"2025-01-31T12:', journal.read_text()))
    return evening


def test_figures_are_counted_for_the_gaming_day_of_each_round(evening: Path) -> None:
    pit = Pit([evening], gaming_day=AUCKLAND)
    pit.catch_up()
    (table,) = pit.tables.values()
    assert sum(day["played"] for day in table.days.values()) == table.view.played
    assert sum(day["faults"] for day in table.days.values()) == table.view.faults
    assert sum(day["house"] for day in table.days.values()) == -sum(table.view.cents.values())


@needs_axe
def test_the_pit_shows_the_latest_gaming_day_and_links_to_the_others(
    two_evenings: Path, people: People, open_page: Callable[..., Any]
) -> None:
    with serving(two_evenings, people) as console:
        page = signed_in(open_page(reduced_motion="reduce"), console, "Mia", "viewer")
        page.get_by_role("heading", name="Tables", exact=True).wait_for()
        page.locator(".tile").first.wait_for()
        assert page.locator(".tile").count() == 1
        assert violations(page) == []
        page.get_by_role("link", name="31 January 2025").click()
        page.get_by_text("Gaming day 31 January 2025, from 06:00, UTC.").wait_for()
        assert page.locator(".tile").count() == 1
        assert violations(page) == []
        page.locator(".archive a").first.click()
        page.get_by_role("link", name="31 January 2025").wait_for()
