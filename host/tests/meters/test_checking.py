"""`check` finds what was changed behind the ledger's back, or in it."""

from __future__ import annotations

import pytest

from cutcard.meters import Meters
from tests.meters.evening import Clockwork, play

FIRST = "(SELECT min(number) FROM ledger WHERE kind = '{}')"
FORGED = {
    "a meter's value": (
        "UPDATE accounts SET cents = '1' WHERE name = 'meter east/blackjack-jackpots'",
        "meter east/blackjack-jackpots holds 1 cents, and the ledger makes it 1000000",
    ),
    "a balance": (
        "UPDATE accounts SET cents = '1500' WHERE name = 'manager ben'",
        "manager ben holds 1500 cents",
    ),
    "what a meter must record": (
        "UPDATE meters SET required = '0' WHERE system = 'east'",
        "must record 0 cents, and the ledger makes it 1000000 [21.5.2]",
    ),
    "an amount in the ledger": (
        f"UPDATE ledger SET cents = '15' WHERE number = {FIRST.format('increment')}",
        "does not follow from the one before it",
    ),
    "an increment, too small": (
        f"UPDATE ledger SET cents = '1' WHERE number = {FIRST.format('increment')}",
        "has not made its meters grow by their rate",
    ),
    "a prize, too large": (
        f"UPDATE ledger SET cents = '9000000' WHERE number = {FIRST.format('prize')}",
        "paid 9000000 cents, and the meter gave 100005",
    ),
    "an entry taken out": (
        "DELETE FROM ledger WHERE number = 20",
        "entry 20 does not follow",
    ),
    "the end cut off": (
        "DELETE FROM ledger WHERE number > 70",
        "and the ledger makes it",
    ),
    "a prize struck from the list": (
        "DELETE FROM prizes WHERE hand = 'major'",
        "was paid 2101000 cents, and its prizes are 100500",
    ),
}


@pytest.fixture
def evening(where: str) -> Meters:
    clock = Clockwork()
    meters = Meters.open(where, clock, create=True)
    play(meters, clock)
    return meters


@pytest.mark.parametrize("what", FORGED)
def test_what_was_forged_is_found(evening: Meters, what: str) -> None:
    forge, says = FORGED[what]
    with evening:
        evening.database.do(forge)
        problems = evening.check().problems
    assert any(says in problem for problem in problems), problems


def test_a_ledger_written_anew_does_not_hold_what_was_noted(evening: Meters) -> None:
    with evening:
        noted = evening.history()[40]
        assert not evening.check(f"{noted.number}:{noted.hash}").problems
        (problem,) = evening.check(f"{noted.number}:{'0' * 64}").problems
    assert "is not the one that was noted" in problem
