"""Personal Bet Managers and jackpot wagers; a refusal leaves no trace."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from fractions import Fraction
from pathlib import Path

import pytest

from cutcard.meters import Meters, MeterTerms, SystemTerms
from cutcard.meters.errors import (
    BadTermsError,
    BalanceTooSmallError,
    ClockWentBackwardsError,
    DatabaseUnreachableError,
    NameTakenError,
    NoDatabaseError,
    OtherRequestError,
    RoundOpenError,
    RoundOverError,
    UnknownManagerError,
    UnknownTableError,
    WrongCostError,
)
from cutcard.meters.terms import parse_meters, parse_money, parse_rate
from tests.meters.floor import JACKPOTS, SUPERNOVA, Hands


def test_balance_is_deposits_less_withdrawals(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.meters.deposit("12", 5000, "a")
    hands.meters.deposit("12", 250, "b")
    hands.meters.wager("T1", 1, 3, "12")
    hands.meters.cash_out("12", "c", 1000)
    assert hands.balance("12") == 3750
    receipt = hands.meters.cash_out("12", "d")
    assert receipt.entries[0].cents == 3750
    assert receipt.rules == ("21.6.4",)


def test_repeated_deposit_is_credited_once(hands: Hands) -> None:
    hands.meters.deposit("12", 5000, "a")
    assert hands.meters.deposit("12", 5000, "a").repeated
    assert hands.balance("12") == 5000


def test_a_key_with_another_request_is_refused(hands: Hands) -> None:
    hands.meters.deposit("12", 5000, "a")
    with pytest.raises(OtherRequestError, match="Use a new key"):
        hands.meters.deposit("12", 6000, "a")


@pytest.mark.parametrize("box", [3, 4])
def test_two_programs_under_one_name_do_not_share_a_round(hands: Hands, box: int) -> None:
    """Otherwise one of them would play for the meters with a wager paid by the other."""
    hands.open("city", "T1")
    hands.meters.deposit("12", 5000, "a")
    hands.meters.wager("T1", 1, 3, "12", journal="one")
    assert hands.meters.wager("T1", 1, 3, "12", journal="one").repeated
    for other in ("another", None):
        with pytest.raises(OtherRequestError):
            hands.meters.wager("T1", 1, box, "12", journal=other)
    hands.meters.wager("T1", 1, 5, "12", journal="one")
    assert hands.balance("12") == 4000
    assert not hands.meters.check().problems


REFUSED: dict[str, tuple[type[Exception], str, Callable[[Hands], object]]] = {
    "a wager larger than the balance": (
        BalanceTooSmallError,
        r"has \$4.99, but the wager costs \$5",
        lambda h: h.meters.wager("T1", 2, 3, "poor"),
    ),
    "a cash-out larger than the balance": (
        BalanceTooSmallError,
        "at most that amount",
        lambda h: h.meters.cash_out("poor", "x", 500),
    ),
    "a Personal Bet Manager that nobody has": (
        UnknownManagerError,
        "cutcard meter deposit",
        lambda h: h.meters.wager("T1", 2, 3, "nobody"),
    ),
    "no Personal Bet Manager where one is needed": (
        UnknownManagerError,
        r"21\.7\.3\(d\)",
        lambda h: h.meters.wager("T1", 2, 3),
    ),
    "a table that plays for no meter": (
        UnknownTableError,
        "cutcard meter notice join",
        lambda h: h.meters.wager("T9", 2, 3, "poor"),
    ),
    "another amount than every table takes": (
        WrongCostError,
        r"21\.5\.1\(d\)",
        lambda h: h.meters.wager("T1", 2, 3, "rich", 1000),
    ),
    "a tenth box": (BadTermsError, "1 to 9", lambda h: h.meters.wager("T1", 2, 10, "rich")),
    "a round that is over": (
        RoundOverError,
        "The next one is 2",
        lambda h: h.meters.wager("T1", 1, 5, "rich"),
    ),
    "a deposit of nothing": (
        BadTermsError,
        "from \\$0.01 to",
        lambda h: h.meters.deposit("rich", 0, "x"),
    ),
    "the same name on other terms": (
        NameTakenError,
        "another name",
        lambda h: h.meters.create("city", SUPERNOVA),
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused_without_a_trace(hands: Hands, what: str) -> None:
    error, says, ask = REFUSED[what]
    hands.open("city", "T1")
    hands.meters.deposit("poor", 499, "p")
    hands.meters.deposit("rich", 100_000, "r")
    hands.bet("T1", 1, 1)
    hands.meters.settle("T1", 1, {})
    before = hands.meters.history()
    with pytest.raises(error, match=says):
        ask(hands)
    assert hands.meters.history() == before


def test_a_round_waits_for_the_outcome_of_the_one_before(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.bet("T1", 1, 1)
    hands.meters.deposit("12", 500, "a")
    with pytest.raises(RoundOpenError, match="round 1 at table T1"):
        hands.meters.wager("T1", 2, 1, "12")


def test_request_by_a_clock_that_went_back_is_refused(hands: Hands) -> None:
    hands.meters.deposit("12", 500, "a")
    hands.watch.wait(timedelta(seconds=-3))
    with pytest.raises(ClockWentBackwardsError, match="Correct the clock"):
        hands.meters.deposit("12", 500, "b")
    assert hands.balance("12") == 500


def test_a_clock_set_back_by_two_seconds_leaves_the_ledger_running_forward(hands: Hands) -> None:
    first = hands.meters.deposit("12", 500, "a")
    hands.watch.wait(timedelta(seconds=-2))
    second = hands.meters.deposit("12", 500, "b")
    assert second.entries[0].at == first.entries[0].at


def test_repeated_request_is_answered_at_any_clock_time(hands: Hands) -> None:
    hands.meters.deposit("12", 500, "a")
    hands.watch.wait(timedelta(days=-1))
    assert hands.meters.deposit("12", 500, "a").repeated


@pytest.mark.parametrize(
    "terms",
    [
        SystemTerms("buster", 500, JACKPOTS.meters),
        SystemTerms("blackjack-jackpots", 500, {}),
        SystemTerms("supernova", 500, JACKPOTS.meters),
        SystemTerms("blackjack-jackpots", 0, JACKPOTS.meters),
        SystemTerms("blackjack-jackpots", 500, JACKPOTS.meters, payable=500),
        SystemTerms(
            "blackjack-jackpots", 500, {"blackjack-jackpots": MeterTerms(0, Fraction(1, 9))}
        ),
        SystemTerms("blackjack-jackpots", 500, {"blackjack-jackpots": MeterTerms(9, Fraction(0))}),
        SystemTerms("blackjack-jackpots", 500, {"blackjack-jackpots": MeterTerms(9, Fraction(1))}),
    ],
)
def test_invalid_terms_are_refused(hands: Hands, terms: SystemTerms) -> None:
    with pytest.raises(BadTermsError):
        hands.meters.create("city", terms)


@pytest.mark.parametrize("text", ["", "ten", "1.005", "NaN", "1e9", "1/2", "-5", "1,00"])
def test_invalid_amount_is_refused(text: str) -> None:
    with pytest.raises(BadTermsError, match="not an amount of money"):
        parse_money(text)


@pytest.mark.parametrize("text", ["", "%", "1/0", "half", "1,5%"])
def test_invalid_rate_is_refused(text: str) -> None:
    with pytest.raises(BadTermsError, match="not a rate"):
        parse_rate(text)


@pytest.mark.parametrize("text", ["a=1", "a@1%", "=1@1%", "a=b@1%", "a=1@b"])
def test_invalid_meter_is_refused(text: str) -> None:
    with pytest.raises(BadTermsError):
        parse_meters([text])


def test_money_and_rates_are_exact() -> None:
    assert parse_money("$1,234.56") == 123_456
    assert (parse_rate("1.5%"), parse_rate("3/200")) == (Fraction(3, 200), Fraction(3, 200))


def test_reading_does_not_create_a_database(tmp_path: Path) -> None:
    with pytest.raises(NoDatabaseError, match="cutcard meter create"):
        Meters.open(str(tmp_path / "none.sqlite"))
    assert not list(tmp_path.iterdir())


def test_file_that_is_not_a_database_is_left_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, whatever its name is" * 40)
    with pytest.raises(DatabaseUnreachableError, match="not a database"):
        Meters.open(str(path))


def test_unreachable_server_is_reported_without_its_password() -> None:
    with pytest.raises(DatabaseUnreachableError, match="with the same key") as error:
        Meters.open("postgresql://ana:secret@localhost:1/none")
    assert "postgresql://ana@localhost:1/none" in str(error.value)
    assert "secret" not in str(error.value)
