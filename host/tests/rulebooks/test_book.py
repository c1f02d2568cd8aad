"""Layers: a later layer overrides earlier ones, and its rule is cited."""

from __future__ import annotations

from datetime import date

import pytest

from cutcard.rulebooks.book import RULEBOOKS, UnknownRulebookError, contents, open_rulebook
from cutcard.rulebooks.citing import meets
from cutcard.rulebooks.readings import readings


def test_a_variant_prevails_over_the_base() -> None:
    assert open_rulebook("crown-melbourne-26", ("premier",))["dealer.soft_17"].value == "draw"
    assert open_rulebook("crown-melbourne-26")["dealer.soft_17"].rules[0] == "7.5.7(a)"


def test_six_to_five_pontoon_is_based_on_crown_pontoon() -> None:
    book = open_rulebook("crown-melbourne-26", ("six-five-pontoon",))
    assert book["blackjack.odds"].value == "6:5"
    assert book["cards.pack"].rules == ("10.3.1",)


def test_style_a_applies_under_ante_up_in_either_order() -> None:
    for variants in (("ante-up", "style-a"), ("style-a", "ante-up")):
        book = open_rulebook("nz-division-2", variants)
        assert book["dealer.soft_17"].rules == ("17.2",)
        assert book["ante.missing"].rules == ("18.7",)


@pytest.mark.parametrize(
    ("day", "variants", "bets"),
    [
        (date(2013, 3, 18), 2, {"super-sevens", "madness-21", "perfect-pair"}),
        (date(2013, 3, 19), 4, {"super-sevens", "madness-21", "perfect-pair", "any-pair"}),
        (date(2020, 1, 1), 4, {"super-sevens", "madness-21", "perfect-pair", "any-pair"}),
    ],
)
def test_new_zealand_has_its_earlier_text_on_an_earlier_day(
    day: date, variants: int, bets: set[str]
) -> None:
    text = contents("nz-division-2", day)
    assert len(text.variants) == variants
    assert set(text.bets) == bets


def test_without_a_date_all_amendments_apply() -> None:
    assert len(contents("nz-division-2").variants) == 5
    assert "push-22" in contents("nz-division-2").bets


@pytest.mark.parametrize("name", RULEBOOKS)
def test_every_effective_value_of_every_game_cites_a_rule(name: str) -> None:
    silent = ("never", False, 0, "silent")
    for variant in contents(name).variants:
        for key, entry in open_rulebook(name, (variant,)).entries.items():
            says_nothing = entry.value in silent or name == "uk-blackjack"
            assert entry.rules or says_nothing, (name, variant, key)


def test_unknown_name_is_rejected_with_the_valid_names() -> None:
    with pytest.raises(UnknownRulebookError, match="crown-melbourne-26"):
        open_rulebook("macau")
    with pytest.raises(UnknownRulebookError, match="vegas"):
        open_rulebook("crown-melbourne-26", ("reno",))


@pytest.mark.parametrize(
    ("cited", "wanted", "is_met"),
    [
        ("7.5.5(a)(i)", "7.5.5", True),
        ("15.10", "15.1", False),
        ("20A.4", "20", False),
        ("20A.4", "20A", True),
        ("splitting-hands", "splitting-hands", True),
        ("5.1", "5.1(a)", False),
        ("1.0", "1", True),
        ("reading 2", "2", False),
    ],
)
def test_citation_is_compared_by_complete_numbers(cited: str, wanted: str, is_met: bool) -> None:
    assert meets(cited, wanted) is is_met


def test_readings_are_numbered_from_one() -> None:
    assert [reading.number for reading in readings().values()] == list(
        range(1, len(readings()) + 1)
    )
