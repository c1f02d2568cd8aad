"""The one table from what a device reports to what a rulebook knows.

A device says what its sensors saw. A rulebook speaks of malfunctions, of cards drawn together,
of wrong cards. Which is which is written here once, for the live table, for the matrix of
rulings and for the documentation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from cutcard.cards import Card
from cutcard.engine.events import Fault
from cutcard.engine.state import DEALER, Phase, Round
from cutcard.engine.turn import next_card_goes_to


class Stage(Enum):
    """The moments of a round that rulebooks tell apart."""

    BEFORE_FIRST_CARD = "before the first card"
    INITIAL_DEAL = "initial deal"
    AFTER_INTERIM = "after the interim settlement"
    PLAYERS_TURN = "a player's turn"
    DEALERS_HAND = "the dealer's hand"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class Mapping:
    """`irregularity` is the rulebooks' word; `then` what the device must do before it deals."""

    irregularity: str
    then: str
    why: str


RECOVER, UNLOAD, NOTHING = "recover", "unload", "nothing"

_STOPPED = "the machine cannot deal: a malfunction"
DEVICE_FAULTS: dict[str, Mapping] = {
    "jam-on-entry": Mapping("malfunction", RECOVER, _STOPPED),
    "jam-on-exit": Mapping("malfunction", RECOVER, _STOPPED),
    "double-feed": Mapping("malfunction", RECOVER, _STOPPED),
    "bin-stuck": Mapping("malfunction", RECOVER, _STOPPED),
    "empty-bin": Mapping("malfunction", RECOVER, "a count is off until it is counted by hand"),
    "count-mismatch": Mapping(
        "malfunction", UNLOAD, "a malfunction until a physical count proves wrong cards"
    ),
    "extra-card": Mapping(
        "malfunction", RECOVER, "a malfunction until a physical count proves a card too many"
    ),
    "missing-card": Mapping(
        "malfunction", RECOVER, "a malfunction until a physical count proves a card too few"
    ),
    "unreadable-card": Mapping("malfunction", RECOVER, "nobody has seen yet what the card is"),
    "face-up-card": Mapping("face-up", RECOVER, "the next card lies face up in the shoe"),
    "simultaneous-draw": Mapping("simultaneous-draw", RECOVER, "cards left without a gap"),
    "cutting-card-missing": Mapping("no-cut-card", RECOVER, "its place has passed without it"),
    "door-open": Mapping("malfunction", RECOVER, _STOPPED),
    "motor-stall": Mapping("malfunction", RECOVER, _STOPPED),
    "sensor-stuck": Mapping("malfunction", RECOVER, _STOPPED),
    "random-source": Mapping(
        "malfunction", RECOVER, "no card may be chosen until the noise passes its tests anew"
    ),
    "state-lost": Mapping("malfunction", UNLOAD, "what is inside is not known: all comes out"),
    "power-lost": Mapping("power-failure", RECOVER, "the power failed while something moved"),
    "watchdog": Mapping("malfunction", RECOVER, "the device reset itself"),
}
# A card that left although nobody had called for one is no fault of the device.
UNCALLED_CARD = Mapping("drawn-in-error", NOTHING, "one card too many left the device")


def stage_of(round: Round | None) -> Stage:
    """Where a round is, in the words of the matrix."""
    if round is None or (round.phase is Phase.INITIAL_DEAL and not round.dealt):
        return Stage.BEFORE_FIRST_CARD
    if round.over:
        return Stage.SETTLED
    if round.phase in (Phase.INITIAL_DEAL, Phase.BEFORE_INTERIM):
        return Stage.INITIAL_DEAL
    if not round.subsequent_deal_begun and not any(box.decided for box in round.boxes.values()):
        return Stage.AFTER_INTERIM
    return Stage.DEALERS_HAND if next_card_goes_to(round) == DEALER else Stage.PLAYERS_TURN


def irregularity(
    fault: str, round: Round, device: str = "shuffler", cards: Sequence[Card] = ()
) -> Fault:
    """What the engine is told: the rulebooks' word, and the hand that was waiting for a card.

    `cards` are those that left together, or the one that lies face up.
    """
    known = DEVICE_FAULTS[fault]
    waiting = next_card_goes_to(round)
    if known.irregularity == "malfunction":
        return Fault("malfunction", device=device, hands=(waiting,) if waiting else ())
    return Fault(known.irregularity, cards=tuple(cards))
