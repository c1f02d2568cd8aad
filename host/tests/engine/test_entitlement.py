"""Who may place a contested wager: expected orders are worked out from the rules' texts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cutcard.engine import (
    BadValueError,
    Placed,
    Table,
    claims_to_insure,
    claims_to_wager,
    entitled,
    start,
)
from cutcard.engine.side_wagers.offering import refused_pit
from cutcard.rulebooks import Rulebook, open_rulebook

SINGAPORE = open_rulebook("mbs-free-bet-3")
CROWN = open_rulebook("crown-melbourne-26")
NEW_ZEALAND = open_rulebook("nz-division-2")
PAIR = next(bet for bet, side in SINGAPORE.side_wagers.items() if "pair" in bet.lower())


def mains(*boxes: tuple[int, str]) -> list[Placed]:
    return [Placed(box, player, "main", 1000) for box, player in boxes]


# Ann controls box 3 and Ben plays behind her; Cas is on box 2, Dee on box 5, Eve on box 4.
LAYOUT = mains((3, "Ann"), (3, "Ben"), (2, "Cas"), (5, "Dee"), (4, "Eve"))


def singapore(asking: Sequence[str], placed: Sequence[Placed] = LAYOUT) -> list[tuple[str, ...]]:
    return claims_to_wager(SINGAPORE, PAIR, 3, placed, asking, 7)


def test_singapore_prefers_the_area_then_the_nearest_then_players_without_a_wager() -> None:
    """3.17.2.1, 3.17.2.2, 3.17.2.5."""
    asking = ["Flo", "Gus", "Dee", "Cas", "Ben"]
    assert singapore(asking) == [("Ben",), ("Cas",), ("Dee",), ("Flo",), ("Gus",)]


def test_singapore_prefers_less_side_money_at_the_same_distance() -> None:
    """3.17.2.3: Cas on box 2 and Eve on box 4 are equally distant from box 3."""
    assert singapore(["Cas", "Eve"]) == [("Cas", "Eve")]
    more = [*LAYOUT, Placed(2, "Cas", PAIR, 500)]
    assert singapore(["Cas", "Eve"], more) == [("Eve",), ("Cas",)]


def test_singapore_accepts_no_wager_without_agreement_on_equal_claims() -> None:
    """3.17.2.4, also from a player without a wager on the round."""
    claims = singapore(["Ben", "Cas", "Eve", "Flo"])
    open_ = entitled(SINGAPORE, PAIR, claims, places=2)
    assert (open_.accepted, open_.undecided) == (("Ben",), ("Cas", "Eve"))
    assert set(open_.refused) == {"Cas", "Eve", "Flo"}
    assert "3.17.2.4" in open_.rules
    agreed = entitled(SINGAPORE, PAIR, claims, places=2, agreed=["Eve"])
    assert (agreed.accepted, agreed.undecided) == (("Ben", "Eve"), ())
    assert agreed.refused == ("Cas", "Flo")


def test_enough_places_need_no_agreement() -> None:
    claims = singapore(["Cas", "Eve", "Flo"])
    assert entitled(SINGAPORE, PAIR, claims, places=3).accepted == ("Cas", "Eve", "Flo")
    assert entitled(SINGAPORE, PAIR, claims, places=0).accepted == ()


def crown(
    asking: Sequence[str], placed: Sequence[Placed] = LAYOUT, most: int | None = None
) -> list[tuple[str, ...]]:
    return claims_to_wager(CROWN, "blackpot", 3, placed, asking, 7, most)


def test_crown_begins_with_the_area_and_goes_clockwise() -> None:
    """23.3.4 and (a): after box 3 come boxes 4, 5, 6, 7, 1, 2."""
    asking = ["Cas", "Dee", "Eve", "Ben", "Ann", "Flo"]
    first, *others = crown(asking)
    assert set(first) == {"Ann", "Ben"}  # the rule does not order them
    assert others == [("Eve",), ("Dee",), ("Cas",), ("Flo",)]


def test_crown_prefers_the_controlling_player_where_one_wager_is_allowed() -> None:
    """23.3.4(b)."""
    assert crown(["Ben", "Ann"], most=1) == [("Ann",), ("Ben",)]
    assert entitled(CROWN, "blackpot", crown(["Ben", "Ann"], most=1), 1).accepted == ("Ann",)


def test_crown_prefers_a_wager_that_stays_active() -> None:
    """23.5.2, in advance of 23.3.4."""
    carried = [*LAYOUT, Placed(3, "Flo", "blackpot", 500, carried=True)]
    assert crown(["Ann", "Flo"], carried, most=1)[0] == ("Flo",)


def test_wager_without_an_order_of_claims_is_rejected_with_those_that_have_one() -> None:
    with pytest.raises(BadValueError, match="blackpot"):
        claims_to_wager(CROWN, "perfect-pairs", 3, LAYOUT, ["Ann"], 7)
    with pytest.raises(BadValueError, match="wagers with one: none"):
        claims_to_wager(NEW_ZEALAND, "perfect-pair", 3, LAYOUT, ["Ann"], 7)


def test_players_without_a_wager_insure_last_in_the_order_of_the_dealer() -> None:
    """3.27.4.5."""
    round = start(Table(SINGAPORE, decks=6), mains((3, "Ann"), (3, "Ben"), (2, "Cas")))
    found = claims_to_insure(round, 3, "Ann", others=["Gus", "Flo", "Ben"])
    assert found == [("Ben",), ("Cas",), ("Gus",), ("Flo",)]


def pit(**scales: str) -> dict[str, tuple[object, dict[str, str]]]:
    sides = NEW_ZEALAND.side_wagers
    return {table: (sides, {"perfect-pair": scale}) for table, scale in scales.items()}


def test_new_zealand_needs_one_scale_of_perfect_pair_in_a_pit() -> None:
    """15B.8; a table that does not offer the wager does not matter."""
    others = {"three": (NEW_ZEALAND.side_wagers, {"any-pair": "2"})}
    assert refused_pit({**pit(one="1", two="1"), **others}) == []  # type: ignore[dict-item]
    (wrong,) = refused_pit(pit(one="1", two="2"))  # type: ignore[arg-type]
    assert wrong.endswith("[15B.8]")
    assert "one uses 1; two uses 2" in wrong


def test_other_wagers_may_differ_between_tables() -> None:
    sides = NEW_ZEALAND.side_wagers
    assert refused_pit({"one": (sides, {"any-pair": "1"}), "two": (sides, {"any-pair": "2"})}) == []


def test_rulebooks_name_the_rules_of_their_claims() -> None:
    def with_claims(book: Rulebook) -> set[str]:
        return {bet for bet, side in book.side_wagers.items() if side.placed.claims}

    assert len(with_claims(SINGAPORE)) == 3
    assert with_claims(CROWN) == {"blackpot", "pot-of-gold"}
    for book in (SINGAPORE, CROWN):
        for bet in with_claims(book):
            assert book.side_wagers[bet].placed.claims_rules
