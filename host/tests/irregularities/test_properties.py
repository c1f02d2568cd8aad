"""What holds whatever goes wrong: money balances, nothing crashes, the record replays."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from cutcard.engine.events import Irregularity
from cutcard.engine.ledger import LAYOUT, balance
from cutcard.engine.results import results
from cutcard.engine.round import start, step
from cutcard.engine.state import Phase
from tests.irregularities.random_irregularities import Played, irregular_rounds

MANY = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@MANY
@given(irregular_rounds())
def test_the_layout_is_empty_when_a_round_is_over(played: Played) -> None:
    if played.end is not None:
        assert balance(played.end.postings, LAYOUT) == 0


@MANY
@given(irregular_rounds())
def test_a_void_round_returns_everything_where_no_rule_lets_a_settlement_stand(
    played: Played,
) -> None:
    end = played.end
    if end is not None and end.phase is Phase.VOID and end.book.name != "crown-melbourne-26":
        assert all((line.result, line.net) == ("void", 0) for line in results(end))


@MANY
@given(irregular_rounds())
def test_replaying_the_record_gives_the_same_answers_and_the_same_money(played: Played) -> None:
    first, last = played.rounds[0], played.rounds[-1]
    again = start(first.table, first.placed, first.deal_order)
    for event in last.record:
        again = step(again, event)
    assert again.rulings == last.rulings
    assert again.postings == last.postings


@MANY
@given(irregular_rounds())
def test_every_fault_is_answered_or_left_to_somebody(played: Played) -> None:
    for after in played.rounds[1:]:
        event = after.record[-1]
        if isinstance(event, Irregularity):
            answered = any(ruled.irregularity == event.kind for ruled in after.rulings)
            assert answered or any(
                choice.irregularity.kind == event.kind for choice in after.choices
            )


@MANY
@given(irregular_rounds())
def test_every_wager_has_an_outcome_with_a_rule_unless_the_rulebook_is_silent(
    played: Played,
) -> None:
    end = played.end
    if end is not None and end.book.name in ("crown-melbourne-26", "mbs-free-bet-3"):
        assert all(line.rules for line in results(end))
