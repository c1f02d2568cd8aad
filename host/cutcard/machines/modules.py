"""Which modules of the firmware a kind of device loads: no image has those of another kind."""

from __future__ import annotations

from cutcard.machines.schema import CARD_KINDS

# By the path on the device, without its ending. What stands in no row, every kind loads.
_ONLY: dict[str, tuple[str, ...]] = {
    "core/card_device": CARD_KINDS,
    "core/leaving": CARD_KINDS,
    "core/mouth": CARD_KINDS,
    "card_wiring": CARD_KINDS,
    "motors": CARD_KINDS,
    "reader": CARD_KINDS,
    "steps": CARD_KINDS,
    "core/shuffler": ("shuffler",),
    "core/batch": ("shuffler",),
    "core/carousel": ("shuffler",),
    "core/shoe": ("shoe",),
    "core/controller": ("controller",),
    "core/draws": ("controller",),
    "core/prize_table": ("controller",),
    "core/signing": ("controller",),
    "panel_wiring": ("controller",),
}


def belongs(module: str, kind: str) -> bool:
    """Whether a device of that kind loads `core/mouth` (or `core/cards/mouth.py`, or `.mpy`)."""
    return kind in _ONLY.get(module.removesuffix(".py").removesuffix(".mpy"), (kind,))
