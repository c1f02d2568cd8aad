"""Properties of every irregular round: money balances, no crash, the record replays."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings

from cutcard.cards import Card
from cutcard.engine.events import Irregularity, Ruling
from cutcard.engine.irregularities.reconstruction import fallen
from cutcard.engine.ledger import LAYOUT, Key, balance
from cutcard.engine.results import results
from cutcard.engine.round import start, step
from cutcard.engine.state import DEALER, Phase, Round
from cutcard.engine.turn import next_card_goes_to
from tests.irregularities.random_irregularities import Played, irregular_rounds

MANY = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@MANY
@given(irregular_rounds())
def test_layout_is_empty_after_every_round(played: Played) -> None:
    if played.end is not None:
        assert balance(played.end.postings, LAYOUT) == 0


@MANY
@given(irregular_rounds())
def test_void_round_returns_all_wagers_unless_a_rule_lets_settlements_stand(
    played: Played,
) -> None:
    end = played.end
    if end is not None and end.phase is Phase.VOID and end.book.name != "crown-melbourne-26":
        assert all((line.result, line.net) == ("void", 0) for line in results(end))


@MANY
@given(irregular_rounds())
def test_replay_of_the_record_results_in_the_same_answers_and_money(played: Played) -> None:
    first, last = played.rounds[0], played.rounds[-1]
    again = start(first.table, first.placed, first.deal_order)
    for event in last.record:
        again = step(again, event)
    assert again.rulings == last.rulings
    assert again.postings == last.postings


@MANY
@given(irregular_rounds())
def test_every_irregularity_is_answered_or_opens_a_choice(played: Played) -> None:
    for after in played.rounds[1:]:
        event = after.record[-1]
        if isinstance(event, Irregularity):
            answered = any(ruled.irregularity == event.kind for ruled in after.rulings)
            assert answered or any(
                choice.irregularity.kind == event.kind for choice in after.choices
            )


@MANY
@given(irregular_rounds())
def test_every_wager_has_an_outcome_with_a_rule_unless_no_rule_exists(
    played: Played,
) -> None:
    end = played.end
    if end is not None and end.book.name in ("crown-melbourne-26", "mbs-free-bet-3"):
        assert all(line.rules for line in results(end))


@MANY
@given(irregular_rounds())
def test_a_recorded_ruling_stays_in_the_record(played: Played) -> None:
    for before, after in pairwise(played.rounds):
        assert after.rulings[: len(before.rulings)] == before.rulings


@MANY
@given(irregular_rounds())
def test_every_irregularity_of_a_finished_round_is_in_the_rulings(played: Played) -> None:
    if played.end is not None:
        noticed = {event.kind for event in played.end.record if isinstance(event, Irregularity)}
        assert noticed <= {ruled.irregularity for ruled in played.end.rulings}


@MANY
@given(irregular_rounds())
def test_returned_wager_keeps_its_rules(played: Played) -> None:
    back: dict[Key, set[str]] = {}  # each with the rules that returned it
    without_a_ruling: set[Key] = set()  # a reconstruction replaces these returns (Crown 9.5, 9.8)
    for before, after in pairwise(played.rounds):
        event = after.record[-1]
        reconstructs = isinstance(event, Ruling) and event.kind == "reconstruct"
        for key, rules in back.items():
            kept = rules if reconstructs else set(before.cited[key])
            assert kept <= set(after.cited[key]) or (reconstructs and key in without_a_ruling)
        now = back_with_their_owners(after)
        new = {
            key: set(after.cited[key]) - set(before.cited.get(key, ()))
            for key in now
            if key not in back
        }
        without_a_ruling |= set(new) if isinstance(event, Irregularity) else set()
        back = {key: (new | back)[key] for key in now}


@MANY
@given(irregular_rounds())
def test_every_card_on_the_table_is_in_one_place(played: Played) -> None:
    for round in played.rounds:
        assert on_the_table(round) <= Counter(fallen(round)) + Counter(lying_out(round))


def back_with_their_owners(round: Round) -> list[Key]:
    open_wagers = {wager.key for wager in round.wagers if wager.open}
    open_stakes = {
        Key(box.number, stake.player, "main")
        for box in round.boxes.values()
        for hand in box.hands
        for stake in hand.stakes
        if stake.open
    }
    returned = {key for key, parts in round.parts.items() if set(parts) == {"void"}}
    return sorted(returned - open_wagers - open_stakes)


def on_the_table(round: Round) -> Counter[Card]:
    hands = [hand.cards for box in round.boxes.values() for hand in box.hands]
    return Counter(card for cards in (*hands, round.dealer, round.ahead) for card in cards)


def lying_out(round: Round) -> list[Card]:
    """Return the cards of an irregularity that the rules put into play, such as a face-up card."""
    return [
        card
        for event in round.record
        if isinstance(event, Irregularity) and event.kind == "face-up"
        for card in event.cards
    ]


@MANY
@given(irregular_rounds())
def test_no_card_is_due_to_a_box_with_only_returned_wagers(played: Played) -> None:
    for round in played.rounds:
        place = next_card_goes_to(round) or DEALER
        box = round.boxes.get(int(place.partition(".")[0])) if place != DEALER else None
        if box is not None and box.mains and not wagers_on(round, box.number):
            pytest.fail(f"a card is due to box {box.number}, on which no wager lies")


def wagers_on(round: Round, number: int) -> int:
    stakes = [stake for hand in round.boxes[number].hands for stake in hand.stakes if stake.open]
    return len(stakes) + sum(w.open for w in round.wagers if w.key.box == number)
