"""The terms of a prize meter system, parsed from user input: "$10,000", "1.5%"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from cutcard.engine.ledger import dollars
from cutcard.meters.errors import BadTermsError
from cutcard.rulebooks.side_wagers.catalogue import SideWager, side_wagers

RULEBOOK = "crown-melbourne-26"
MONEY = re.compile(r"\$?(\d{1,3}(?:,\d{3}){0,3}|\d{1,12})(?:\.(\d{1,2}))?", re.ASCII)
RATE = re.compile(r"\d{1,3}(?:\.\d{1,6})?%|\d{1,9}/\d{1,9}|0?\.\d{1,8}|1", re.ASCII)
MOST_NAME, MOST_KEY = 40, 100  # characters
NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_.-]{{0,{MOST_NAME - 1}}}", re.ASCII)

# The maximum values of a request, in cents; larger ones are typing errors.
MOST_SEED = 100_000_000_00
MOST_COST = MOST_PAYABLE = 10_000_00
MOST_TENDERED = 1_000_000_00
LEAST_RATE = Fraction(1, 1_000_000)
MOST_DENOMINATOR = 10**9 - 1


@dataclass(frozen=True, slots=True)
class MeterTerms:
    """A meter's initial seed value in cents, and the share of each wager that is added to it."""

    seed: int
    rate: Fraction


@dataclass(frozen=True, slots=True)
class SystemTerms:
    """The terms of a prize meter system: its game, the cost of a wager at every table, its meters.

    `payable` is the amount in cents to whose multiples a meter prize is rounded up: 100 for
    Blackjack Jackpots (21.10.2(a)), the smallest chip for Supernova (24.9.2(a)).
    """

    bet: str
    cost: int
    meters: dict[str, MeterTerms]
    payable: int = 100

    def check(self) -> None:
        """Raise BadTermsError if no meter can run with these terms."""
        side = game(self.bet)
        has = {share.meter for share in side.meter_share.values()}
        if set(self.meters) != has:
            raise BadTermsError(
                f"{self.bet} has the meters {', '.join(sorted(has))}, and these terms are for "
                f"{', '.join(sorted(self.meters)) or 'no meter'}",
                "Give each of them a seed and a rate, as in blackjack-jackpots=10000@1.5%.",
            )
        check_amount(self.cost, MOST_COST, "a jackpot wager's cost")
        check_amount(self.payable, MOST_PAYABLE, "the unit of prizes")
        fixed = side.rounded_to
        if fixed is not None and self.payable != fixed * 100:
            raise BadTermsError(
                f"prizes of {self.bet} are rounded up to {_unit(fixed)}, not {self.payable} cents",
                "Omit --payable, or give the smallest chip.",
                side.meter_rules["rounded"],
            )
        for name, terms in self.meters.items():
            check_amount(terms.seed, MOST_SEED, f"the seed of {name}")
            check_share(terms.rate, f"the rate of {name}")
            if not LEAST_RATE <= terms.rate < 1:
                raise BadTermsError(
                    f"the rate of {name} must be at least 0.0001% and below 100%",
                    "For example 10000@1.5%.",
                    side.meter_rules["seed"],
                )


def game(bet: str) -> SideWager:
    """Return the side wager `bet` if it is played for a meter. Raises BadTermsError otherwise."""
    metered = {name: side for name, side in side_wagers(RULEBOOK).items() if side.meter_share}
    if bet not in metered:
        raise BadTermsError(
            f"{quoted(bet)} is not played for a prize meter", f"Use one of {', '.join(metered)}."
        )
    return metered[bet]


def parse_money(text: str) -> int:
    """Parse "$10,000" or "12.50" into cents. Raises BadTermsError otherwise."""
    said = MONEY.fullmatch(text.strip())
    if said is None:
        raise BadTermsError(
            f"{quoted(text)} is not an amount of money", "Write 10000 or 12.50; at most 12 digits."
        )
    dollars, cents = said.groups()
    return int(dollars.replace(",", "")) * 100 + int((cents or "").ljust(2, "0"))


def parse_rate(text: str) -> Fraction:
    """Parse a share such as "1.5%" or "3/200". Raises BadTermsError otherwise."""
    said = text.strip()
    try:
        if RATE.fullmatch(said) is None:
            raise ValueError
        rate = Fraction(said.removesuffix("%"))
    except (ValueError, ZeroDivisionError):
        raise BadTermsError(
            f"{quoted(text)} is not a rate",
            "Write 1.5% (six decimals at most) or 3/200 (nine digits each at most).",
        ) from None
    return rate / 100 if said.endswith("%") else rate


def parse_meters(texts: Iterable[str]) -> dict[str, MeterTerms]:
    """Parse meters such as "blackjack-jackpots=10000@1.5%", with a seed and a rate for each."""
    meters: dict[str, MeterTerms] = {}
    for text in texts:
        name, equals, rest = text.partition("=")
        seed, at, rate = rest.partition("@")
        if not (name and equals and at) or name in meters:
            raise BadTermsError(
                f"{quoted(text)} is not METER=SEED@RATE, or repeats a meter",
                "For example blackjack-jackpots=10000@1.5%.",
            )
        meters[name] = MeterTerms(parse_money(seed), parse_rate(rate))
    return meters


def check_name(name: str, of: str) -> None:
    """Check a name for keys and signs. Raises BadTermsError."""
    if not NAME.fullmatch(name):
        raise BadTermsError(
            f"{quoted(name)} cannot be the name of a {of}",
            f"Use letters, digits, '-', '_' and '.', at most {MOST_NAME} of them.",
        )


def check_key(key: str) -> None:
    """Check a request's key. Raises BadTermsError if it is too long or not printable."""
    if not (0 < len(key) <= MOST_KEY and key.isprintable()):
        raise BadTermsError(
            f"{quoted(key)} cannot be a key", f"Use 1 to {MOST_KEY} printable characters."
        )


def check_amount(cents: int, most: int, of: str) -> None:
    """Check an amount. Raises BadTermsError unless it is above zero and at most `most`."""
    if type(cents) is not int or not 0 < cents <= most:
        raise BadTermsError(
            f"{of} cannot be {_money(cents)}", f"Name an amount from $0.01 to {dollars(most)}."
        )


def _money(cents: object) -> str:
    return dollars(cents) if type(cents) is int else repr(cents)


def check_share(share: Fraction, of: str) -> None:
    """Check a share. Raises BadTermsError if its denominator is too large to be stored exactly."""
    if share.denominator > MOST_DENOMINATOR:
        raise BadTermsError(
            f"{of} has a denominator over {MOST_DENOMINATOR:,}", "Write 1.5% or 3/200."
        )


def quoted(text: str) -> str:
    """Return user input for an error message, cut to a readable length."""
    return repr(text) if len(text) <= MOST_NAME else f"{text[:MOST_NAME]!r}… ({len(text)} long)"


def _unit(dollars: int | None) -> str:
    return "a payable amount" if dollars is None else f"${dollars}"
