"""The order of claims to another player's insurance (Singapore 3.27.4)."""

from __future__ import annotations

from cutcard.cards import Card
from cutcard.engine import Act, Deal, Placed, Table, start, step
from cutcard.engine.claims import claims_to_insure
from cutcard.engine.obligations import declined
from cutcard.engine.state import Round
from cutcard.rulebooks import open_rulebook


def dealt(cards: str, *wagers: tuple[int, str], book: str = "mbs-free-bet-3") -> Round:
    placed = [Placed(box, player, "main", 2000) for box, player in wagers]
    round = start(Table(open_rulebook(book), decks=6), placed)
    for card in cards.split():
        round = step(round, Deal(Card.parse(card)))
    return round


def test_claims_are_ordered_by_the_same_box_first_then_by_distance() -> None:
    round = dealt("", (2, "Ana"), (2, "Ben"), (2, "Cleo"), (3, "Dan"), (6, "Eve"))
    assert claims_to_insure(round, 2, "Ana") == [("Ben",), ("Cleo",), ("Dan",), ("Eve",)]
    assert claims_to_insure(round, 6, "Eve") == [("Dan",), ("Ana",), ("Ben",), ("Cleo",)]


def test_players_at_the_same_distance_have_equal_claims() -> None:
    round = dealt("", (1, "Ana"), (2, "Ben"), (3, "Cleo"))
    assert claims_to_insure(round, 2, "Ben") == [("Ana", "Cleo")]


def test_of_two_players_at_the_same_distance_less_insurance_elsewhere_wins() -> None:
    """Cleo's insurance on her own box does not count; Ana's insurance on Dan's box does."""
    round = dealt("Tc 9c 8c 7c Ad 9h 8s 9d 9c", (1, "Ana"), (2, "Ben"), (3, "Cleo"), (7, "Dan"))
    round = step(round, Act("insure", box=3, player="Cleo"))
    assert claims_to_insure(round, 2, "Ben") == [("Ana", "Cleo"), ("Dan",)]
    round = step(round, Act("insure", box=7, player="Ana", for_player="Dan", amount=100))
    assert claims_to_insure(round, 2, "Ben") == [("Cleo",), ("Ana",), ("Dan",)]


def test_player_claims_with_the_nearest_of_several_boxes() -> None:
    round = dealt("", (1, "Ana"), (2, "Ben"), (6, "Cleo"), (5, "Ana"))
    assert claims_to_insure(round, 6, "Cleo") == [("Ana",), ("Ben",)]


def test_insured_wager_is_not_offered_to_others() -> None:
    round = dealt("Tc 9c Ad 9h 8s", (1, "Ana"), (2, "Ben"))
    assert [act.for_player for act, _ in declined(round)] == ["Ana", "Ben"]
    round = step(round, Act("insure", box=1, player="Ana"))
    assert [act.for_player for act, _ in declined(round)] == ["Ben"]


def test_rulebook_without_insurance_for_others_has_no_claims() -> None:
    round = dealt("Tc 9c Ad 9h 8s", (1, "Ana"), (2, "Ben"), book="crown-melbourne-26")
    assert list(declined(round)) == []
