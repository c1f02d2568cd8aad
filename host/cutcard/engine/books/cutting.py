"""The cut, asked of the rulebook of the table. The British rulebook does not speak of it."""

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
    """Who is offered the cut first, and then clockwise until somebody accepts.

    `box` is the one the occasion is about: of the first player to arrive, where the cutting card
    appeared, or whose hand is next to be acted upon. Raises NoCutError where no rule speaks of it.
    """
    rules = _BOOKS.get(rulebook)
    if rules is None or occasion not in rules.occasions:
        raise NoCutError(f"{rulebook} does not say who cuts when {occasion.value}")
    return rules.order_of_offering(occasion, seated, box)


def cut_bounds(rulebook: str, decks: int, pack: int = 52, shuffler: str = "shoe") -> Bounds:
    """Where the cutting card may be put into the stack. Raises NoCutError where it may not."""
    rules = _BOOKS.get(rulebook)
    if rules is None or not rules.where:
        raise NoCutError(f"{rulebook} does not say where the cards are cut")
    return rules.cut_bounds(decks, pack, shuffler)


def cutting_card_bounds(
    rulebook: str, decks: int, pack: int = 52, shuffler: str = "shoe"
) -> Bounds:
    """Where the cutting card then stays, to say when to shuffle.

    Raises NoCutError where no rule says so, and for a continuous shuffler, which keeps none.
    """
    if shuffler == "continuous":
        raise NoCutError("a continuous shuffler is dealt without a cutting card")
    rules = _BOOKS.get(rulebook)
    if rules is None or not rules.stays:
        raise NoCutError(f"{rulebook} does not say where the cutting card goes")
    return rules.cutting_card_bounds(decks, pack)
