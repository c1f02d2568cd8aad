"""A table that begins without players: wagers and decisions from the page, in Chromium."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cutcard.console.people import People
from cutcard.journal import read
from tests.console.live import PLAN, Running, running
from tests.console.looking import needs_axe, signed_in, violations
from tests.console.served import serving

NOBODY = (
    PLAN[: PLAN.index("players")] + 'players = []\n[table]\noffers = { perfect-pairs = "a" }\n'
    "min = 10\nmax = 1000\n"
)
ACT = re.compile("^(Stand|No)$")
OTHERWISE = "asked => document.getElementById('turn-title')?.textContent !== asked"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Running]:
    (tmp_path / "pit").mkdir()
    with running(tmp_path / "pit", NOBODY) as table:
        yield table


def put(page: Any, box: int, player: str, bet: str, amount: int) -> str:
    """Place a wager with the keyboard; return the page's message."""
    form = page.locator("#wager form")
    form.get_by_label("Box").fill(str(box))
    form.get_by_label("Player").fill(player)
    form.get_by_label("Wager").select_option(bet)
    form.get_by_label("Amount").fill(str(amount))
    said = page.locator("#wager p[role=status]")
    said.evaluate("element => element.replaceChildren()")
    form.get_by_label("Amount").press("Enter")
    page.wait_for_function(
        "said => said.textContent && said.textContent !== 'Sent.'", arg=said.element_handle()
    )
    return str(said.inner_text())


@needs_axe
def test_round_is_wagered_decided_killed_and_settled_from_the_page(
    table: Running, people: People, open_page: Callable[..., Any]
) -> None:
    with serving(table.folder.parent, people) as console:
        page, auditor = (open_page(reduced_motion="reduce", color_scheme="dark") for _ in range(2))
        for each, name, title in ((page, "Dan", "dealer"), (auditor, "Ida", "auditor")):
            signed_in(each, console, name, title)
            each.goto(f"{console.url}#/table/nine")
        page.get_by_role("heading", name="Round 1 waits for wagers").wait_for()
        page.get_by_role("button", name="No more wagers: deal").click()
        page.locator("#turn", has_text="No wagers yet.").wait_for()

        side = put(page, 2, "Kim", "perfect-pairs", 5)
        assert side == "A side wager is on a place where it is not allowed. 15.3.2"
        assert put(page, 2, "Kim", "main", 20) == "Wager accepted."
        assert put(page, 2, "Kim", "perfect-pairs", 5) == "Wager accepted."
        auditor.get_by_text("Box 2, Kim, perfect pairs").wait_for()
        assert auditor.locator("#wager form, #turn button, #wagers button").count() == 0
        assert violations(page) == violations(auditor) == []

        page.get_by_role("button", name="No more wagers: deal").press("Enter")
        way = page.locator("#turn").get_by_role("button", name=ACT)
        over = page.get_by_role("heading", name="Round 2 waits for wagers")
        killed = False
        while True:
            way.or_(over).first.wait_for()
            if over.count():
                break
            if not killed:
                killed = True
                assert violations(page) == []
                table.kill()
                page.get_by_text("not running").wait_for()
                table.start()
                way.first.wait_for()
            asked = page.locator("#turn-title").inner_text()
            way.first.press("Enter")
            page.wait_for_function(OTHERWISE, arg=asked)
        page.get_by_text("Kim $20").first.wait_for()
    records = list(read(table.folder / "table.journal"))
    (settled,) = [record for record in records if record.kind == "settled"]
    assert {line["player"] for line in settled.data["results"]} == {"Kim"}
    assert settled.data["state"]["wagers"] == [
        [2, "Kim", "main", 2000],
        [2, "Kim", "perfect-pairs", 500],
    ]
