"""Cards that the table's decks cannot contain are malformed, unless wrong cards are found later."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutcard.cases.runner import CaseReport, run_file


def run(tmp_path: Path, head: str, steps: str, round: str = "complete") -> CaseReport:
    file = tmp_path / "case.toml"
    file.write_text(
        f"""
title = "A round"
{head}
wagers = [ {{ box = 1, player = "A", bet = "main", amount = 20 }} ]
steps = [ {steps} ]
round = "{round}"
expect = [ {{ box = 1, player = "A", bet = "main", result = "void", net = 0 }} ]
""",
        "utf-8",
    )
    return run_file(file)


PONTOON = 'rulebook = "crown-melbourne-26"\nvariant = "crown-pontoon"\ndecks = 6'
ONE_DECK = 'rulebook = "mbs-free-bet-3"\ndecks = 1'


def test_a_ten_at_pontoon_is_malformed(tmp_path: Path) -> None:
    steps = '{ deal = "Th 6d 9d" }, { act = "stand" }, { deal = "Ks 8s" }'
    malformed = run(tmp_path, PONTOON, steps).malformed or ""
    assert malformed.startswith("steps[0]: Th is impossible: a pack of 48 cards has no tens")
    assert "wrong-cards" in malformed


def test_second_nine_of_hearts_of_one_deck_is_malformed(tmp_path: Path) -> None:
    steps = '{ deal = "9h 9h 9h" }, { act = "hit" }, { deal = "9h" }'
    malformed = run(tmp_path, ONE_DECK, steps).malformed or ""
    assert malformed.startswith("steps[0]: 2 copies of 9h are impossible: 1 deck has 1")


def test_seventh_copy_of_a_card_of_six_decks_is_malformed(tmp_path: Path) -> None:
    hits = ', { act = "hit" }, { deal = "2h" }' * 4
    head = 'rulebook = "uk-blackjack"\ndecks = 6'
    malformed = run(tmp_path, head, f'{{ deal = "2h 2h 2h" }}{hits}').malformed or ""
    assert malformed.startswith("steps[8]: 7 copies of 2h are impossible: 6 decks have 6")


@pytest.mark.parametrize("found", ["extra", "foreign"])
def test_later_finding_of_wrong_cards_explains_impossible_cards(tmp_path: Path, found: str) -> None:
    steps = f'{{ deal = "Th 6d 9d" }}, {{ irregularity = "wrong-cards", found = "{found}" }}'
    assert run(tmp_path, PONTOON, steps, "void").ok


@pytest.mark.parametrize("found", ["missing", "unshuffled"])
def test_missing_or_unshuffled_cards_do_not_explain_a_ten(tmp_path: Path, found: str) -> None:
    steps = f'{{ deal = "Th 6d 9d" }}, {{ irregularity = "wrong-cards", found = "{found}" }}'
    assert "Th is impossible" in (run(tmp_path, PONTOON, steps, "void").malformed or "")


def test_wrong_cards_do_not_explain_later_cards(tmp_path: Path) -> None:
    """The British rulebook has no rule: the manager lets play continue, with right cards."""
    head = 'rulebook = "uk-blackjack"\ndecks = 2'
    deal = '{ deal = "2h 2h 2h" }, { irregularity = "wrong-cards", found = "extra" }, '
    goes_on = '{ ruling = "continue", by = "manager" }, { act = "hit" }, { deal = "2h" }'
    malformed = run(tmp_path, head, deal + goes_on).malformed or ""
    assert malformed.startswith("steps[4]: 4 copies of 2h are impossible")


@pytest.mark.parametrize(
    "fault",
    [
        '{ irregularity = "drawn-in-error", card = "6d" }',
        '{ irregularity = "face-up", card = "6d" }',
        '{ irregularity = "simultaneous-draw", cards = "2d 6d" }',
        '{ irregularity = "simultaneous-draw", cards = "2d 2d" }',
        '{ irregularity = "not-offered", box = 1, cards = "6d", boxes = ["dealer"] }',
    ],
)
def test_cards_of_an_irregularity_are_counted(tmp_path: Path, fault: str) -> None:
    steps = f'{{ deal = "Th 6d 9d" }}, {{ settled = "interim" }}, {fault}'
    assert "2 copies of" in (run(tmp_path, ONE_DECK, steps).malformed or "")


def test_a_reconstruction_cannot_name_a_card_twice_of_one_deck(tmp_path: Path) -> None:
    steps = '{ deal = "Th 6d 9d" }, { irregularity = "misdeal", boxes = [1] }, '
    steps += '{ ruling = "reconstruct", cards = "Th Th 9d" }'
    assert "2 copies of Th are impossible" in (run(tmp_path, ONE_DECK, steps).malformed or "")


def test_continuous_shuffler_may_deal_a_discarded_card_again(tmp_path: Path) -> None:
    """The first hand of the split is bust and its cards are in the machine again."""
    head = f'{ONE_DECK}\nshuffler = "continuous"'
    split = '{ deal = "8h 6d 8d" }, { act = "split" }, { deal = "6h" }, { act = "hit" }, '
    bust = '{ deal = "Kc" }, { deal = "Kc" }, { act = "stand" }, { deal = "Td 9s" }'
    assert run(tmp_path, head, split + bust).malformed is None


def test_continuous_shuffler_cannot_deal_a_card_on_the_layout(tmp_path: Path) -> None:
    head = f'{ONE_DECK}\nshuffler = "continuous"'
    steps = '{ deal = "8h 6d 9d" }, { act = "hit" }, { deal = "6d" }'
    assert "2 copies of 6d are impossible" in (run(tmp_path, head, steps).malformed or "")


def test_shoe_that_ran_out_may_deal_the_rounds_discards_again(tmp_path: Path) -> None:
    split = '{ deal = "8h 6d 8d" }, { act = "split" }, { deal = "6h" }, { act = "hit" }, '
    bust = '{ deal = "Kc" }, { irregularity = "shoe-empty" }, { deal = "Kc" }, { act = "stand" }, '
    assert run(tmp_path, ONE_DECK, split + bust + '{ deal = "Td 9s" }').malformed is None
