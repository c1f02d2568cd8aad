"""The names of all irregularities and rulings, and the keys of each.

`IrregularityKind` and `RulingKind` are the only lists of names. The engine checks its events and
the handlers of each rulebook against `IRREGULARITIES` and `RULINGS`; `cutcard.cases` checks the
steps of case files. The keys are those of a case file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

IrregularityKind = Literal[
    "malfunction",
    "simultaneous-draw",
    "face-up",
    "drawn-in-error",
    "wrong-cards",
    "misdeal",
    "box-missed",
    "one-card",
    "no-wager",
    "dealer-missed",
    "not-offered",
    "wager-not-entered",
    "suspect-shuffle",
    "exposed-cards",
    "fraud",
    "no-burn",
    "no-cut-card",
    "cut-card-missed",
    "damaged-card",
    "cut-card",
    "shoe-empty",
    "power-failure",
    "disruption",
    "jackpot-failure",
    "meter-mismatch",
    "button-misfire",
    "absent",
]
RulingKind = Literal[
    "void-round",
    "void-hands",
    "void-wagers",
    "reconstruct",
    "continue",
    "choose",
    "refuse-card",
    "withdraw",
    "stay",
    "burn",
    "accept",
    "press-again",
    "act-on-hand",
    "take-first-card",
    "declare-malfunction",
]


class KeysOfKind(NamedTuple):
    """The required and the optional keys of one kind."""

    needs: tuple[str, ...] = ()
    may: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        return self.needs + self.may


# The keys of each irregularity; kinds without keys are left out.
_OF_IRREGULARITIES: Mapping[IrregularityKind, KeysOfKind] = {
    "malfunction": KeysOfKind(may=("device", "hands")),
    "simultaneous-draw": KeysOfKind(needs=("cards",), may=("disclosed",)),
    "face-up": KeysOfKind(needs=("card",)),
    "drawn-in-error": KeysOfKind(needs=("card",), may=("exposed", "to")),
    "wrong-cards": KeysOfKind(may=("found",)),
    "misdeal": KeysOfKind(may=("boxes",)),
    "box-missed": KeysOfKind(needs=("box",)),
    "one-card": KeysOfKind(needs=("box",)),
    "no-wager": KeysOfKind(needs=("box",)),
    "not-offered": KeysOfKind(needs=("box",), may=("option", "cards", "boxes")),
    "wager-not-entered": KeysOfKind(needs=("bet", "box")),
    "fraud": KeysOfKind(may=("players",)),
    "no-burn": KeysOfKind(may=("card",)),
    "no-cut-card": KeysOfKind(may=("card",)),
    "cut-card-missed": KeysOfKind(may=("card",)),
    "damaged-card": KeysOfKind(may=("card",)),
    "disruption": KeysOfKind(may=("cause",)),
    "jackpot-failure": KeysOfKind(needs=("bet",), may=("device",)),
    "meter-mismatch": KeysOfKind(needs=("bet",), may=("meter", "panel")),
    "button-misfire": KeysOfKind(needs=("bet", "box"), may=("player", "prize", "offered")),
    "absent": KeysOfKind(needs=("box",)),
}

# A player's ruling may name the player, and the box or wager it concerns.
_OF_A_PLAYER = ("player", "box", "bet")
# The keys of each ruling in addition to `by`; rulings without further keys are left out.
_OF_RULINGS: Mapping[RulingKind, KeysOfKind] = {
    "void-hands": KeysOfKind(may=("hands", "dealer")),
    "void-wagers": KeysOfKind(may=("player",)),
    "reconstruct": KeysOfKind(may=("cards", "dealer")),
    "continue": KeysOfKind(may=_OF_A_PLAYER),
    "choose": KeysOfKind(may=("card", *_OF_A_PLAYER)),
    "refuse-card": KeysOfKind(may=_OF_A_PLAYER),
    "withdraw": KeysOfKind(may=_OF_A_PLAYER),
    "stay": KeysOfKind(may=_OF_A_PLAYER),
    "accept": KeysOfKind(may=_OF_A_PLAYER),
    "press-again": KeysOfKind(may=_OF_A_PLAYER),
    "act-on-hand": KeysOfKind(may=_OF_A_PLAYER),
    "take-first-card": KeysOfKind(may=_OF_A_PLAYER),
}
IRREGULARITIES: Mapping[IrregularityKind, KeysOfKind] = {
    kind: _OF_IRREGULARITIES.get(kind, KeysOfKind()) for kind in get_args(IrregularityKind)
}
RULINGS: Mapping[RulingKind, KeysOfKind] = {
    kind: _OF_RULINGS.get(kind, KeysOfKind()) for kind in get_args(RulingKind)
}

# The allowed words of a key.
_WORDS = {
    "found": ("extra", "missing", "foreign", "unshuffled"),
    "option": ("draw", "decision", "insurance"),
}
_DEVICES: Mapping[IrregularityKind, tuple[str, ...]] = {
    "malfunction": ("shuffler", "shoe"),
    "jackpot-failure": ("controller",),
}


def words_of(kind: IrregularityKind, key: str) -> tuple[str, ...]:
    """Return the allowed words of a key of an irregularity; empty if any value is allowed."""
    return _DEVICES[kind] if key == "device" else _WORDS.get(key, ())
