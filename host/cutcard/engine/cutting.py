"""Cutting the cards: the players that are offered the cut, their order, and the permitted places.

The rules of each rulebook are in `books/<book>/cutting.py`; `books/cutting.py` selects them. Boxes
count clockwise from the dealer's left, so the player farthest to the dealer's right has the highest
box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from cutcard.engine.refusal import EngineError
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.readings import reading


class Occasion(Enum):
    """The occasions for a cut."""

    START_OF_PLAY = "start of play"
    CUTTING_CARD_ON_BOX = "the cutting card appeared on a box"
    CUTTING_CARD_AT_DEALER = "the cutting card appeared in the dealer's hand"
    CARDS_REPLACED = "the cards were replaced"
    SHOE_EMPTY = "the shoe ran empty within a round"


@dataclass(frozen=True, slots=True)
class Cut:
    """The boxes in the order of the offer, the person that cuts if all decline, and the rules."""

    offered: tuple[int, ...]
    otherwise: str
    rules: Rules


@dataclass(frozen=True, slots=True)
class Bounds:
    """The lowest and highest permitted position, in cards from the front, inclusive."""

    low: int
    high: int
    rules: Rules


class NoCutError(EngineError):
    """Raised if a rulebook has no rule for this cut, or its `rules` forbid cutting this device."""

    def __init__(self, why: str, rules: Rules = ()) -> None:
        super().__init__(f"{why} ({', '.join(rules)})" if rules else why)
        self.rules = rules


@dataclass(frozen=True, slots=True)
class CuttingRules:
    """The rules of one rulebook for the cut. An empty string means that the rulebook has no rule.

    `occasions` has the rule of each occasion, `order` the rule for the order of the offer, and
    `otherwise` the person that cuts if no player will. `where` is the rule for the position of the
    cut. `stays` is the rule for the later position of the cutting card: at least `decks_from_back`
    decks from the back, and at most half way.
    """

    occasions: Mapping[Occasion, str]
    order: str
    otherwise: str
    replaced_at_right: bool = False
    one_player_only: bool = False
    where: str = ""
    never_in_continuous: str = ""
    stays: str = ""
    decks_from_back: Fraction = Fraction(0)

    def order_of_offering(self, occasion: Occasion, seated: Sequence[int], box: int | None) -> Cut:
        """Return the boxes in the order of the offer: clockwise from the designated player."""
        rules: Rules = (self.occasions[occasion], self.order)
        boxes = sorted(seated)
        if not boxes:
            return Cut((), self.otherwise, rules)
        if self._by_box(occasion) and box is not None and box not in boxes:
            rules += (reading("cut-designated-player-gone"),)
        first = self._first(occasion, boxes, box)
        turn = [*(b for b in boxes if b >= first), *(b for b in boxes if b < first)]
        return Cut(tuple(turn[:1] if self.one_player_only else turn), self.otherwise, rules)

    def cut_bounds(self, decks: int, pack: int, shuffler: str) -> Bounds:
        """Return the permitted positions of the cutting card: at least one deck from either end."""
        if shuffler == "continuous" and self.never_in_continuous:
            why = "a continuous shuffling machine takes no cutting card"
            raise NoCutError(why, (self.never_in_continuous,))
        return Bounds(pack, (decks - 1) * pack, (self.where,))

    def cutting_card_bounds(self, decks: int, pack: int) -> Bounds:
        """Return the positions at which the cutting card marks the next shuffle, from the front."""
        cards = decks * pack
        from_back = int(self.decks_from_back * pack)
        return Bounds(cards - cards // 2, cards - from_back, (self.stays,))

    def _first(self, occasion: Occasion, boxes: list[int], box: int | None) -> int:
        if occasion is Occasion.CUTTING_CARD_AT_DEALER:
            return boxes[-1]
        if occasion is Occasion.CARDS_REPLACED:
            return boxes[-1] if self.replaced_at_right else boxes[0]
        if box is None:
            return boxes[0]
        return next((seat for seat in boxes if seat >= box), boxes[0])

    def _by_box(self, occasion: Occasion) -> bool:
        return occasion not in (Occasion.CUTTING_CARD_AT_DEALER, Occasion.CARDS_REPLACED)
