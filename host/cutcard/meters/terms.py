"""What a prize meter system is set up with, read from what people write: "$10,000", "1.5%"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from cutcard.meters.errors import BadTerms
from cutcard.rulebooks.side_wagers.catalogue import SideWager, side_wagers

RULEBOOK = "crown-melbourne-26"
MONEY = re.compile(r"\$?(\d{1,3}(?:,\d{3}){0,3}|\d{1,12})(?:\.(\d{1,2}))?", re.ASCII)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True)
class MeterTerms:
    """A meter's initial seed value in cents, and the share of each wager that it grows by."""

    seed: int
    rate: Fraction


@dataclass(frozen=True, slots=True)
class SystemTerms:
    """A prize meter system: its game, what a wager costs at every table, and its meters.

    `payable` is what a prize out of a meter is rounded up to, in cents: whole dollars for
    Blackjack Jackpots (21.10.2(a)), the smallest chip for Supernova (24.9.2(a)).
    """

    bet: str
    cost: int
    meters: dict[str, MeterTerms]
    payable: int = 100

    def check(self) -> None:
        """Raises BadTerms where no meter could be run on these terms."""
        side = game(self.bet)
        has = {share.meter for share in side.meter_share.values()}
        if set(self.meters) != has:
            raise BadTerms(
                f"{self.bet} has the meters {', '.join(sorted(has))}, and these terms are for "
                f"{', '.join(sorted(self.meters)) or 'none'}",
                "Give each of them a seed and a rate, as in blackjack-jackpots=10000@1.5%.",
            )
        if self.cost <= 0:
            raise BadTerms("a jackpot wager must cost something", "Name its price: --cost 5.")
        fixed = side.rounded_to
        if self.payable <= 0 or (fixed is not None and self.payable != fixed * 100):
            raise BadTerms(
                f"prizes of {self.bet} are rounded up to {_unit(fixed)}, not {self.payable} cents",
                "Leave --payable away, or name the smallest chip.",
                side.meter_rules["rounded"],
            )
        for name, terms in self.meters.items():
            if terms.seed <= 0 or not 0 < terms.rate < 1:
                raise BadTerms(
                    f"{name}: the seed must be above $0 and the rate between 0% and 100%",
                    "For example 10000@1.5%.",
                    side.meter_rules["seed"],
                )


def game(bet: str) -> SideWager:
    """The side wager that has this name and a meter. Raises BadTerms where none has."""
    metered = {name: side for name, side in side_wagers(RULEBOOK).items() if side.meter_share}
    if bet not in metered:
        raise BadTerms(
            f"{bet!r} is not played for a prize meter", f"These are: {', '.join(metered)}."
        )
    return metered[bet]


def parse_money(text: str) -> int:
    """Whole cents from "$10,000" or "12.50". Raises BadTerms for anything else."""
    said = MONEY.fullmatch(text.strip())
    if said is None:
        raise BadTerms(f"{text!r} is no amount of money", "Write 10000 or 12.50.")
    dollars, cents = said.groups()
    return int(dollars.replace(",", "")) * 100 + int((cents or "").ljust(2, "0"))


def parse_rate(text: str) -> Fraction:
    """A share from "1.5%" or "3/200". Raises BadTerms for anything else."""
    percent = text.strip().endswith("%")
    try:
        rate = Fraction(text.strip().removesuffix("%"))
    except (ValueError, ZeroDivisionError):
        raise BadTerms(f"{text!r} is no rate", "Write 1.5% or 3/200.") from None
    return rate / 100 if percent else rate


def parse_meters(texts: Iterable[str]) -> dict[str, MeterTerms]:
    """Meters from "blackjack-jackpots=10000@1.5%", a seed and a rate for each."""
    meters: dict[str, MeterTerms] = {}
    for text in texts:
        name, equals, rest = text.partition("=")
        seed, at, rate = rest.partition("@")
        if not (name and equals and at) or name in meters:
            raise BadTerms(
                f"{text!r} is not METER=SEED@RATE, or names a meter again",
                "For example blackjack-jackpots=10000@1.5%.",
            )
        meters[name] = MeterTerms(parse_money(seed), parse_rate(rate))
    return meters


def check_name(name: str, of: str) -> None:
    """Names stand in keys and on signs. Raises BadTerms for one with anything else in it."""
    if not NAME.fullmatch(name):
        raise BadTerms(
            f"{name!r} cannot be the name of a {of}", "Use letters, digits, '-', '_' and '.'."
        )


def _unit(dollars: int | None) -> str:
    return "something that can be paid" if dollars is None else f"${dollars}"
