"""Irregularity x stage x rulebook: each cell is the engine's answer.

For each cell, a round is played up to the stage and the irregularity is reported. This module
contains no rule. It only has the texts for irregularities that are impossible at a stage.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from cutcard.cards import parse_cards
from cutcard.engine.events import Act, Deal, Event, Irregularity, Press, Settled
from cutcard.engine.irregularities.stage import Stage
from cutcard.engine.refusal import BadValueError, RefusedError
from cutcard.engine.round import start, step
from cutcard.engine.state import DEALER, Placed, Round, Table
from cutcard.rulebooks.book import RULEBOOKS, Rules, open_rulebook

STAGES = tuple(Stage)
CARDS_DEALT = (
    Stage.INITIAL_DEAL,
    Stage.AFTER_INTERIM,
    Stage.PLAYERS_TURN,
    Stage.DEALERS_HAND,
    Stage.SETTLED,
)
DECIDING = (Stage.AFTER_INTERIM, Stage.PLAYERS_TURN)
ORDER = ("1", "2", DEALER, "1", "2")


@dataclass(frozen=True)
class MatrixRow:
    """One irregularity of the matrix: how it is reported, and the round that it needs.

    `stages` are the stages at which it can be noticed, `otherwise` is the reason for the others.
    `bet` requires a side wager with a button or a meter; otherwise box 1 has a wager on a pair
    (`pair`), which the interim settlement takes.
    """

    name: str
    irregularity: Irregularity
    shuffler: str = "continuous"
    stages: Sequence[Stage] = STAGES
    otherwise: str = ""
    order: tuple[str, ...] = ORDER
    bet: str = ""
    pair: bool = True
    pressed: bool = False
    dealer_complete: bool = False


@dataclass(frozen=True)
class Cell:
    """The engine's answer: a decision by the rules, a person's choice, or the reason against it."""

    irregularity: str
    stage: Stage
    rulebook: str
    kind: str
    text: str
    rules: Rules = ()
    options: tuple[dict[str, Any], ...] = ()
    default: str | None = None
    orders: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the cell for JSON, as `cutcard rulings --json` prints it."""
        return {
            "irregularity": self.irregularity,
            "fault": self.irregularity,  # the key before version 0.2
            "stage": self.stage.value,
            "rulebook": self.rulebook,
            "kind": self.kind,
            "text": self.text,
            "rules": list(self.rules),
            "options": list(self.options),
            "default": self.default,
            "device": list(self.orders),
        }


_NO_CARD = "no card has been dealt yet"
_NO_DECISION = "no decision is due yet, or all have been made"
_ONE = tuple(parse_cards("5s"))
_TWO = tuple(parse_cards("5s 9h"))
ITS_BET = "the side wager of the rulebook for it"

ROWS: tuple[MatrixRow, ...] = (
    MatrixRow(
        "malfunction, continuous shuffler",
        Irregularity("malfunction", device="shuffler", hands=("1",)),
    ),
    MatrixRow(
        "malfunction, shoe",
        Irregularity("malfunction", device="shoe", hands=("1",)),
        shuffler="shoe",
    ),
    MatrixRow("simultaneous-draw, none disclosed", Irregularity("simultaneous-draw", cards=_TWO)),
    MatrixRow(
        "simultaneous-draw, one disclosed",
        Irregularity("simultaneous-draw", cards=_TWO, disclosed=(1,)),
    ),
    MatrixRow(
        "simultaneous-draw, both disclosed",
        Irregularity("simultaneous-draw", cards=_TWO, disclosed=(1, 2)),
    ),
    MatrixRow(
        "simultaneous-draw, from a shoe",
        Irregularity("simultaneous-draw", cards=_TWO),
        shuffler="shoe",
    ),
    MatrixRow("face-up", Irregularity("face-up", cards=_ONE)),
    MatrixRow("drawn-in-error, not seen", Irregularity("drawn-in-error", cards=_ONE)),
    MatrixRow("drawn-in-error, exposed", Irregularity("drawn-in-error", cards=_ONE, exposed=True)),
    MatrixRow(
        "drawn-in-error, on the dealer's completed hand",
        Irregularity("drawn-in-error", cards=_ONE, exposed=True, to=DEALER),
        stages=(Stage.DEALERS_HAND,),
        otherwise="the dealer's hand is not complete, or is settled",
        dealer_complete=True,
    ),
    MatrixRow("wrong-cards", Irregularity("wrong-cards", found="extra")),
    MatrixRow("wrong-cards, unshuffled", Irregularity("wrong-cards", found="unshuffled")),
    MatrixRow(
        "misdeal", Irregularity("misdeal", boxes=(1, 2)), stages=CARDS_DEALT, otherwise=_NO_CARD
    ),
    MatrixRow(
        "box-missed",
        Irregularity("box-missed", box=2),
        stages=CARDS_DEALT,
        otherwise=_NO_CARD,
        order=("1", DEALER, "1"),
    ),
    MatrixRow(
        "one-card",
        Irregularity("one-card", box=2),
        stages=CARDS_DEALT,
        otherwise=_NO_CARD,
        order=("1", "2", DEALER, "1"),
    ),
    MatrixRow(
        "no-wager",
        Irregularity("no-wager", box=3),
        stages=CARDS_DEALT,
        otherwise=_NO_CARD,
        order=("1", "2", "3", DEALER, "1", "2", "3"),
    ),
    MatrixRow(
        "dealer-missed",
        Irregularity("dealer-missed"),
        stages=CARDS_DEALT,
        otherwise=_NO_CARD,
        order=("1", "2", "1", "2"),
    ),
    MatrixRow(
        "not-offered, a card; one hand since",
        Irregularity("not-offered", box=1, option="draw", cards=_ONE, boxes=(2,)),
        stages=(*DECIDING, Stage.SETTLED),
        otherwise=_NO_DECISION,
    ),
    MatrixRow(
        "not-offered, insurance",
        Irregularity("not-offered", box=1, option="insurance"),
        stages=(*DECIDING, Stage.DEALERS_HAND, Stage.SETTLED),
        otherwise="insurance is offered when the initial deal is complete",
    ),
    MatrixRow("absent", Irregularity("absent", box=1), stages=DECIDING, otherwise=_NO_DECISION),
    MatrixRow(
        "wager-not-entered", Irregularity("wager-not-entered", bet=ITS_BET, box=1), bet="meter"
    ),
    MatrixRow(
        "jackpot-failure, button", Irregularity("jackpot-failure", bet=ITS_BET), bet="button"
    ),
    MatrixRow("jackpot-failure, meter", Irregularity("jackpot-failure", bet=ITS_BET), bet="meter"),
    MatrixRow(
        "meter-mismatch",
        Irregularity("meter-mismatch", bet=ITS_BET, meter=50, panel=100),
        stages=(Stage.PLAYERS_TURN, Stage.DEALERS_HAND, Stage.SETTLED),
        otherwise="the button has not been pressed",
        bet="button",
        pressed=True,
    ),
    MatrixRow(
        "button-misfire, while offered",
        Irregularity("button-misfire", bet=ITS_BET, box=1, player="A", prize=50, offered=True),
        stages=(Stage.AFTER_INTERIM, Stage.PLAYERS_TURN, Stage.DEALERS_HAND),
        otherwise="the button is offered after the initial deal, before the settlement",
        bet="button",
    ),
    MatrixRow(
        "button-misfire, otherwise",
        Irregularity("button-misfire", bet=ITS_BET, box=1, player="A", prize=50, offered=False),
        bet="button",
    ),
    MatrixRow("power-failure, no outcome yet", Irregularity("power-failure"), pair=False),
    MatrixRow("power-failure, with a pair wager", Irregularity("power-failure")),
    MatrixRow("disruption", Irregularity("disruption", cause="fire")),
    MatrixRow("fraud", Irregularity("fraud", players=("B",))),
    MatrixRow("suspect-shuffle", Irregularity("suspect-shuffle"), shuffler="shoe"),
    MatrixRow("exposed-cards", Irregularity("exposed-cards"), shuffler="shoe"),
    MatrixRow("no-burn", Irregularity("no-burn"), shuffler="shoe"),
    MatrixRow("no-cut-card", Irregularity("no-cut-card"), shuffler="shoe"),
    MatrixRow(
        "cut-card",
        Irregularity("cut-card"),
        shuffler="shoe",
        stages=STAGES[:-1],
        otherwise="no card is drawn when the round is settled",
    ),
    MatrixRow("cut-card-missed", Irregularity("cut-card-missed"), shuffler="shoe"),
    MatrixRow("damaged-card", Irregularity("damaged-card"), shuffler="shoe"),
    MatrixRow(
        "shoe-empty",
        Irregularity("shoe-empty"),
        shuffler="shoe",
        stages=STAGES[:-1],
        otherwise="no card is drawn when the round is settled",
    ),
)
_BY_NAME = {row.name: row for row in ROWS}
# The names that `matrix` accepts: kinds of irregularities, then rows of one kind.
IRREGULARITIES = tuple(
    dict.fromkeys((*(str(row.irregularity.kind) for row in ROWS), *(row.name for row in ROWS)))
)


@dataclass
class Equipment:
    """The side wager of a rulebook for a row, and the table that it needs."""

    bet: str
    variant: str = ""
    choice: str = ""
    meters: dict[str, int] = field(default_factory=dict)


_BUTTONS = {
    "nz-division-2": Equipment("madness-21"),
    "crown-melbourne-26": Equipment("pontoon-pandemonium", "crown-pontoon", "4"),
}
_PAIRS = {
    "nz-division-2": Equipment("perfect-pair", choice="1"),
    "crown-melbourne-26": Equipment("perfect-pairs", choice="a"),
    "mbs-free-bet-3": Equipment("pair"),
    "uk-blackjack": Equipment("perfect-pairs"),
}
_METERS = {
    "crown-melbourne-26": Equipment("blackjack-jackpots", meters={"blackjack-jackpots": 2_000_000}),
}


def matrix(
    rulebooks: Sequence[str] = RULEBOOKS,
    irregularities: Sequence[str] = (),
    stages: Sequence[Stage] = STAGES,
) -> Iterator[Cell]:
    """Yield a cell for each irregularity, stage and rulebook, row by row.

    `irregularities` are names of rows or of kinds of irregularities (`IRREGULARITIES`); without
    any, all rows are played. Raises BadValueError for an unknown name, with the valid ones.
    """
    _check("irregularity", irregularities, IRREGULARITIES)
    _check("stage", stages, STAGES)
    _check("rulebook", rulebooks, RULEBOOKS)
    return _cells(rulebooks, irregularities, stages)


def _check(what: str, given: Sequence[object], known: Sequence[object]) -> None:
    for name in given:
        if name not in known:
            names = ", ".join(repr(getattr(each, "value", each)) for each in known)
            raise BadValueError(f"there is no {what} {name!r}; use {names}")


def _cells(
    rulebooks: Sequence[str], irregularities: Sequence[str], stages: Sequence[Stage]
) -> Iterator[Cell]:
    for row in ROWS:
        if irregularities and not any(
            row.name == name or row.irregularity.kind == name for name in irregularities
        ):
            continue
        for stage in stages:
            for rulebook in rulebooks:
                yield cell(row.name, stage, rulebook)


@cache
def cell(row_name: str, stage: Stage, rulebook: str) -> Cell:
    """Play up to the stage, report the irregularity, and return the answer."""
    row = _BY_NAME[row_name]
    equipment = _equipment(row, rulebook)
    if row.bet and equipment is None:
        why = f"no side wager of this rulebook has a {row.bet}"
        return Cell(row.name, stage, rulebook, "cannot", why)
    if stage not in row.stages:
        return Cell(row.name, stage, rulebook, "cannot", row.otherwise)
    before = _played_into(row, stage, rulebook, equipment or _pair(row, rulebook))
    irregularity = _named(row.irregularity, equipment)
    try:
        after = step(before, irregularity)
    except RefusedError as refused:
        return Cell(row.name, stage, rulebook, "cannot", refused.why, rules=refused.rules)
    return _answer(row, stage, rulebook, before, after)


def _answer(row: MatrixRow, stage: Stage, rulebook: str, before: Round, after: Round) -> Cell:
    recorded = f"{row.irregularity.kind.capitalize()}."
    said = [note.text for note in after.story[len(before.story) :] if note.text != recorded]
    orders = tuple(f"{order.what} ({order.when})" for order in after.orders[len(before.orders) :])
    effects = " ".join(text for text in said if not text.startswith("To do "))
    opened = after.choices[len(before.choices) :]
    options: list[dict[str, Any]] = [
        {
            "ruling": option.ruling,
            "by": option.by,
            "rules": list(option.rules),
            "required": choice.required,
        }
        for choice in opened
        for option in choice.options
    ]
    default = next((choice.default for choice in opened if choice.default is not None), None)
    ruled = [rule for entry in after.rulings[len(before.rulings) :] for rule in entry.rules]
    rules = (*ruled, *(rule for choice in opened for rule in choice.rules))
    return Cell(
        row.name,
        stage,
        rulebook,
        "choice" if any(c.required for c in opened) or (opened and not ruled) else "ruling",
        effects,
        rules=tuple(dict.fromkeys(rules)),
        options=tuple(options),
        default=default,
        orders=orders,
    )


def _named(irregularity: Irregularity, equipment: Equipment | None) -> Irregularity:
    """Return the irregularity with the bet of this table."""
    return replace(irregularity, bet=equipment.bet) if equipment is not None else irregularity


def _pair(row: MatrixRow, rulebook: str) -> Equipment | None:
    return _PAIRS[rulebook] if row.pair else None


def _equipment(row: MatrixRow, rulebook: str) -> Equipment | None:
    return {"button": _BUTTONS, "meter": _METERS}.get(row.bet, {}).get(rulebook)


# ---- rounds ---------------------------------------------------------------------------------

# Box 1 has 14 (or Blackjack if a button is needed), box 2 has 16, the dealer shows a six, or an ace
# for insurance.
_HANDS = {"1": "Kh 4c", "2": "9c 7d", "3": "8s 3d", DEALER: "6d"}


def _played_into(row: MatrixRow, stage: Stage, rulebook: str, equipment: Equipment | None) -> Round:
    round = start(_table(row, rulebook, equipment), _placed(equipment), row.order)
    for event in _events(row, stage, equipment):
        round = step(round, event)
    return round


def _table(row: MatrixRow, rulebook: str, equipment: Equipment | None) -> Table:
    variants = (equipment.variant,) if equipment is not None and equipment.variant else ()
    return Table(
        open_rulebook(rulebook, variants),
        decks=6,
        shuffler=row.shuffler,
        offers={equipment.bet: equipment.choice} if equipment is not None else {},
        meters=equipment.meters if equipment is not None else {},
        shoe_round=1,
    )


def _placed(equipment: Equipment | None) -> list[Placed]:
    mains = [Placed(1, "A", "main", 2000), Placed(2, "B", "main", 2000)]
    side = [Placed(1, "A", equipment.bet, 100)] if equipment is not None else []
    return mains + side


def _events(row: MatrixRow, stage: Stage, equipment: Equipment | None) -> Iterator[Event]:
    if stage is Stage.BEFORE_FIRST_CARD:
        return
    yield from _initial_deal(row)
    if stage is Stage.INITIAL_DEAL:
        return
    yield Settled("interim")
    if stage is Stage.AFTER_INTERIM:
        return
    if row.pressed and equipment is not None:
        yield Press(equipment.bet, 1, "A", 50)
    yield from _turns(row, stage)
    if stage in (Stage.DEALERS_HAND, Stage.SETTLED):
        yield from _dealer(row, stage)
    if stage is Stage.SETTLED:
        if row.bet == "button" and not row.pressed and equipment is not None:
            yield Press(equipment.bet, 1, "A", 50)
        yield Settled("round")


def _initial_deal(row: MatrixRow) -> Iterator[Event]:
    hands = {place: parse_cards(cards) for place, cards in _HANDS.items()}
    if row.bet == "button":
        hands["1"] = parse_cards("As Kd")
    if row.irregularity.option == "insurance":
        hands[DEALER] = parse_cards("Ad")
    for place in row.order:
        yield Deal(hands[place].pop(0))


def _turns(row: MatrixRow, stage: Stage) -> Iterator[Event]:
    """Yield the turns: box 1 draws a two and, at the stage of a player's turn, asks for a card."""
    in_turn = stage is Stage.PLAYERS_TURN
    asks = in_turn and row.irregularity.kind not in ("not-offered", "absent")
    if row.bet != "button":
        yield Act("hit")
        yield Deal(parse_cards("2c")[0])
        if asks:
            yield Act("hit")
        elif not in_turn:
            yield Act("stand")
    elif in_turn:
        yield Act("hit")
    if not in_turn and row.irregularity.kind not in ("box-missed", "one-card"):
        yield Act("stand")


def _dealer(row: MatrixRow, stage: Stage) -> Iterator[Event]:
    if stage is Stage.SETTLED or row.dealer_complete:
        cards = "Ks 3h" if row.irregularity.option != "insurance" else "7s"
        if row.irregularity.kind == "dealer-missed":
            cards = "6d " + cards
        for card in parse_cards(cards):
            yield Deal(card)
