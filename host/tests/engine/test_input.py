"""Values that no rulebook can mean are rejected with the allowed ones, as an EngineError."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cutcard.cards import Card
from cutcard.engine import Act, Deal, EngineError, Irregularity, Placed, Settled, Table, start
from cutcard.rulebooks import open_rulebook
from cutcard.rulings import IRREGULARITIES, STAGES, matrix

BOOK = open_rulebook("uk-blackjack")
NOT_TYPED: Any = "9s"  # a program without a type checker


def begin(decks: int = 6, bet: str = "main") -> object:
    return start(Table(BOOK, decks=decks), [Placed(1, "Ann", bet, 1000)])


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: Placed(1, "Ann", "main", -1000), "amount -1000 is not a whole number of cents"),
        (lambda: Placed(1, "Ann", "main", 0), "amount 0 is not a whole number of cents, 1 or more"),
        (lambda: Placed(1, "Ann", "main", 10.5), "amount 10.5 is not a whole number of cents"),  # type: ignore[arg-type]
        (lambda: Placed(0, "Ann", "main", 1000), "box 0 is not a whole number, 1 or more"),
        (
            lambda: begin(decks=99),
            "99 decks are not allowed; the rulebook allows 1, 2, 3, 4, 5, 6, 7, 8",
        ),
        (lambda: begin(bet="mian"), "no wager 'mian'; did you mean 'main'? It has main, 21-plus-3"),
        (lambda: Deal(NOT_TYPED), "'9s' is not a Card; write Card.parse('Th')"),
        (lambda: Act("hitt"), "no kind 'hitt'; use hit, stand, double, split"),
        (lambda: Act("double", amount=-5), "Act: amount -5 is not a whole number of cents"),
        (lambda: Settled("never"), "'never' is not 'interim' or 'round'"),
        (lambda: Irregularity(NOT_TYPED), "unknown irregularity '9s'; use one of malfunction"),
        (lambda: matrix(irregularities=["jam"]), "no irregularity 'jam'; use 'malfunction', "),
        (lambda: matrix(rulebooks=["uk"]), "no rulebook 'uk'; use 'nz-division-2', "),
        (lambda: matrix(stages=[NOT_TYPED]), "no stage '9s'; use 'before the first card', "),
    ],
)
def test_a_wrong_value_raises_an_engine_error_with_the_allowed_values(
    make: Callable[[], object], expected: str
) -> None:
    with pytest.raises(EngineError) as raised:
        make()
    assert expected in str(raised.value)


@pytest.mark.parametrize("name", IRREGULARITIES)
def test_every_exported_name_of_an_irregularity_selects_cells(name: str) -> None:
    stages, books = STAGES[:1], ["uk-blackjack"]
    assert list(matrix(books, irregularities=[name], stages=stages))


def test_a_card_of_another_rulebook_is_still_a_card() -> None:
    assert Deal(Card("9", "s")).card == Card.parse("9s")
