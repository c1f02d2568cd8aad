"""Side wagers that a table may not offer, and places where they are not allowed."""

from dataclasses import replace

import pytest

from cutcard.engine.side_wagers.offering import refused_offers, refused_placements
from cutcard.engine.state import Placed
from cutcard.rulebooks.side_wagers.catalogue import side_wagers

NZ = side_wagers("nz-division-2")
CROWN = side_wagers("crown-melbourne-26")


@pytest.mark.parametrize(
    ("offers", "rules"),
    [
        ({"perfect-pair": "1", "any-pair": "1"}, ["15B.1A", "15C.2"]),
        ({"perfect-pair": "1", "lucky-match": "1"}, ["15B.1A", "15F.2"]),
        ({"any-pair": "1", "lucky-match": "2"}, ["15C.2", "15F.2"]),
        ({"house-money": "", "let-it-ride": ""}, ["15D.12", "15E.11"]),
        ({"house-money": "", "push-22": "1"}, ["15D.12"]),
        ({"let-it-ride": "", "any-pair": "1"}, []),
        ({"perfect-pair": "4"}, ["15B.7"]),
        ({"no-such-bet": ""}, [""]),
    ],
)
def test_new_zealand_tables(offers: dict[str, str], rules: list[str]) -> None:
    assert refused_offers(NZ, offers, ["blackjack"], 6, 52) == rules


@pytest.mark.parametrize(
    ("offers", "variant", "decks", "pack", "rules"),
    [
        ({"pontoon-pandemonium": "3"}, "blackjack", 6, 52, ["11.1"]),
        ({"pontoon-pandemonium": "3"}, "spanish", 6, 48, []),
        ({"pontoon-pandemonium": "11"}, "crown-pontoon", 6, 48, ["11.5.4", "11.5.3"]),
        ({"pot-of-gold": "1"}, "blackjack", 6, 52, ["30.1"]),
        ({"pot-of-gold": "1"}, "free-bet", 7, 52, ["30.5.1"]),
        ({"perfect-pairs": "b"}, "blackjack", 8, 52, ["15.4.1"]),
        ({"perfect-pairs": ""}, "crown-pontoon", 4, 48, ["15.4.1"]),
        ({"blackjack-jackpots": ""}, "blackjack", 8, 52, ["21.4.1"]),
        ({"supernova": ""}, "blackjack", 4, 52, ["24.4.1"]),
        ({"crown-suits": ""}, "blackjack", 5, 52, ["16.4.1"]),
    ],
)
def test_crown_tables(
    offers: dict[str, str], variant: str, decks: int, pack: int, rules: list[str]
) -> None:
    assert refused_offers(CROWN, offers, [variant], decks, pack) == rules


def test_super_sevens_need_six_decks() -> None:
    assert refused_offers(NZ, {"super-sevens": ""}, ["blackjack"], 5, 52) == ["3.3(a)"]


MAIN = [Placed(1, "A", "main", 500), Placed(1, "B", "main", 500), Placed(2, "C", "main", 500)]


@pytest.mark.parametrize(
    ("wager", "rules"),
    [
        (Placed(1, "A", "pontoon-pandemonium", 500), []),
        (Placed(2, "A", "pontoon-pandemonium", 500), ["11.4.2"]),
        (Placed(2, "D", "perfect-pairs", 500), []),
        (Placed(3, "A", "perfect-pairs", 500), ["15.3.2"]),
        (Placed(5, "D", "buster", 500), []),
        (Placed(1, "A", "blackjack-jackpots", 500), []),
        (Placed(1, "B", "blackjack-jackpots", 500), ["21.7.3(b)"]),
        (Placed(1, "C", "blackjack-jackpots", 500), ["21.7.3(a)"]),
    ],
)
def test_side_wager_is_accepted_only_at_its_permitted_places(
    wager: Placed, rules: list[str]
) -> None:
    assert refused_placements(CROWN, [*MAIN, wager]) == rules


def test_box_takes_at_most_five_perfect_pairs_wagers() -> None:
    six = [Placed(1, name, "perfect-pairs", 500) for name in "ABCDEF"]
    assert refused_placements(CROWN, [*MAIN, *six[:5]]) == []
    assert refused_placements(CROWN, [*MAIN, *six]) == ["15.3.3"]


def test_place_of_a_carried_blackpot_wager_is_not_checked() -> None:
    new = Placed(4, "D", "blackpot", 500)
    assert refused_placements(CROWN, [*MAIN, replace(new, carried=True)]) == []
    assert refused_placements(CROWN, [*MAIN, new]) == ["23.3.2"]
