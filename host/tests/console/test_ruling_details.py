"""Void hands and dealer's cards, named in a ruling at the console."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cutcard.bench.client import Bench
from cutcard.cards import Card, parse_cards
from cutcard.console.people import People
from cutcard.engine.events import Deal, Irregularity
from cutcard.engine.round import step
from cutcard.engine.state import DEALER, Round
from cutcard.table.machine.floor import BenchFloor
from cutcard.table.people.at_console import ruling_of
from cutcard.table.people.desk import DeskRefusalError
from tests.console.conftest import PLAN
from tests.console.live import Running, running
from tests.console.looking import needs_axe, signed_in, violations
from tests.console.served import serving
from tests.engine.table import dealt

OPERATOR = "casino-operator"


@pytest.fixture
def stray() -> Round:
    """Return a round in which the dealer got the 9h that was due to box 1."""
    round = dealt("nz-division-2", "Th 9c 6d 2h 8d", (1, "A", 20), (2, "B", 10))
    round = step(round, Deal(Card.parse("9h"), to=DEALER))
    return step(round, Irregularity("misdeal", boxes=(1, 0)))


def test_void_hands_at_the_console_names_the_hand_and_the_dealers_cards(stray: Round) -> None:
    said = {"ruling": "void-hands", "hands": "1", "dealer": "6d", "title": OPERATOR}
    ruling = ruling_of(stray, stray.choices[-1], said)
    assert (ruling.hands, ruling.dealer) == (("1",), tuple(parse_cards("6d")))
    assert step(stray, ruling).dealer == parse_cards("6d")


def test_reconstruct_at_the_console_names_the_dealers_cards(stray: Round) -> None:
    said = {"ruling": "reconstruct", "dealer": "6d", "title": OPERATOR}
    assert step(stray, ruling_of(stray, stray.choices[-1], said)).dealer == parse_cards("6d")


def test_empty_details_leave_the_ruling_to_the_rule(stray: Round) -> None:
    said = {"ruling": "void-hands", "hands": None, "dealer": None, "title": OPERATOR}
    ruling = ruling_of(stray, stray.choices[-1], said)
    assert (ruling.hands, ruling.dealer) == (stray.choices[-1].irregularity.hands, ())


@pytest.mark.parametrize(
    ("details", "why"),
    [
        ({"hands": "7"}, "The void hands cannot be read: name one or more of dealer, 1, 2."),
        ({"dealer": "6x"}, "The dealer's cards cannot be read: "),
        ({"dealer": "Ks"}, "is not one of the dealer's cards"),
    ],
)
def test_details_that_do_not_fit_the_round_are_rejected(
    stray: Round, details: dict[str, str], why: str
) -> None:
    said = {"ruling": "void-hands", "title": OPERATOR, **details}
    with pytest.raises(DeskRefusalError) as refused:
        ruling_of(stray, stray.choices[-1], said)
    assert (refused.value.said["status"], why in str(refused.value)) == (422, True)


def test_dealers_cards_are_rejected_with_a_ruling_that_moves_no_card(stray: Round) -> None:
    malfunction = step(stray, Irregularity("malfunction"))
    said = {"ruling": "continue", "dealer": "6d", "title": OPERATOR}
    with pytest.raises(DeskRefusalError, match="does not name cards of the dealer"):
        ruling_of(malfunction, malfunction.choices[-1], said)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Running]:
    plan = PLAN.replace('mishaps = { 2 = "jam" }', 'people = "console"\npace = 30')
    with running(tmp_path, plan.replace("rounds = 4", "rounds = 500")) as table:
        yield table


@needs_axe
def test_page_sends_the_cards_that_the_dealer_keeps(
    table: Running, tmp_path: Path, people: People, open_page: Callable[..., Any]
) -> None:
    with serving(tmp_path, people) as console:
        page = open_page(reduced_motion="reduce")
        signed_in(page, console, "Lea", OPERATOR)
        page.goto(f"{console.url}#/table/nine")
        dealer = page.get_by_label("Cards that the dealer")
        void_hands = page.get_by_role("button", name="Void hands", disabled=False)
        count = page.get_by_label("Cards that are not in the machine")
        while not dealer.count():  # a card may jam between rounds, or before the dealer has a card
            if void_hands.count():
                page.get_by_role("button", name="Void round").click()
                void_hands.wait_for(state="detached")
            page.get_by_role("button", name="Jam", exact=True).click()
            count.wait_for()
            count.fill(str(outside(table)))
            page.get_by_role("button", name="Cleared and counted").click()
            void_hands.or_(page.locator("#fault[hidden]")).first.wait_for(state="attached")
        kept = dealer.get_attribute("placeholder")
        dealer.fill(kept)
        assert violations(page) == []
        with page.expect_request("**/requests") as sent:
            void_hands.click()
    assert (sent.value.post_data_json["ruling"], sent.value.post_data_json["dealer"]) == (
        "void-hands",
        kept,
    )


def outside(table: Running) -> int:
    """Return the number of cards outside the machine, as a person sees them on the bench."""
    bench = Bench.found(table.folder / "cards")
    assert bench is not None
    number = BenchFloor(bench).outside()
    bench.close()
    return number
