"""The side wagers of a rulebook, read from its data: their payments and permitted places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any, Literal, get_args

from cutcard.rulebooks.readings import reading
from cutcard.rulebooks.side_wagers.pay_table import PayTable, Rules, parse_odds
from cutcard.rulebooks.side_wagers.prize_table import PrizeTable
from cutcard.rulebooks.text import MalformedRulebookError, Mistake, parse
from cutcard.untrusted import nearest, shown

Settles = Literal["initial-deal", "third-card", "dealer-hand", "tokens", "blackpot"]
Where = Literal["own-main", "controller", "box-main", "any-main"]
Claims = Literal["nearest", "own-area-first"]
CONTEST = get_args(Claims)
OF_A_COLUMN = ("choice", "decks", "pack", "odds", "draws", "rule")


class NotInTheRulebookError(LookupError):
    """Raised if a side wager, or a column of its pay table, is not in the rulebook.

    `rule` is the rule that lists the valid ones.
    """

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(f"{message} (rule {rule})" if rule else message)
        self.rule = rule


@dataclass(frozen=True, slots=True)
class PayColumn:
    """One column of a pay table: the choice on the sign, and its number of decks and cards.

    `prizes` is empty except for wagers that are won by pressing a button.
    """

    choice: str
    decks: tuple[int, ...] | None
    pack: int | None
    odds: Mapping[str, Fraction]
    prizes: PrizeTable

    def fits(self, choice: str, decks: int, pack: int) -> bool:
        return (
            self.choice == choice
            and (self.decks is None or decks in self.decks)
            and (self.pack is None or pack == self.pack)
        )


@dataclass(frozen=True, slots=True)
class Placement:
    """The boxes on which an owner may place a wager, and the maximum number on a box.

    `once_rule` is the rule that allows one wager for each main wager, `before_rule` the rule that
    it must be placed before the first card. `claims` is the order of players that contest a place,
    with its rules.
    """

    where: Where
    rule: str
    controller_rule: str = ""
    most: int | None = None
    most_rule: str = ""
    once_rule: str = ""
    before_rule: str = ""
    claims: Claims | None = None
    claims_rules: Rules = ()


@dataclass(frozen=True, slots=True)
class MeterShare:
    """A prize that is a share of a meter."""

    meter: str
    share: Fraction


@dataclass(frozen=True, slots=True)
class SideWager:
    """The data of one side wager."""

    bet: str
    title: str
    section: str
    settles: Settles
    pay_rule: str
    decks_rule: str
    choice_rule: str
    columns: tuple[PayColumn, ...]
    wins: Mapping[str, Rules]
    loses: Rules
    placed: Placement
    not_with: tuple[frozenset[str], str] | None = None
    only_with: tuple[frozenset[str], str] | None = None
    variants: tuple[frozenset[str], str] | None = None
    named: tuple[frozenset[str], str] | None = None
    pair_reading: str = ""
    riding: Mapping[str, Rules] = field(default_factory=dict)
    failure: Mapping[str, Any] = field(default_factory=dict)
    meter_share: Mapping[str, MeterShare] = field(default_factory=dict)
    meter_rules: Mapping[str, Rules] = field(default_factory=dict)
    rounded_to: int | None = None
    pit_rule: str = ""
    shared: Rules = ()
    reset: Rules = ()
    drawn_for: Rules = ()
    without_main: Rules = ()
    void_with_hand: Rules = ()
    carried: Mapping[str, Rules] = field(default_factory=dict)
    beside_stand_off: Rules = ()
    beside_dealers: Rules = ()
    printed_edge: Mapping[int, str] = field(default_factory=dict)

    def column(self, choice: str, decks: int, pack: int = 52) -> PayColumn:
        """Return the column in use at a table. Raises NotInTheRulebookError without one."""
        for column in self.columns:
            if column.fits(choice, decks, pack):
                return column
        choices = sorted({column.choice for column in self.columns})
        known = choice in choices
        raise NotInTheRulebookError(
            self.decks_rule if known else self.pay_rule,
            f"{self.title} has no pay table {choice!r} for {decks} decks of {pack} cards; "
            f"its choices are {', '.join(repr(c) for c in choices)}",
        )

    def rules_in(self, variants: Sequence[str]) -> Rules:
        """Return the rules that allow it in a game that the rulebook does not name for it."""
        if self.named is None or not self.named[0].isdisjoint(variants):
            return ()
        return (self.named[1],)

    def pay_table(self, choice: str, decks: int, pack: int = 52) -> PayTable:
        """Return the evaluators' pay table. Raises NotInTheRulebookError as `column` does."""
        odds = self.column(choice, decks, pack).odds
        return PayTable(odds, self.wins, self.loses, self.without_main)


@cache
def side_wagers(rulebook: str) -> Mapping[str, SideWager]:
    """Return all side wagers of a rulebook by the name of the bet."""
    folder = resources.files("cutcard.rulebooks") / "side_wagers"
    text = (folder / f"{rulebook}.toml").read_text("utf-8")
    return read_side_wagers(rulebook, parse(f"side_wagers/{rulebook}.toml", text))


def read_side_wagers(rulebook: str, data: Mapping[str, Any]) -> Mapping[str, SideWager]:
    """Read all side wagers of a file. Raises MalformedRulebookError, which names each bad bet."""
    found = {}
    mistakes: list[Mistake] = []
    for bet, entry in data.items():
        file = f"side_wagers/{rulebook}.toml"
        try:
            found[bet] = _side_wager(bet, entry)
            mistakes += _not_allowed(file, bet, entry)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            mistakes.append(Mistake(file, bet, f"{type(error).__name__}: {error}"))
    if mistakes:
        raise MalformedRulebookError(*mistakes)
    return found


def _not_allowed(file: str, bet: str, entry: Mapping[str, Any]) -> Iterator[Mistake]:
    """Yield unknown keys and invalid words."""
    known = [each.name for each in fields(SideWager) if each.name != "bet"]
    for key in entry:
        if key not in known:
            yield Mistake(file, f"{bet}.{key}", "unknown key", nearest(key, known))
    for number, column in enumerate(entry["columns"]):
        for key in column:
            if key not in OF_A_COLUMN:
                where = f"{bet}.columns[{number}].{key}"
                yield Mistake(file, where, "unknown key", nearest(key, OF_A_COLUMN))
    for where, word, words in (
        ("settles", entry["settles"], get_args(Settles)),
        ("placed.where", entry["placed"]["where"], get_args(Where)),
        ("placed.claims", entry["placed"].get("claims", CONTEST[0]), CONTEST),
    ):
        if word not in words:
            why = f"is {shown(word)!r}; it must be one of {', '.join(words)}"
            yield Mistake(file, f"{bet}.{where}", why, nearest(word, words))


def _side_wager(bet: str, entry: Mapping[str, Any]) -> SideWager:
    wins = {hand: tuple(rules) for hand, rules in entry["wins"].items()}
    shares = {
        hand: MeterShare(meter["meter"], Fraction(meter["share"]))
        for hand, meter in entry.get("meter_share", {}).items()
    }
    columns = tuple(_column(entry["pay_rule"], column) for column in entry["columns"])
    for column in columns:
        priced = set(column.odds) | set(shares)
        if not column.prizes.chances and priced != set(wins):
            raise ValueError(
                f"{bet}, pay table {column.choice!r}: {sorted(priced ^ set(wins))} are only "
                "in `wins` or only in `odds`; they must be in both"
            )
    return SideWager(
        bet=bet,
        title=entry["title"],
        section=entry["section"],
        settles=entry["settles"],
        pay_rule=entry["pay_rule"],
        decks_rule=entry.get("decks_rule", entry["pay_rule"]),
        choice_rule=entry.get("choice_rule", ""),
        columns=columns,
        wins=wins,
        loses=tuple(entry["loses"]),
        placed=_placement(entry["placed"]),
        not_with=_company(entry.get("not_with"), "bets"),
        only_with=_company(entry.get("only_with"), "bets"),
        variants=_company(entry.get("variants"), "only"),
        named=_company(entry.get("named"), "games"),
        pair_reading=reading(entry["pair_reading"]) if "pair_reading" in entry else "",
        riding={name: tuple(rules) for name, rules in entry.get("riding", {}).items()},
        failure=entry.get("failure", {}),
        meter_share=shares,
        meter_rules={about: tuple(rules) for about, rules in entry.get("meter_rules", {}).items()},
        rounded_to=entry.get("rounded_to"),
        pit_rule=entry.get("pit_rule", ""),
        shared=tuple(entry.get("shared", ())),
        reset=tuple(entry.get("reset", ())),
        drawn_for=tuple(entry.get("drawn_for", ())),
        without_main=tuple(entry.get("without_main", ())),
        void_with_hand=tuple(entry.get("void_with_hand", ())),
        carried={when: tuple(rules) for when, rules in entry.get("carried", {}).items()},
        beside_stand_off=tuple(entry.get("beside_stand_off", ())),
        beside_dealers=tuple(entry.get("beside_dealers", ())),
        printed_edge={int(decks): edge for decks, edge in entry.get("printed_edge", {}).items()},
    )


def _placement(entry: Mapping[str, Any]) -> Placement:
    rules = tuple(entry.get("claims_rules", ()))
    return Placement(**{**entry, "claims_rules": rules})


def _column(pay_rule: str, column: Mapping[str, Any]) -> PayColumn:
    draws: Sequence[Mapping[str, int]] = column.get("draws", ())
    return PayColumn(
        choice=column["choice"],
        decks=tuple(column["decks"]) if "decks" in column else None,
        pack=column.get("pack"),
        odds={hand: parse_odds(odds) for hand, odds in column.get("odds", {}).items()},
        prizes=PrizeTable(
            tuple((draw["prize"], draw["count"]) for draw in draws), column.get("rule", pay_rule)
        ),
    )


def _company(entry: Mapping[str, Any] | None, key: str) -> tuple[frozenset[str], str] | None:
    if not entry:
        return None
    rule = reading(entry["reading"]) if "reading" in entry else entry["rule"]
    return frozenset(entry[key]), rule
