"""The events of a round. Irregularities and rulings are events too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from cutcard.cards import Card
from cutcard.engine.refusal import BadValueError
from cutcard.rulebooks.vocabulary import (
    IRREGULARITIES,
    RULINGS,
    IrregularityKind,
    KeysOfKind,
    RulingKind,
    words_of,
)


@dataclass(frozen=True, slots=True)
class Deal:
    """A card has left the device. `to` is set only if it went to another place than the one due.

    A place is a box ("2"), a hand of a split box ("2.1") or "dealer".
    """

    card: Card
    to: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.card, Card):
            raise BadValueError(f"Deal: {self.card!r} is not a Card; write Card.parse('Th')")


SETTLEMENTS = ("interim", "round")
ACTS = (
    *("hit", "stand", "double", "split", "designate", "surrender"),
    *("insure", "even-money", "keep-riding", "withdraw-double", "wager"),
)
LATE = "wager"  # the act of placing or increasing a wager after the first card


@dataclass(frozen=True, slots=True)
class Act:
    """A player's decision. Without a box or player, it applies to the box or player in turn."""

    kind: str
    box: int | None = None
    player: str | None = None
    amount: int | None = None
    free: bool = True
    bet: str | None = None
    hand: int | None = None
    for_player: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in ACTS:
            raise BadValueError(f"Act: there is no kind {self.kind!r}; use {', '.join(ACTS)}")
        if self.amount is not None:
            check_cents(self.amount, "Act: amount")


@dataclass(frozen=True, slots=True)
class Press:
    """A press of the jackpot button, and the drawn prize in dollars for each $1."""

    bet: str
    box: int
    player: str | None
    prize: int


DEALERS_PLACE = 0  # as a box of an irregularity: the card went to the dealer


@dataclass(frozen=True, slots=True)
class Irregularity:
    """An event in a round that should not have happened.

    The vocabulary lists the fields of each kind; its key `card` is the field `cards` with a single
    card. Raises BadValueError for an unknown kind, a field that the kind does not have, and a
    missing required field.
    """

    kind: IrregularityKind
    device: str = ""
    hands: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    disclosed: tuple[int, ...] = ()
    exposed: bool = False
    to: str | None = None
    found: str = ""
    boxes: tuple[int, ...] = ()
    box: int | None = None
    option: str = ""
    bet: str = ""
    player: str | None = None
    players: tuple[str, ...] = ()
    cause: str = ""
    meter: int = 0
    panel: int = 0
    prize: int = 0
    offered: bool = False

    def __post_init__(self) -> None:
        says = _known(self.kind, IRREGULARITIES, "irregularity")
        _check_fields(self, says, card="cards")
        if "card" in says.keys and len(self.cards) > 1:
            raise BadValueError(f"{self.kind} takes one card, not {len(self.cards)}")
        for key in ("device", "found", "option"):
            word: str = getattr(self, key)
            if word and word not in words_of(self.kind, key):
                known = ", ".join(words_of(self.kind, key))
                raise BadValueError(f"{self.kind}: invalid {key} {word!r}; use one of {known}")


@dataclass(frozen=True, slots=True)
class Ruling:
    """A decision on an irregularity, by an official or by a player.

    Raises BadValueError for an unknown kind, and for a field that the kind does not have.
    """

    kind: RulingKind
    by: str | None = None
    hands: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    dealer: tuple[Card, ...] = ()
    chosen: tuple[int, ...] = ()
    player: str | None = None
    box: int | None = None
    bet: str | None = None

    def __post_init__(self) -> None:
        says = _known(self.kind, RULINGS, "ruling")
        _check_fields(self, says, card="chosen", always=("by",))


@dataclass(frozen=True, slots=True)
class Settled:
    """The dealer has made the interim settlement (`"interim"`) or the final one (`"round"`)."""

    what: str

    def __post_init__(self) -> None:
        if self.what not in SETTLEMENTS:
            known = " or ".join(map(repr, SETTLEMENTS))
            raise BadValueError(f"Settled: {self.what!r} is not {known}")


@dataclass(frozen=True, slots=True)
class Metered:
    """The amount on a prize meter at the time of settlement, in cents, rounded up."""

    meter: str
    cents: int


def check_cents(amount: object, what: str) -> None:
    """Raise BadValueError for an amount that is not a whole number of cents above zero."""
    if type(amount) is not int or amount < 1:
        raise BadValueError(f"{what} {amount!r} is not a whole number of cents, 1 or more")


Event = Deal | Act | Press | Irregularity | Ruling | Settled | Metered


def _known(kind: str, vocabulary: Mapping[Any, KeysOfKind], what: str) -> KeysOfKind:
    if kind not in vocabulary:
        raise BadValueError(f"unknown {what} {kind!r}; use one of {', '.join(vocabulary)}")
    return vocabulary[kind]


def _check_fields(
    event: Irregularity | Ruling, says: KeysOfKind, *, card: str, always: tuple[str, ...] = ()
) -> None:
    """Raise ValueError if a required field is missing, or if the kind does not have a given field.

    `card` is the name of the field for the key `card`.
    """
    has = {card if key == "card" else key: key in says.needs for key in says.keys}
    for field in fields(event):
        given = getattr(event, field.name) != field.default
        if given and field.name not in ("kind", *always, *has):
            fitting = ", ".join((*always, *has)) or "no fields"
            raise BadValueError(f"{event.kind} has no field {field.name}; it has {fitting}")
        if has.get(field.name) and not given:
            raise BadValueError(f"{event.kind} needs {field.name}")
