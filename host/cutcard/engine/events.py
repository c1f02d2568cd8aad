"""What can happen in a round. An irregularity and a ruling are events like any other."""

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
    """A card has left the device; `to` only where it in fact went somewhere else than it should.

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
LATE = "wager"  # the act of putting a wager down, or more on one, when the cards are out


@dataclass(frozen=True, slots=True)
class Act:
    """A player's decision. Box and player are those in turn where they are not named."""

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
    """The jackpot button, and the prize in dollars for each $1 that the controller chose."""

    bet: str
    box: int
    player: str | None
    prize: int


DEALERS_PLACE = 0  # among the boxes of an irregularity: the card went to the dealer


@dataclass(frozen=True, slots=True)
class Irregularity:
    """Something that should not have happened in a round.

    Which fields a kind has is in the vocabulary, where `card` stands for `cards` with a single one.
    Raises BadValueError for a kind that there is not, a field that its kind does not have, and one
    that it needs and is left out.
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
            raise BadValueError(f"{self.kind} is about one card, not {len(self.cards)}")
        for key in ("device", "found", "option"):
            word: str = getattr(self, key)
            if word and word not in words_of(self.kind, key):
                known = ", ".join(words_of(self.kind, key))
                raise BadValueError(f"{self.kind}: {key} is one of {known}, not {word!r}")


@dataclass(frozen=True, slots=True)
class Ruling:
    """A decision on an irregularity, by an official or by a player.

    Raises BadValueError for a kind that there is not, and for a field that its kind does not have.
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
    """The dealer has made the interim settlement, or that of the round (`"round"`)."""

    what: str

    def __post_init__(self) -> None:
        if self.what not in SETTLEMENTS:
            known = " or ".join(map(repr, SETTLEMENTS))
            raise BadValueError(f"Settled: {self.what!r} is not {known}")


@dataclass(frozen=True, slots=True)
class Metered:
    """What a prize meter records at the time for settlement, in cents, rounded up."""

    meter: str
    cents: int


def check_cents(amount: object, what: str) -> None:
    """Raise BadValueError for an amount that is not a whole number of cents above zero."""
    if type(amount) is not int or amount < 1:
        raise BadValueError(f"{what} {amount!r} is not a whole number of cents, 1 or more")


Event = Deal | Act | Press | Irregularity | Ruling | Settled | Metered


def _known(kind: str, vocabulary: Mapping[Any, KeysOfKind], what: str) -> KeysOfKind:
    if kind not in vocabulary:
        raise BadValueError(f"there is no {what} {kind!r}; there are {', '.join(vocabulary)}")
    return vocabulary[kind]


def _check_fields(
    event: Irregularity | Ruling, says: KeysOfKind, *, card: str, always: tuple[str, ...] = ()
) -> None:
    """What this kind needs is there, and nothing that it does not have.

    `card` is the field that stands for the key of that name.
    """
    has = {card if key == "card" else key: key in says.needs for key in says.keys}
    for field in fields(event):
        given = getattr(event, field.name) != field.default
        if given and field.name not in ("kind", *always, *has):
            fitting = ", ".join((*always, *has)) or "nothing"
            raise BadValueError(f"{event.kind} has no {field.name}; it says {fitting}")
        if has.get(field.name) and not given:
            raise BadValueError(f"{event.kind} needs {field.name}")
