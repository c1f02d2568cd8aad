"""The irregularity that each device fault causes in the round, and the way to end the fault.

A device reports its sensor readings; a rulebook defines malfunctions, cards drawn together and
wrong cards. `cutcard/faults/faults.toml` has the irregularity of each fault. The live table and its
machine, the matrix of rulings and the documentation use it through this module.
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
    """The `irregularity` of a fault, and the action that the device needs before it deals (`then`).

    `proven` is the irregularity, with its finding, after a count or an inspection of the cards.
    `restarted`: the device restarted by itself. `unreported`: a called card may have left without a
    report.
    """

    irregularity: IrregularityKind
    then: str
    why: str
    proven: tuple[IrregularityKind, str] | None = None
    restarted: bool = False
    unreported: bool = False


# After `ATTEMPTS` recoveries without a verified count the table unloads the device, and locks a
# device that cannot be unloaded. NOTHING: the device continues without an action.
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
# No prize can be drawn while a controller has a fault. Faults that it shares with shufflers and
# shoes therefore all have this mapping.
OF_A_CONTROLLER = Mapping("jackpot-failure", RESUME, "no prize can be drawn")
# The meter and the panel differ. The controller continues: a person declares the malfunction.
READINGS_DIFFER = Mapping("meter-mismatch", NOTHING, "meter and control panel show two amounts")
# A card that left without a call is not a device fault.
UNCALLED_CARD = Mapping("drawn-in-error", NOTHING, "one card too many left the device")


def mapping_of(fault: str) -> Mapping:
    """Return the mapping of a fault, also of a fault that only newer firmware has."""
    return DEVICE_FAULTS[fault] if fault in DEVICE_FAULTS else _mapping(fault, fault_of(fault))


def restarted(fault: str) -> bool:
    """Return whether the fault means that the device restarted with its state intact.

    Return False for an unknown fault.
    """
    known = DEVICE_FAULTS.get(fault)
    return known is not None and known.restarted


def known_as(fault: str, stage: Stage) -> IrregularityKind | None:
    """Return the irregularity of a device fault at a stage, or None if the round is not affected.

    After the settlement of all wagers, a stopped machine does not affect the round. Irregularities
    of the cards of the next round are still returned.
    """
    return _at(mapping_of(fault), stage)


def _at(mapping: Mapping, stage: Stage) -> IrregularityKind | None:
    known = mapping.irregularity
    return known if stage is not Stage.SETTLED or known in OF_THE_CARDS else None


def proven(fault: str, found: str = "") -> Irregularity | None:
    """Return the irregularity that a count, or a look at the card, proves; None without proof.

    `found` is required if the device could not determine it: extra, missing, foreign or unshuffled.
    """
    after_count = mapping_of(fault).proven
    if after_count is None:
        return None
    return Irregularity(after_count[0], found=found or after_count[1])


def irregularity_of(
    fault: str, round: Round, device: str = "shuffler", cards: Sequence[Card] = ()
) -> Irregularity:
    """Return the irregularity for the engine, with the hand that was waiting for a card.

    `cards` are the cards that left together, or the card that is face up. If no person could read
    the cards that left together, it is a malfunction.
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
    """Return the irregularity of any controller fault, with the wager that depends on it."""
    return Irregularity(OF_A_CONTROLLER.irregularity, device="controller", bet=bet)


def page() -> str:
    """Return the text of `docs/reference/rulebooks/device-faults.md`."""
    stages = list(Stage)
    lines = [
        "# From device fault to irregularity",
        "",
        "The table lists, for each device fault: the irregularity at each stage of a round, the "
        "action that the device needs before it deals again, and the irregularity that a physical "
        "count can prove. `recover`: remove the cause and verify a count; after "
        f"{ATTEMPTS} failed attempts eject all cards. `unload`: eject all cards and count them by "
        "hand. `lock`: the table requests no more cards from the device. A device that cannot be "
        "unloaded is locked. `resume`: the controller continues after the cause is removed. "
        "Generated from `host/cutcard/faults/faults.toml`, which the live table uses; "
        "[rulings.md](rulings.md) has the procedure of each rulebook.",
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
        ("a card that was not called for", UNCALLED_CARD),
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
