"""The money rules of a game as one flat record, for the exact analysis and the simulator.

No code here depends on the name of a rulebook. Stakes are in units of the original wager.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from cutcard.rulebooks.book import Rulebook
from cutcard.rulebooks.readings import reading
from cutcard.rulebooks.side_wagers.pay_table import parse_odds

ANY_NUMBER = 99
RESULTS = {"win": 1, "stand-off": 0, "lose": -1}
DOLLARS = Fraction(10)


@dataclass(frozen=True, slots=True)
class MoneyRules:
    """The money rules of one game with one number of decks.

    `dealer_peeks`: a dealer's Blackjack ends the round before the turns, so that it takes the
    original wager only. `dealers_blackjack_takes`, without that: "whole", all money that is still
    on the box; "original", only as much as brings the loss on the box to the original wager;
    "busted-plus-one", one original wager in addition to the busted ones.
    """

    decks: int
    pack: int
    blackjack_odds: Fraction
    blackjack_always_paid: bool
    even_money: bool
    insurance_most: Fraction
    insurance_odds: Fraction
    insurance_with_blackjack: bool
    double_cards: int
    double_totals: str
    double_after_split: bool
    double_free: bool
    double_paid_instead: bool
    hard_aces: bool
    rescue: bool
    split_allowed: bool
    split_free: bool
    split_paid_instead: bool
    split_hands: int
    aces_resplit: bool
    declined_ends: bool
    dealers_blackjack_takes: str
    must_draw_hard: int
    must_draw_soft: int
    forced_by_sign: bool
    most_cards: int
    twenty_one_at_once: bool
    five_and_under: bool
    stands_off_22_at_once: bool
    surrender: str
    surrender_against: str
    dealer_draws_soft_17: bool
    dealer_peeks: bool
    dealer_22_stands_off: bool
    on_dealer_bust: int
    on_higher: int
    on_lower: int
    on_equal: int
    on_both_blackjack: int
    on_21_against_blackjack: int
    on_dealers_blackjack: int
    bonus: tuple[tuple[str, Fraction], ...]
    super_bonus: Fraction
    ante: Fraction

    @property
    def suits_matter(self) -> bool:
        return bool(self.bonus)

    @property
    def has_tokens(self) -> bool:
        """Return whether a hand may be played with only the house's money."""
        return self.split_free

    @property
    def ranks_of_ten(self) -> str:
        return "TJQK" if self.pack == 52 else "JQK"


def money_rules(
    book: Rulebook,
    decks: int,
    *,
    blackjack: str | None = None,
    wager: Fraction = DOLLARS,
    ante: Fraction | None = None,
    forced_draw: bool = False,
) -> MoneyRules:
    """Return the money rules of a game.

    `wager` is in dollars, for prizes in dollars; `ante` is its share. Without `ante` it is the most
    that the rulebook allows, for a wager of the table's minimum.
    """
    odds = book["blackjack.odds"].odds if blackjack is None else parse_odds(blackjack)
    forced = book["draw.forced"].value
    limits = {"to-12": (12, 0), "select": (_number(book, "draw.forced_hard"), _soft(book))}
    hard, soft = limits.get(forced, (0, 0))
    cards = {"never": 0, "two": 2, "two-or-three": 3, "any": ANY_NUMBER}
    return MoneyRules(
        decks=decks,
        pack=book["cards.pack"].value,
        blackjack_odds=odds,
        blackjack_always_paid=book.says("blackjack.paid", "always"),
        even_money=_even_money(book, odds),
        insurance_most=book["insurance.most"].odds,
        insurance_odds=book["insurance.wins"].odds,
        insurance_with_blackjack=book.flag("insurance.with_blackjack"),
        double_cards=cards[book["double.cards"].value],
        double_totals=book["double.totals"].value,
        double_after_split=not book.says_no("double.after_split"),
        double_free=not book.says("double.free", "never"),
        double_paid_instead=book.flag("double.paid_instead"),
        hard_aces=book.flag("double.hard_aces"),
        rescue=book.flag("double.withdrawn"),
        split_allowed=book.flag("split.allowed"),
        split_free=not book.says("split.free", "never"),
        split_paid_instead=book.flag("split.paid_instead"),
        split_hands=book["split.hands"].value,
        aces_resplit=book.flag("split.aces_again") and not book.flag("split.aces_once"),
        declined_ends=book.flag("split.declined_ends"),
        dealers_blackjack_takes="original"
        if book.says("double.dealers_blackjack", "original-only")
        else "whole",
        must_draw_hard=hard,
        must_draw_soft=soft,
        forced_by_sign=forced == "on-sign" and forced_draw,
        most_cards=book["draw.most_cards"].value,
        twenty_one_at_once=book.flag("settle.at_once_21"),
        five_and_under=book.flag("settle.five_and_under"),
        stands_off_22_at_once=False,
        surrender=book["surrender.kind"].value,
        surrender_against=_words(book, "surrender.against"),
        dealer_draws_soft_17=book.says("dealer.soft_17", "draw"),
        dealer_peeks=book.flag("dealer.peeks"),
        dealer_22_stands_off=book.says("settle.dealer_22", "stand-off"),
        on_dealer_bust=RESULTS[book["settle.dealer_bust"].value],
        on_higher=RESULTS[book["settle.higher"].value],
        on_lower=RESULTS[book["settle.lower"].value],
        on_equal=RESULTS[book["settle.equal"].value],
        on_both_blackjack=RESULTS[book["settle.both_blackjack"].value],
        on_21_against_blackjack=RESULTS[book["settle.dealers_blackjack_on_21"].value],
        on_dealers_blackjack=RESULTS[book["settle.dealers_blackjack"].value],
        bonus=_bonus(book),
        super_bonus=_super_bonus(book, wager),
        ante=_ante(book) if ante is None else ante,
    )


class Switch(NamedTuple):
    """A reading that changes the money, and its changes of the record if it is not taken."""

    reading: str
    otherwise: str
    change: Mapping[str, Any]
    part: str = ""

    @property
    def name(self) -> str:
        """Return the name of the reading, and of its switched part if it has several."""
        return f"{self.reading}/{self.part}" if self.part else self.reading


_SWITCHES = (
    Switch(
        "busted-before-dealers-blackjack",
        "the dealer's Blackjack takes one original wager in addition to busted ones",
        {"dealers_blackjack_takes": "busted-plus-one"},
    ),
    Switch(
        "crown-21-against-blackjack",
        "the dealer's Blackjack beats 21",
        {"on_21_against_blackjack": -1},
    ),
    Switch(
        "plus-wins-at-once",
        "21 and Five and Under stand off against a dealer's 22",
        {"stands_off_22_at_once": True},
    ),
    Switch(
        "singapore-surrender",
        "the dealer's Blackjack takes an entire surrendered wager",
        {"surrender": "before-turns"},
    ),
    Switch(
        "british-dealers-blackjack",
        "the dealer's Blackjack takes no more than the original wager",
        {"dealers_blackjack_takes": "original"},
        "takes",
    ),
    Switch(
        "british-dealers-blackjack",
        "21 stands off against the dealer's Blackjack",
        {"on_21_against_blackjack": 0},
        "21",
    ),
    Switch("british-splits", "aces are split again like other pairs", {"aces_resplit": True}),
    Switch(
        "select-12-and-soft-17",
        "a hand must draw at 12 and at soft 17 too",
        {"must_draw_hard": 13, "must_draw_soft": 18},
    ),
)
# If the book has no entry that cites the reading, these rules of the record show that it applies.
_CITED_IN_CODE = {"busted-before-dealers-blackjack": ("dealers_blackjack_takes", "original")}


def switches(book: Rulebook, rules: MoneyRules) -> list[Switch]:
    """Return the readings of this game that change the money, each with its other way."""
    cited = {rule for entry in book.entries.values() for rule in entry.rules}
    found = []
    for switch in _SWITCHES:
        shown = _CITED_IN_CODE.get(switch.reading)
        at_work = shown is not None and getattr(rules, shown[0]) == shown[1]
        if reading(switch.reading) in cited or (at_work and rules.split_allowed):
            found.append(switch)
    return found


def switched(rules: MoneyRules, switch: Switch) -> MoneyRules:
    """Return the same game with the other reading of one rule."""
    return replace(rules, **switch.change)


def _number(book: Rulebook, key: str) -> int:
    entry = book.get(key)
    return entry.value if entry is not None else 0


def _soft(book: Rulebook) -> int:
    return _number(book, "draw.forced_soft")


def _words(book: Rulebook, key: str) -> str:
    entry = book.get(key)
    return entry.value if entry is not None else ""


def _even_money(book: Rulebook, odds: Fraction) -> bool:
    offered = book["even_money.offered"].value
    return bool(offered == "yes" or (offered == "at-3:2" and odds == Fraction(3, 2)))


def _bonus(book: Rulebook) -> tuple[tuple[str, Fraction], ...]:
    """Return the payment of a 21 by its cards, if it is paid immediately: otherwise it is an
    ordinary hand."""
    if not book.flag("settle.at_once_21"):
        return ()
    return tuple(
        (key.removeprefix("bonus."), entry.odds)
        for key, entry in sorted(book.entries.items())
        if key.startswith("bonus.")
    )


def _super_bonus(book: Rulebook, wager: Fraction) -> Fraction:
    if book.get("super_bonus.prize") is None or not book.flag("settle.at_once_21"):
        return Fraction(0)
    if wager < book["super_bonus.least_wager"].value:
        return Fraction(0)
    large = wager >= book["super_bonus.large_wager"].value
    prize = book["super_bonus.large_prize" if large else "super_bonus.prize"].value
    return Fraction(prize) / wager


def _ante(book: Rulebook) -> Fraction:
    share = book.get("ante.share")
    return share.odds if book.flag("ante.placed") and share is not None else Fraction(0)
