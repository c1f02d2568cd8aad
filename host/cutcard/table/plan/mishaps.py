"""Mishaps on a bench, on request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cutcard.bench.client import Bench

Mishap = Callable[[Bench], None]


def jam_at_the_exit(bench: Bench) -> None:
    bench.do("jam", where="exit", after=1)


def double_draw(bench: Bench) -> None:
    bench.do("fumble", count=2, after=4, step="draw")


def two_leave_a_bin(bench: Bench) -> None:
    """Let a second card follow at the next push."""
    bench.do("double", where="exit")


def power_cut(bench: Bench) -> None:
    bench.do("power", how="cycle", after=5, step="draw")


# Name -> the mishap of a round, and its announcement.
Mishaps = Mapping[int, tuple[str, Mishap]]
NOTHING_GOES_WRONG: Mishaps = {}
MISHAPS: dict[str, tuple[str, Mishap]] = {
    "jam": ("a card will jam on its way into the chute", jam_at_the_exit),
    "two-cards": ("two cards will be drawn together", double_draw),
    "miscount": ("two cards will leave a bin for one: a miscount", two_leave_a_bin),
    "power": ("the power will fail", power_cut),
}


def _does(word: str, **how: Any) -> Mishap:
    def mishap(bench: Bench) -> None:
        bench.do(word, **how)

    return mishap


# The mishaps that a person at a console may cause on a bench, at any time.
CAUSES: dict[str, tuple[str, Mishap]] = MISHAPS | {
    "jam-on-entry": ("a card will jam between tray and bins", _does("jam", where="entry")),
    "stuck-wheel": ("the wheel will stop half way", _does("bin", how="stuck")),
    "blocked-motor": ("the motor of the feed will block", _does("stall", motor="feed")),
    "open-door": ("the door is open", _does("door", how="open")),
    "bad-noise": ("the random source is stuck", _does("noise", how="stuck", value=0)),
    "card-face-up": ("the next card lies face up", _does("flip", where="chute")),
}
# Mishaps of the controller of a jackpot, and of people.
CONTROLLER_MISHAPS: dict[str, tuple[str, Mishap]] = {
    "controller-power": (
        "the controller's power will fail before the next prize is shown",
        _does("power", how="cycle", after=1, step="show"),
    ),
}
LATE_WAGER = "late-wager"
SHOE_CAUSES = {name: CAUSES[name] for name in ("two-cards", "power", "open-door", "bad-noise")}
