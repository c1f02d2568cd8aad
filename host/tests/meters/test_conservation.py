"""For requests in any order, seeds and increments equal values, payments and transfers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from datetime import timedelta
from fractions import Fraction
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from cutcard.meters import Meters, MeterTerms, SystemTerms
from cutcard.meters.errors import MeterError
from cutcard.meters.groups import SignChange
from tests.meters.floor import Watch

TABLES, SYSTEMS = ("T1", "T2"), ("a", "b")
HANDS = ("suited-aces-spades", "suited-aces", "three-aces", "unsuited-blackjack", "nothing")
Ask = Callable[[Meters, int], object]

tables, systems = st.sampled_from(TABLES), st.sampled_from(SYSTEMS)
boxes, cents = st.integers(1, 4), st.integers(1, 30_000)


@st.composite
def rounds(draw: st.DrawFn) -> list[Ask]:
    """Return wagers on some boxes, perhaps a pick or a retraction, and mostly an outcome."""
    table = draw(tables)
    hands = draw(st.dictionaries(boxes, st.sampled_from(HANDS), min_size=1))
    won = {box: hand for box, hand in hands.items() if hand != "nothing"}
    box = draw(boxes)

    def wager(box: int) -> Ask:
        return lambda m, n: m.wager(table, n, box, "ana")

    between: list[Ask] = [
        lambda m, n: m.pick(table, n, box),
        lambda m, n: m.retract(table, n, box),
    ]
    ends: list[Ask] = [
        lambda m, n: m.settle(table, n, won),
        lambda m, n: m.settle(table, n, won),
        lambda m, n: m.void(table, n),
    ]
    asked = [wager(box) for box in hands]
    asked += draw(st.lists(st.sampled_from(between), max_size=2))
    return [*asked, *draw(st.lists(st.sampled_from(ends), max_size=2))]


@st.composite
def changes(draw: st.DrawFn) -> list[Ask]:
    """Return a sign, and its announcement."""
    change = draw(
        st.one_of(
            st.builds(SignChange, st.sampled_from(["join", "leave"]), systems, tables),
            st.builds(SignChange, st.just("move"), systems, tables, systems),
            st.builds(SignChange, st.just("close"), systems),
        )
    )
    into = {draw(systems): Fraction(1)}
    return [
        lambda m, n: m.notice(change, f"sign {n}"),
        lambda m, n: m.carry_out(f"sign {n}", into),
    ]


balances = st.one_of(
    st.builds(lambda amount: [lambda m, n: m.deposit("ana", amount, f"in {n}")], cents),
    st.builds(lambda amount: [lambda m, n: m.cash_out("ana", f"out {n}", amount)], cents),
)
rates = st.fractions(Fraction(1, 1000), Fraction(99, 100), max_denominator=1000)


@settings(max_examples=40)
@given(
    seed=st.integers(1, 100_000),
    rate=rates,
    evening=st.lists(rounds() | rounds() | changes() | balances, max_size=12),
    twice=st.booleans(),
)
def test_seeds_and_increments_equal_value_payments_and_transfers(
    seed: int, rate: Fraction, evening: list[list[Ask]], twice: bool
) -> None:
    watch = Watch()
    terms = SystemTerms("blackjack-jackpots", 500, {"blackjack-jackpots": MeterTerms(seed, rate)})
    with (
        tempfile.TemporaryDirectory() as folder,
        Meters.open(str(Path(folder) / "m.sqlite"), watch, create=True) as meters,
    ):
        meters.database.do("PRAGMA synchronous = OFF")  # no power failure here
        for name in SYSTEMS:
            meters.create(name, terms)
        for table in TABLES:
            meters.notice(SignChange("join", "a", table), table)
        watch.wait(timedelta(minutes=20))
        for table in TABLES:
            meters.carry_out(table)
        meters.deposit("ana", 10_000, "first")
        for number, asked in enumerate(evening, start=1):
            for ask in asked:
                watch.wait(timedelta(minutes=20))
                _ask(meters, ask, number)
                if twice:
                    _ask(meters, ask, number)
        found = meters.check()
        assert not found.problems, found.problems
        for sums in found.meters.values():
            assert sums.adds_up
            assert sums.value >= max(sums.required, sums.seed)


def _ask(meters: Meters, ask: Ask, number: int) -> None:
    """Make a request. A refusal must leave the ledger unchanged; no other error may be raised."""
    before = len(meters.history())
    try:
        ask(meters, number)
    except MeterError:
        assert len(meters.history()) == before
