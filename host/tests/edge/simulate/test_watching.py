"""Watching counters: the value of a card, knowledge of the cards left, and of the discards."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import cache

import numpy as np
import pytest

from cutcard.cli.edges.simulate import basic_strategy
from cutcard.edge.game.analysis import Game
from cutcard.edge.game.card_worth import CardWorth, card_worth
from cutcard.edge.money_rules import money_rules
from cutcard.edge.simulate.figures import WatcherGain, watchers_win
from cutcard.edge.simulate.job import SHOE, Job
from cutcard.edge.simulate.machines import run_watched_shard
from cutcard.edge.simulate.running import having_learned, played_shards
from cutcard.edge.simulate.watching import Gauge, gauge_of
from cutcard.rulebooks.book import open_rulebook

ONE_DECK = Job("uk-blackjack", ("blackjack",), 1, basic_strategy(), dealing=SHOE, cut=0.75)
RULES = money_rules(open_rulebook("uk-blackjack", ("blackjack",)), 1)


@cache
def worth() -> CardWorth:
    return card_worth(RULES)


def gauge(job: Job, machine: str) -> Gauge:
    return having_learned(job, machine, gauge_of(worth(), 1, 8))


@cache
def watched(decks: int = 1, machine: str = "") -> dict[str, WatcherGain]:
    job = replace(ONE_DECK, decks=decks)
    shards, _ = played_shards(job, 250_000, machine, gauge=gauge(job, machine))
    return watchers_win(job, shards)


def test_values_of_all_cards_sum_to_zero() -> None:
    usual = np.array([4] * 9 + [16]) / 52
    for each in (worth().on_box, worth().on_dealer, worth().share):
        assert usual @ each == pytest.approx(0.0, abs=1e-12)


def test_player_wants_aces_and_tens_and_a_low_card_for_the_dealer() -> None:
    ace, five, ten = (worth().on_box[value] for value in (0, 4, 9))
    assert ace > ten > 0 > five
    assert worth().on_dealer[4] > 0 > worth().on_dealer[0]


def test_removal_of_a_five_helps_a_player_most() -> None:
    assert worth().share.argmin() == 4
    assert worth().share.argmax() == 0


def test_card_shares_predict_the_value_of_a_pack_without_several_cards() -> None:
    pack = np.array([4, 3, 4, 3, 2, 4, 4, 4, 4, 16])
    game = Game(RULES, pack=pack)
    left = pack / pack.sum()
    predicted = -worth().edge + float(worth().share @ left)
    assert predicted == pytest.approx(game.value(game.best()).mean, abs=0.002)


def test_counter_who_knows_the_rest_of_one_deck_wins() -> None:
    assert watched()["composition"].win.low > 0


def test_order_of_discards_does_not_predict_an_ideal_shuffle() -> None:
    apart = watched()["discards"].win.value - watched()["composition"].win.value
    assert abs(apart) < 4 * watched()["discards"].win.error


def test_order_of_discards_predicts_much_of_a_machine_with_few_shelves() -> None:
    watchers = watched(6, "shelves-10")
    assert watchers["discards"].win.low > watchers["composition"].win.high


def test_watched_shard_is_the_same_on_every_computer() -> None:
    asked = (vars(ONE_DECK), "shelves-10", asdict(gauge(ONE_DECK, "shelves-10")), 3, 500)
    assert run_watched_shard(*asked) == run_watched_shard(*asked)


@pytest.mark.soak
def test_carousel_that_hides_its_order_gives_a_watcher_little() -> None:
    job = replace(ONE_DECK, decks=6)
    rules = money_rules(open_rulebook("uk-blackjack", ("blackjack",)), 6)
    known = having_learned(job, "carousel-38", gauge_of(card_worth(rules), 1, 8))
    shards, _ = played_shards(job, 1_000_000, "carousel-38", gauge=known)
    watchers = watchers_win(job, shards)
    assert watchers["composition"].large == 0.0, "all cards are inside before every round"
    assert watchers["discards"].win.high < 0.01
