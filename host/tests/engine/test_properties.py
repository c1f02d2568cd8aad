"""Properties of every round, for any cards and decisions."""

from __future__ import annotations

import contextlib
import copy
from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cutcard.engine.events import Act, Deal, Press, Ruling, Settled
from cutcard.engine.ledger import HOUSE, LAYOUT, METERS, NEXT_ROUND, balance, player_account
from cutcard.engine.refusal import IncompleteError, RefusedError
from cutcard.engine.results import results
from cutcard.engine.round import finish, owed, start, step
from cutcard.engine.state import DEALER, Phase, Round
from cutcard.engine.turn import next_card_goes_to
from tests.engine.random_rounds import Played, played_rounds

FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
KINDS = [
    "hit",
    "stand",
    "double",
    "split",
    "surrender",
    "designate",
    "insure",
    "even-money",
    "keep-riding",
    "withdraw-double",
]


@FEW
@given(played_rounds())
def test_layout_is_empty_after_every_round(played: Played) -> None:
    assert balance(played.end.postings, LAYOUT) == 0


@FEW
@given(played_rounds())
def test_owed_is_none_exactly_if_the_round_can_be_finished(played: Played) -> None:
    for round in played.rounds:
        try:
            finish(round)
        except IncompleteError:
            assert owed(round) is not None
        else:
            assert owed(round) is None


@FEW
@given(played_rounds())
def test_players_gains_equal_the_losses_of_house_and_meters(played: Played) -> None:
    postings = played.end.postings
    accounts = {player_account(wager.player) for wager in played.end.placed}
    accounts |= {HOUSE, METERS, NEXT_ROUND}
    assert sum(balance(postings, account) for account in accounts) == 0


@FEW
@given(played_rounds())
def test_no_wager_is_settled_twice(played: Played) -> None:
    lying: Counter[object] = Counter()
    for posting in played.end.postings:
        lying[posting.key] += posting.cents * (posting.target == LAYOUT)
        lying[posting.key] -= posting.cents * (posting.source == LAYOUT)
        assert lying[posting.key] >= 0


@FEW
@given(played_rounds())
def test_every_wager_has_an_outcome_and_a_rule(played: Played) -> None:
    for result in results(played.end):
        assert played.end.parts[result.key], result
        assert result.rules, result


@FEW
@given(played_rounds())
def test_replay_of_the_record_results_in_the_same_round(played: Played) -> None:
    again = start(played.end.table, played.end.placed)
    for event in played.end.record:
        again = step(again, event)
    assert finish(again) == played.end


@FEW
@given(played_rounds(), st.data())
def test_refused_act_leaves_the_round_unchanged(played: Played, data: st.DataObject) -> None:
    round = data.draw(st.sampled_from(played.rounds))
    before = copy.deepcopy(round)
    act = Act(
        data.draw(st.sampled_from(KINDS)),
        box=data.draw(st.sampled_from([None, 1, 2, 3, 9])),
        player=data.draw(st.sampled_from([None, "A1", "B2", "nobody"])),
        amount=data.draw(st.sampled_from([None, 1, 500, 100_000])),
    )
    for event in (act, Press("madness-21", 1, "nobody", 7), Ruling("void-round")):
        with contextlib.suppress(RefusedError):
            step(round, event)
        assert round == before


@FEW
@given(played_rounds())
def test_result_of_a_box_does_not_depend_on_other_players(played: Played) -> None:
    if played.end.super_bonus_boxes:
        return
    for number in played.end.boxes:
        alone = _replay_alone(played.end, number)
        shared = {result.key: result for result in results(played.end) if result.key.box == number}
        for result in results(alone):
            assert (result.result, result.net) == shared[result.key][1:3]


def _replay_alone(end: Round, number: int) -> Round:
    """Replay the same box with the same cards and decisions at a separate table."""
    round = start(end.table, [wager for wager in end.placed if wager.box == number])
    box_cards, dealer_cards = list(end.boxes[number].dealt), list(end.dealer)
    acts = [event for event in end.record if isinstance(event, Act | Press) and event.box == number]
    while True:
        place = next_card_goes_to(round)
        if acts and (place is None or _follows(round, acts[0])):
            if round.phase is Phase.BEFORE_INTERIM and not _is_option(acts[0]):
                round = step(round, Settled("interim"))
            else:
                round = step(round, acts.pop(0))
        elif place is not None:
            round = step(round, Deal((dealer_cards if place == DEALER else box_cards).pop(0)))
        elif round.phase is Phase.BEFORE_INTERIM:
            round = step(round, Settled("interim"))
        else:
            return finish(round)


def _follows(round: Round, event: Act | Press) -> bool:
    """Return whether the next recorded decision comes before the card that is due."""
    return isinstance(event, Act) and event.player is not None and round.following is not None


def _is_option(event: Act | Press) -> bool:
    return isinstance(event, Act) and event.player is not None
