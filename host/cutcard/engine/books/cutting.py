"""The table's rules for cutting the cards. The British rulebook has no such rules."""

from __future__ import annotations

from collections.abc import Sequence

from cutcard.engine.books.crown import CROWN
from cutcard.engine.books.crown import cutting as crown
from cutcard.engine.books.new_zealand import NEW_ZEALAND
from cutcard.engine.books.new_zealand import cutting as new_zealand
from cutcard.engine.books.singapore import SINGAPORE
from cutcard.engine.books.singapore import cutting as singapore
from cutcard.engine.cutting import Bounds, Cut, CuttingRules, NoCutError, Occasion

_BOOKS: dict[str, CuttingRules] = {
    CROWN: crown.CUTTING,
    NEW_ZEALAND: new_zealand.CUTTING,
    SINGAPORE: singapore.CUTTING,
}


def order_of_offering(
    rulebook: str, occasion: Occasion, seated: Sequence[int], box: int | None = None
) -> Cut:
    """Return the order in which players are offered the cut: clockwise until one accepts.

    `box` is the box of the occasion: of the first player to arrive, where the cutting card
    appeared, or of the hand that is next to be acted upon. Raises NoCutError if no rule covers the
    occasion.
    """
    rules = _BOOKS.get(rulebook)
    if rules is None or occasion not in rules.occasions:
        raise NoCutError(f"{rulebook} has no rule for a cut when {occasion.value}")
    return rules.order_of_offering(occasion, seated, box)


def cut_bounds(rulebook: str, decks: int, pack: int = 52, shuffler: str = "shoe") -> Bounds:
    """Return the permitted positions of a cut. Raises NoCutError if cutting is not permitted."""
    rules = _BOOKS.get(rulebook)
    if rules is None or not rules.where:
        raise NoCutError(f"{rulebook} has no rule for the position of the cut")
    return rules.cut_bounds(decks, pack, shuffler)


def cutting_card_bounds(
    rulebook: str, decks: int, pack: int = 52, shuffler: str = "shoe"
) -> Bounds:
    """Return the positions at which the cutting card then marks the next shuffle.

    Raises NoCutError if no rule defines them, and for a continuous shuffler, which has no cutting
    card.
    """
    if shuffler == "continuous":
        raise NoCutError("a continuous shuffler is dealt without a cutting card")
    rules = _BOOKS.get(rulebook)
    if rules is None or not rules.stays:
        raise NoCutError(f"{rulebook} has no rule for the position of the cutting card")
    return rules.cutting_card_bounds(decks, pack)
