"""What can happen in a round. A fault and a ruling are events like any other."""

from __future__ import annotations

from dataclasses import dataclass

from cutcard.cards import Card


@dataclass(frozen=True, slots=True)
class Deal:
    """A card has left the device; `to` only where it in fact went somewhere else than it should.

    A place is a box ("2"), a hand of a split box ("2.1") or "dealer".
    """

    card: Card
    to: str | None = None


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


@dataclass(frozen=True, slots=True)
class Press:
    """The jackpot button, and the prize in dollars for each $1 that the controller chose."""

    bet: str
    box: int
    player: str | None
    prize: int


DEALERS_PLACE = 0  # among the boxes of a fault: the card went to the dealer


@dataclass(frozen=True, slots=True)
class Fault:
    """Something went wrong; each kind uses the keys that it needs."""

    kind: str
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


@dataclass(frozen=True, slots=True)
class Ruling:
    """A decision on a fault, by an official or by a player."""

    kind: str
    by: str | None = None
    hands: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    chosen: tuple[int, ...] = ()
    player: str | None = None
    box: int | None = None
    bet: str | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """The dealer has made the interim settlement, or that of the round (`"round"`)."""

    what: str


@dataclass(frozen=True, slots=True)
class Metered:
    """What a prize meter records at the time for settlement, in cents, rounded up."""

    meter: str
    cents: int


Event = Deal | Act | Press | Fault | Ruling | Settled | Metered
