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


class Says(NamedTuple):
    """The keys that one kind needs, and those that it may have beside them."""

    needs: tuple[str, ...] = ()
    may: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        return self.needs + self.may


# The keys of each irregularity that has any.
_OF_IRREGULARITIES: Mapping[IrregularityKind, Says] = {
    "malfunction": Says(may=("device", "hands")),
    "simultaneous-draw": Says(needs=("cards",), may=("disclosed",)),
    "face-up": Says(needs=("card",)),
    "drawn-in-error": Says(needs=("card",), may=("exposed", "to")),
    "wrong-cards": Says(may=("found",)),
    "misdeal": Says(may=("boxes",)),
    "box-missed": Says(needs=("box",)),
    "one-card": Says(needs=("box",)),
    "no-wager": Says(needs=("box",)),
    "not-offered": Says(needs=("box",), may=("option", "cards", "boxes")),
    "wager-not-entered": Says(needs=("bet", "box")),
    "fraud": Says(may=("players",)),
    "no-burn": Says(may=("card",)),
    "no-cut-card": Says(may=("card",)),
    "cut-card-missed": Says(may=("card",)),
    "damaged-card": Says(may=("card",)),
    "disruption": Says(may=("cause",)),
    "jackpot-failure": Says(needs=("bet",), may=("device",)),
    "meter-mismatch": Says(needs=("bet",), may=("meter", "panel")),
    "button-misfire": Says(needs=("bet", "box"), may=("player", "prize", "offered")),
    "absent": Says(needs=("box",)),
}

# A player's ruling may say whose it is, and which box or wager it concerns.
_OF_A_PLAYER = ("player", "box", "bet")
# The keys of each ruling that has any beside `by`.
_OF_RULINGS: Mapping[RulingKind, Says] = {
    "void-hands": Says(may=("hands", "dealer")),
    "void-wagers": Says(may=("player",)),
    "reconstruct": Says(may=("cards", "dealer")),
    "continue": Says(may=_OF_A_PLAYER),
    "choose": Says(may=("card", *_OF_A_PLAYER)),
    "refuse-card": Says(may=_OF_A_PLAYER),
    "withdraw": Says(may=_OF_A_PLAYER),
    "stay": Says(may=_OF_A_PLAYER),
    "accept": Says(may=_OF_A_PLAYER),
    "press-again": Says(may=_OF_A_PLAYER),
    "act-on-hand": Says(may=_OF_A_PLAYER),
    "take-first-card": Says(may=_OF_A_PLAYER),
}
IRREGULARITIES: Mapping[IrregularityKind, Says] = {
    kind: _OF_IRREGULARITIES.get(kind, Says()) for kind in get_args(IrregularityKind)
}
RULINGS: Mapping[RulingKind, Says] = {
    kind: _OF_RULINGS.get(kind, Says()) for kind in get_args(RulingKind)
}

# The words that a key may have.
_WORDS = {
    "found": ("extra", "missing", "foreign", "unshuffled"),
    "option": ("draw", "decision", "insurance"),
}
_DEVICES: Mapping[IrregularityKind, tuple[str, ...]] = {
    "malfunction": ("shuffler", "shoe"),
    "jackpot-failure": ("controller",),
}


def words_of(kind: IrregularityKind, key: str) -> tuple[str, ...]:
    """The words that a key of an irregularity may have; none where it is no word of a list."""
    return _DEVICES[kind] if key == "device" else _WORDS.get(key, ())
