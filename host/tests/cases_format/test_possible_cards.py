"""Cards that the table's decks cannot give are malformed, unless wrong cards are found later."""

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
    assert malformed.startswith("steps[0]: Th cannot be: a pack of 48 has no tens")
    assert "wrong-cards" in malformed


def test_the_fourth_nine_of_hearts_of_one_deck_is_malformed(tmp_path: Path) -> None:
    steps = '{ deal = "9h 9h 9h" }, { act = "hit" }, { deal = "9h" }'
    malformed = run(tmp_path, ONE_DECK, steps).malformed or ""
    assert malformed.startswith("steps[0]: 9h cannot be there 2 times: 1 deck has 1")


def test_six_decks_have_six_of_each(tmp_path: Path) -> None:
    hits = ', { act = "hit" }, { deal = "2h" }' * 4
    head = 'rulebook = "uk-blackjack"\ndecks = 6'
    malformed = run(tmp_path, head, f'{{ deal = "2h 2h 2h" }}{hits}').malformed or ""
    assert malformed.startswith("steps[8]: 2h cannot be there 7 times: 6 decks have 6")


@pytest.mark.parametrize("found", ["extra", "foreign"])
def test_wrong_cards_found_later_explain_them(tmp_path: Path, found: str) -> None:
    steps = f'{{ deal = "Th 6d 9d" }}, {{ irregularity = "wrong-cards", found = "{found}" }}'
    assert run(tmp_path, PONTOON, steps, "void").ok


@pytest.mark.parametrize("found", ["missing", "unshuffled"])
def test_cards_that_are_too_few_or_unshuffled_explain_no_ten(tmp_path: Path, found: str) -> None:
    steps = f'{{ deal = "Th 6d 9d" }}, {{ irregularity = "wrong-cards", found = "{found}" }}'
    assert "Th cannot be" in (run(tmp_path, PONTOON, steps, "void").malformed or "")


def test_wrong_cards_explain_nothing_that_comes_after_them(tmp_path: Path) -> None:
    """The British book has no rule for them: the manager lets play go on, with right cards."""
    head = 'rulebook = "uk-blackjack"\ndecks = 2'
    deal = '{ deal = "2h 2h 2h" }, { irregularity = "wrong-cards", found = "extra" }, '
    goes_on = '{ ruling = "continue", by = "manager" }, { act = "hit" }, { deal = "2h" }'
    malformed = run(tmp_path, head, deal + goes_on).malformed or ""
    assert malformed.startswith("steps[4]: 2h cannot be there 4 times")


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
def test_cards_that_come_with_a_fault_count(tmp_path: Path, fault: str) -> None:
    steps = f'{{ deal = "Th 6d 9d" }}, {{ settled = "interim" }}, {fault}'
    assert "cannot be there 2 times" in (run(tmp_path, ONE_DECK, steps).malformed or "")


def test_a_reconstruction_cannot_name_a_card_twice_of_one_deck(tmp_path: Path) -> None:
    steps = '{ deal = "Th 6d 9d" }, { irregularity = "misdeal", boxes = [1] }, '
    steps += '{ ruling = "reconstruct", cards = "Th Th 9d" }'
    assert "Th cannot be there 2 times" in (run(tmp_path, ONE_DECK, steps).malformed or "")


def test_a_continuous_shuffler_may_give_a_card_that_went_back(tmp_path: Path) -> None:
    """The first hand of the split has bust and its cards are in the machine again."""
    head = f'{ONE_DECK}\nshuffler = "continuous"'
    split = '{ deal = "8h 6d 8d" }, { act = "split" }, { deal = "6h" }, { act = "hit" }, '
    bust = '{ deal = "Kc" }, { deal = "Kc" }, { act = "stand" }, { deal = "Td 9s" }'
    assert run(tmp_path, head, split + bust).malformed is None


def test_a_card_that_lies_there_cannot_come_out_of_a_continuous_shuffler(tmp_path: Path) -> None:
    head = f'{ONE_DECK}\nshuffler = "continuous"'
    steps = '{ deal = "8h 6d 9d" }, { act = "hit" }, { deal = "6d" }'
    assert "6d cannot be there 2 times" in (run(tmp_path, head, steps).malformed or "")


def test_a_shoe_that_ran_out_gives_this_rounds_discards_again(tmp_path: Path) -> None:
    split = '{ deal = "8h 6d 8d" }, { act = "split" }, { deal = "6h" }, { act = "hit" }, '
    bust = '{ deal = "Kc" }, { irregularity = "shoe-empty" }, { deal = "Kc" }, { act = "stand" }, '
    assert run(tmp_path, ONE_DECK, split + bust + '{ deal = "Td 9s" }').malformed is None
