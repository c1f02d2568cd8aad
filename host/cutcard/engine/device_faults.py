"""The irregularity that each fault of a device is for the round, and the device's way out of it.

A device reports what its sensors saw; a rulebook speaks of malfunctions, cards drawn together and
wrong cards. `cutcard/faults/faults.toml` has the irregularity of each fault. The live table and
its machine, the matrix of rulings and the documentation use it through this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from cutcard.cards import Card
from cutcard.engine.books.noticing import OF_THE_CARDS
from cutcard.engine.events import Irregularity
from cutcard.engine.irregularities.stage import Stage, stage_of
from cutcard.engine.state import Round
from cutcard.engine.turn import next_card_goes_to
from cutcard.faults import FAULTS, LOCK, RECOVER, RESUME, UNLOAD, Fault, fault_name, fault_of
from cutcard.rulebooks.vocabulary import IRREGULARITIES, IrregularityKind


@dataclass(frozen=True, slots=True)
class Mapping:
    """`irregularity` is the rulebooks' word; `then` what the device must do before it deals.

    `proven` is what it becomes when somebody has counted, or looked at, the cards: an irregularity
    and what was found. `restarted`: the device has started again by itself. `unreported`:
    the requested card may have left without an event.
    """

    irregularity: IrregularityKind
    then: str
    why: str
    proven: tuple[IrregularityKind, str] | None = None
    restarted: bool = False
    unreported: bool = False


# After `ATTEMPTS` recoveries without a verified count the table unloads the device, and locks one
# that cannot be unloaded. NOTHING: the device goes on by itself.
ATTEMPTS = 3
NOTHING = "nothing"
COUNT_MISMATCH, FACE_UP = "count-mismatch", "face-up-card"


def _known(fault: str, kind: str) -> IrregularityKind:
    """Return `kind` if a rulebook can be asked about it; raise ValueError otherwise."""
    if kind not in IRREGULARITIES:
        raise ValueError(f'fault "{fault}": there is no irregularity "{kind}"')
    return cast(IrregularityKind, kind)


def _mapping(name: str, fault: Fault) -> Mapping:
    return Mapping(
        _known(name, fault.irregularity),
        fault.way_out,
        fault.why,
        proven=(_known(name, fault.proven[0]), fault.proven[1]) if fault.proven else None,
        restarted=fault.restarted,
        unreported=fault.unreported,
    )


DEVICE_FAULTS: dict[str, Mapping] = {name: _mapping(name, f) for name, f in FAULTS.items()}
# Whatever else stops a controller, no prize can be drawn: of what it has in common with a
# shuffler or a shoe, each fault is this there.
OF_A_CONTROLLER = Mapping("jackpot-failure", RESUME, "no prize can be drawn")
# Its two readings of one prize differ; it goes on, as a malfunction is for a person to declare.
READINGS_DIFFER = Mapping("meter-mismatch", NOTHING, "meter and control panel show two amounts")
# A card that left although nobody had called for one is no fault of the device.
UNCALLED_CARD = Mapping("drawn-in-error", NOTHING, "one card too many left the device")


def mapping_of(fault: str) -> Mapping:
    """Return the mapping of a fault, also of one that only newer firmware has."""
    return DEVICE_FAULTS[fault] if fault in DEVICE_FAULTS else _mapping(fault, fault_of(fault))


def restarted(fault: str) -> bool:
    """The device has started again and knows what it knew; any other word is no such fault."""
    known = DEVICE_FAULTS.get(fault)
    return known is not None and known.restarted


def known_as(fault: str, stage: Stage) -> IrregularityKind | None:
    """The rulebooks' word for a device fault at a stage; None where the round is not touched.

    When all wagers are settled a stopped machine is the machine's affair alone; what concerns the
    cards of the next round is told all the same.
    """
    return _at(mapping_of(fault), stage)


def _at(mapping: Mapping, stage: Stage) -> IrregularityKind | None:
    known = mapping.irregularity
    return known if stage is not Stage.SETTLED or known in OF_THE_CARDS else None


def proven(fault: str, found: str = "") -> Irregularity | None:
    """What a physical count, or a look at the card, makes of a fault; None where it proves nothing.

    `found` is needed where the device could not tell: extra, missing, foreign or unshuffled.
    """
    after_count = mapping_of(fault).proven
    if after_count is None:
        return None
    return Irregularity(after_count[0], found=found or after_count[1])


def irregularity_of(
    fault: str, round: Round, device: str = "shuffler", cards: Sequence[Card] = ()
) -> Irregularity:
    """What the engine is told: the rulebooks' word, and the hand that was waiting for a card.

    `cards` are those that left together, or the one that lies face up. Cards that left together
    and that nobody could read are a malfunction.
    """
    known = mapping_of(fault).irregularity
    says = IRREGULARITIES[known]
    if known == "malfunction" or ("cards" in says.needs and not cards):
        waiting = next_card_goes_to(round)
        return Irregularity("malfunction", device=device, hands=(waiting,) if waiting else ())
    if "cards" in says.keys:
        return Irregularity(known, cards=tuple(cards))
    return (
        Irregularity(known, cards=tuple(cards[:1])) if "card" in says.keys else Irregularity(known)
    )


def controllers_irregularity(bet: str) -> Irregularity:
    """What the engine is told of any fault of a controller: the wager that hangs on it."""
    return Irregularity(OF_A_CONTROLLER.irregularity, device="controller", bet=bet)


def page() -> str:
    """`docs/rulebooks/device-faults.md`: the table, for people."""
    stages = list(Stage)
    lines = [
        "# From device fault to irregularity",
        "",
        "What a device reports, what the rulebooks call it at each stage of a round, what the "
        "device must do before it deals again, and what a physical count can prove. `recover`: the "
        "cause is removed and a count verified, or after "
        f"{ATTEMPTS} attempts that failed all cards come out. `unload`: all cards come out and are "
        "counted by hand. `lock`: it is not asked for a card again. A device that cannot be "
        "unloaded is locked. `resume`: a controller goes on when the cause is gone. Generated from "
        "`host/cutcard/faults/faults.toml`, which the live table obeys; what each rulebook then "
        "does is in [rulings.md](rulings.md).",
        "",
        "| device fault | "
        + " | ".join(stage.value for stage in stages)
        + " | why | then | proven |",
        "|---" * (len(stages) + 4) + "|",
    ]
    newer = "a fault of newer firmware"
    for fault, known in [*DEVICE_FAULTS.items(), (newer, mapping_of(fault_name(len(FAULTS) + 1)))]:
        cells = [_at(known, stage) or "the machine only" for stage in stages]
        found = " ".join(known.proven).strip() if known.proven else ""
        words = [fault, *cells, known.why, known.then, found]
        lines.append("| " + " | ".join(words) + " |")
    for what, known in (
        ("a card nobody called for", UNCALLED_CARD),
        ("any of these, of a controller", OF_A_CONTROLLER),
        ("a controller's readings differ", READINGS_DIFFER),
    ):
        cells = [known.irregularity] * (len(stages) - 1) + ["the machine only"]
        lines.append("| " + " | ".join([what, *cells, known.why, known.then, ""]) + " |")
    return "\n".join(lines) + "\n"


__all__ = [
    "ATTEMPTS",
    "COUNT_MISMATCH",
    "DEVICE_FAULTS",
    "FACE_UP",
    "LOCK",
    "NOTHING",
    "OF_A_CONTROLLER",
    "READINGS_DIFFER",
    "RECOVER",
    "RESUME",
    "UNCALLED_CARD",
    "UNLOAD",
    "Mapping",
    "Stage",
    "controllers_irregularity",
    "irregularity_of",
    "known_as",
    "mapping_of",
    "page",
    "proven",
    "restarted",
    "stage_of",
]
