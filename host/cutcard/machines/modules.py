"""The firmware modules that a kind of device loads: images contain no modules of other kinds."""

from __future__ import annotations

from cutcard.machines.schema import CARD_KINDS

# By the path on the device, without its suffix. Every kind loads the modules not listed.
_ONLY: dict[str, tuple[str, ...]] = {
    "core/card_device": CARD_KINDS,
    "core/statement": CARD_KINDS,
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
    "panel_wiring": ("controller",),
}


def belongs(module: str, kind: str) -> bool:
    """Return whether that kind loads `core/mouth` (or `core/cards/mouth.py`, or `.mpy`)."""
    return kind in _ONLY.get(module.removesuffix(".py").removesuffix(".mpy"), (kind,))
