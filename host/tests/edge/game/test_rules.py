"""The rules that affect money, readings as switches, and house rules."""

from __future__ import annotations

from fractions import Fraction

import pytest

from cutcard.edge.game.analysis import Game
from cutcard.edge.game.needless_cards import READING
from cutcard.edge.game.other_readings import UNSWITCHED
from cutcard.edge.game.sweep import configurations
from cutcard.edge.money_rules import money_rules, switched, switches
from cutcard.edge.own_rules import BadRuleError, own_table, own_value, with_own
from cutcard.edge.side_readings import side_readings
from cutcard.rulebooks import RULEBOOKS, open_rulebook
from cutcard.rulebooks.book import contents
from cutcard.rulebooks.readings import readings

BRITISH = open_rulebook("uk-blackjack")


def test_super_bonus_is_measured_by_the_wager() -> None:
    pontoon = open_rulebook("crown-melbourne-26", ("crown-pontoon",))

    assert money_rules(pontoon, 8, wager=Fraction(10)).super_bonus == 100
    assert money_rules(pontoon, 8, wager=Fraction(25)).super_bonus == 200
    assert money_rules(pontoon, 8, wager=Fraction(1)).super_bonus == 0


def test_ante_is_the_most_that_the_rulebook_allows() -> None:
    book = open_rulebook("nz-division-2", ("ante-up",))

    assert money_rules(book, 8).ante == Fraction(1, 8)
    assert money_rules(book, 8, ante=Fraction(0)).ante == 0


def test_even_money_belongs_to_three_to_two() -> None:
    book = open_rulebook("nz-division-2")

    assert money_rules(book, 8).even_money
    assert not money_rules(book, 8, blackjack="6:5").even_money


def test_every_reading_has_a_switch_or_a_reason() -> None:
    said = [name for names in UNSWITCHED.values() for name in names]
    switched_by = {
        switch.reading
        for configuration in configurations()
        if (switch := configuration.switch) is not None
    } | {each.reading for each in side_readings()}
    switched_by.add(READING)

    assert len(said) == len(set(said))
    assert switched_by | set(said) == set(readings())
    assert not switched_by & set(said)


def test_dealers_blackjack_takes_only_the_original_wager_when_money_rides() -> None:
    riding = [
        open_rulebook(rulebook, (variant,))
        for rulebook in RULEBOOKS
        for variant in contents(rulebook).variants
    ]
    takes = {
        (book.name, money_rules(book, 6).dealers_blackjack_takes)
        for book in riding
        if any(side.riding for side in book.side_wagers.values())
    }

    assert takes == {("nz-division-2", "original")}


@pytest.mark.parametrize("decks", [4, 8])
def test_pontoon_surrender_is_never_best_so_its_reading_has_no_effect(decks: int) -> None:
    game = Game(money_rules(open_rulebook("crown-melbourne-26", ("crown-pontoon",)), decks))
    against_high = [against for against in game.best() if game.may_surrender(against.up)]

    assert against_high
    for against in against_high:
        for a, b, _ in game.first_hands(against.up.value):
            hand = game.hands.number_of(a, b)
            if game.hands.total[hand] < 21:
                assert against.worth[0, hand, 0, 0] > game.surrendered(against, hand).mean


def test_readings_of_the_british_game_are_switches() -> None:
    rules = money_rules(BRITISH, 6)
    names = {switch.name: switch for switch in switches(BRITISH, rules)}

    assert set(names) == {
        "british-dealers-blackjack/takes",
        "british-dealers-blackjack/21",
        "british-splits",
    }
    assert switched(rules, names["british-splits"]).aces_resplit


def test_house_rule_overrides_the_rulebook() -> None:
    book = with_own(BRITISH, dict([own_value("blackjack.odds=6:5"), own_value("split.hands=4")]))

    assert money_rules(book, 6).blackjack_odds == Fraction(6, 5)
    assert money_rules(book, 6).split_hands == 4


def test_house_paytable_is_a_file() -> None:
    assert own_table('[bonus]\nfive-cards = "2:1"\n') == {"bonus.five-cards": "2:1"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("blackjak.odds=6:5", "blackjak.odds.*did you mean blackjack.odds"),
        ("blackjack.odds", "KEY=VALUE"),
        ("blackjack.odds=six", "blackjack.odds.*odds"),
        ("dealer.soft_17=maybe", "dealer.soft_17.*stand"),
        ("split.hands=-1", "split.hands.*an integer from 0"),
        ("surrender.kind=final", "surrender.against"),
        ("cards.decks=six", "cards.decks.*number"),
        ("cards.decks=2,x", "cards.decks.*number"),
    ],
)
def test_impossible_rule_is_refused_by_name(text: str, said: str) -> None:
    with pytest.raises(BadRuleError, match=said):
        with_own(BRITISH, dict([own_value(text)]))


@pytest.mark.parametrize("text", ["a = " + "[" * 100_000, "a" + ".a" * 100_000 + " = 1"])
def test_hostile_paytable_is_refused_by_a_sentence(text: str) -> None:
    with pytest.raises(BadRuleError, match="line 1"):
        own_table(text)
