"""Blackjack Jackpots and Supernova (Crown 21 and 24) at a live table.

The controller picks, the meters pay, and the journal replays to the same round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from cutcard.engine.events import Irregularity, Ruling, Settled
from cutcard.engine.state import Phase
from cutcard.journal import read
from cutcard.meters.errors import BalanceTooSmallError, DatabaseUnreachableError, OtherRequestError
from cutcard.meters.ledger import Receipt
from cutcard.prizes.draw import Draw
from cutcard.table.jackpot.interface import DrawDoesNotHoldError, NotOfferedError, check_draw
from cutcard.table.jackpot.metered import MetersDisagreeError
from hil_tests.jackpots.meter_table import MeterTable

# Ana and Ben have pairs of aces, of hearts and of spades; the dealer's first card is an ace.
HEARTS = "Ah 9c Ah Ah 9d 8c"
BOTH_SPADES = "As As As As As 8c"
# No player has a winning hand; all stand, the dealer has 19.
NOTHING = "Tc 9c 9h 8d 9d Tc"
MAJOR_AND_MINOR = "As Ah 9h Js Kh Tc"


def test_suited_aces_win_a_tenth_of_the_meter(with_meter: Callable[..., MeterTable]) -> None:
    at = with_meter("blackjack-jackpots")
    at.evening.play(HEARTS, "stand stand", side=at.bets(Ana=1, Ben=2))
    assert at.won("Ana") == 100_010  # a tenth of $10,000.15, rounded up to the dollar
    assert at.held("Ana") == 10_000 + 100_010
    assert at.held("Ben") == 10_000 - 500
    assert at.value("blackjack-jackpots") == 1_000_000
    assert {"21.10.1", "21.10.2(a)", "21.5.3"} <= at.evening.rules("Ana")


def test_meter_outcome_is_recorded_before_any_settlement(
    with_meter: Callable[..., MeterTable],
) -> None:
    at = with_meter("blackjack-jackpots")
    listen = at.jackpot.listen

    def hasty(live: object) -> None:
        listen(at.evening.live)
        if at.evening.live.round.phase is Phase.BEFORE_INTERIM:
            at.evening.live.take(Settled("interim"))

    at.jackpot.listen = hasty  # type: ignore[method-assign]
    at.evening.play(HEARTS, "stand stand", side=at.bets(Ana=1, Ben=2))
    assert at.won("Ana") == 100_010
    assert at.held("Ana") == 10_000 + 100_010


def test_round_voided_before_the_outcome_returns_its_wagers(
    with_meter: Callable[..., MeterTable],
) -> None:
    at = with_meter("blackjack-jackpots")
    listen = at.jackpot.listen

    def find_a_card_missing(live: object) -> None:
        listen(at.evening.live)
        if at.evening.live.round.dealt == 4:
            at.evening.live.notice(Irregularity("wrong-cards", found="missing"))

    at.jackpot.listen = find_a_card_missing  # type: ignore[method-assign]
    at.evening.play(HEARTS, side=at.bets(Ana=1, Ben=2))
    assert at.evening.live.round.phase is Phase.VOID
    assert (at.held("Ana"), at.held("Ben")) == (10_000, 10_000)
    assert at.won("Ana") == 0


def test_wagers_of_another_program_with_this_name_are_not_changed(
    with_meter: Callable[..., MeterTable],
) -> None:
    at = with_meter("blackjack-jackpots")
    at.meters.wager("T3", 1, 5, "pbm-2", journal="another")
    with pytest.raises(OtherRequestError, match="another program"):
        at.evening.play(NOTHING, "stand stand", side=at.bets(Ana=1))
    at.evening.play(NOTHING, "stand stand")
    assert at.meters.waiting("T3", 1) == {5: 500}
    assert at.held("Ana") == 10_000
    at.meters.settle("T3", 1, {})


def test_round_with_a_rejected_outcome_does_not_start_again(
    with_meter: Callable[..., MeterTable],
) -> None:
    at = with_meter("blackjack-jackpots")
    settle = at.meters.settle

    def settled_by_another(table: str, round: int, hands: Mapping[int, str]) -> Receipt:
        settle(table, round, {})
        return settle(table, round, hands)

    at.meters.settle = settled_by_another  # type: ignore[method-assign]
    with pytest.raises(MetersDisagreeError, match="do not record its outcome"):
        at.evening.play(HEARTS, "stand stand", side=at.bets(Ana=1))
    at.stopped = True
    kinds = [record.kind for record in read(at.evening.path)]
    assert (kinds.count("round"), kinds.count("settled")) == (1, 0)


def test_two_winners_at_one_table_share_the_prize(with_meter: Callable[..., MeterTable]) -> None:
    at = with_meter("blackjack-jackpots")
    at.evening.play(BOTH_SPADES, "stand stand", side=at.bets(Ana=1, Ben=2))
    assert at.won("Ana") == at.won("Ben") == (1_000_100 + 1_000_000) // 2
    assert "21.10.3(c)" in at.evening.rules("Ben")


def test_the_controller_picks_the_lucky_player(with_meter: Callable[..., MeterTable]) -> None:
    """Two wagers are on the list; a signed draw picks one of them."""
    at = with_meter("blackjack-jackpots", one_in=2)
    at.evening.play(NOTHING, "stand stand", side=at.bets(Ana=1, Ben=2))
    (draw,) = at.evening.records("draw")
    assert draw["list"] == "T3/1/1\nT3/1/2\n0 blank\n"
    public = bytes.fromhex(at.evening.records("key")[0]["public"])
    check_draw(Draw.from_json(draw), public, draw["list"].encode())
    with pytest.raises(DrawDoesNotHoldError, match="another list"):
        check_draw(Draw.from_json(draw), public, b"T3/1/2\nT3/1/1\n0 blank\n")
    lucky, other = ("Ana", "Ben") if draw["prize"] == 1 else ("Ben", "Ana")
    assert (at.won(lucky), at.won(other)) == (6 * 500, -500)
    assert at.held(lucky) == 10_000 + 6 * 500


def test_unlikely_pick_pays_no_prize(with_meter: Callable[..., MeterTable]) -> None:
    at = with_meter("blackjack-jackpots", one_in=1_000_000)
    at.evening.play(NOTHING, "stand stand", side=at.bets(Ana=1))
    assert at.evening.records("draw")[0]["prizes"] == 1_000_000
    assert at.won("Ana") == -500


def test_the_mystery_jackpot_pays_its_meter(with_meter: Callable[..., MeterTable]) -> None:
    at = with_meter("supernova", one_in=1)
    at.evening.play(NOTHING, "stand stand", side=at.bets(Ana=1))
    assert at.won("Ana") == 100_500  # $1,000.075, rounded up to a chip of $5
    assert {"24.7.1(b)", "24.9.2(a)"} <= at.evening.rules("Ana")
    assert at.value("supernova-mystery") == 100_000


def test_major_and_minor_have_their_own_meters(with_meter: Callable[..., MeterTable]) -> None:
    at = with_meter("supernova")
    at.evening.play(MAJOR_AND_MINOR, side=at.bets(Ana=1, Ben=2))
    assert (at.won("Ana"), at.won("Ben")) == (2_000_500, 50_500)


@pytest.mark.parametrize(
    ("bet", "rule"), [("blackjack-jackpots", "21.11.1(a)"), ("supernova", "24.10.1(a)")]
)
def test_controller_failure_during_a_round_pays_confirmed_winners(
    with_meter: Callable[..., MeterTable], bet: str, rule: str
) -> None:
    """The records confirm the wagers, and the winner is paid."""
    at = with_meter(bet, one_in=1_000_000)
    cards, won = {"supernova": (MAJOR_AND_MINOR, 2_000_500)}.get(bet, (HEARTS, 100_010))
    fail_after(at, 2)
    at.evening.play(cards, "" if bet == "supernova" else "stand stand", side=at.bets(Ana=1, Ben=2))
    assert at.evening.irregularities() == ["jackpot-failure"]
    assert (rule,) in [ruled.rules for ruled in at.evening.live.round.rulings]
    assert at.evening.records("confirmed") == [{"1": 500, "2": 500}]
    assert at.won("Ana") == won
    with pytest.raises(NotOfferedError, match=rule.removesuffix("(a)")):
        at.evening.play(NOTHING, "stand stand", side=at.bets(Ana=1))
    assert at.meters.waiting("T3", 2) == {}


def test_lost_outcome_is_requested_again_and_paid_once(
    with_meter: Callable[..., MeterTable], monkeypatch: pytest.MonkeyPatch
) -> None:
    """21.11.1(a): the outcome was recorded, but the connection broke before the table received
    it."""
    at = with_meter("blackjack-jackpots")
    settle = at.meters.settle
    lost: list[Receipt] = []

    def once_in_vain(table: str, round: int, hands: dict[int, str]) -> Receipt:
        receipt = settle(table, round, hands)
        if not lost:
            lost.append(receipt)
            raise DatabaseUnreachableError("the line is gone", "Ask again.")
        return receipt

    monkeypatch.setattr(at.meters, "settle", once_in_vain)
    at.evening.play(HEARTS, "stand stand", side=at.bets(Ana=1, Ben=2))
    assert at.won("Ana") == 100_010
    assert at.held("Ana") == 10_000 + 100_010
    assert at.evening.irregularities() == ["jackpot-failure"]


def test_wager_not_entered_in_time_may_be_withdrawn(
    with_meter: Callable[..., MeterTable],
) -> None:
    at = with_meter("blackjack-jackpots")
    withdraw = Ruling("withdraw", player="Ana")
    began = at.jackpot.began
    fault = Irregularity("wager-not-entered", bet=at.bet, box=1)

    def late(live: object) -> None:
        began(at.evening.live)
        at.evening.live.notice(fault)

    at.jackpot.began = late  # type: ignore[method-assign]
    at.evening.play(HEARTS, "stand stand", [withdraw], side=at.bets(Ana=1, Ben=2))
    assert at.won("Ana") == 0
    assert at.held("Ana") == 10_000
    assert "21.11.3" in at.evening.rules("Ana")


def test_player_without_funds_for_the_wager_plays_without_it(
    with_meter: Callable[..., MeterTable],
) -> None:
    at = with_meter("blackjack-jackpots")
    at.meters.cash_out("pbm-2", "all but a dollar", 9_900)
    with pytest.raises(BalanceTooSmallError):
        at.evening.play(NOTHING, "stand stand", side=at.bets(Ana=1, Ben=2))
    assert at.held("Ana") == 10_000
    at.evening.play(NOTHING, "stand stand", side=at.bets(Ana=1))
    assert at.held("Ana") == 9_500


def fail_after(at: MeterTable, cards: int) -> None:
    """Open the controller's door after `cards` cards of the round."""
    listen = at.jackpot.listen

    def watch(live: object) -> None:
        if at.evening.live.round.dealt == cards:
            at.bench.do("door", how="open")
            at.bench.settle()
        listen(at.evening.live)

    at.jackpot.listen = watch  # type: ignore[method-assign]
