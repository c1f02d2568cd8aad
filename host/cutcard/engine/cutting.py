"""Cutting the cards: who is offered the cut, in which order, where it may fall, who else cuts.

What a rulebook says of it is in its own package, `books/<book>/cutting.py`; `books/cutting.py`
finds it. Boxes count clockwise from the dealer's left, so the player farthest to the dealer's right
sits at the highest one.
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
    """Why the cards are cut."""

    START_OF_PLAY = "start of play"
    CUTTING_CARD_ON_BOX = "the cutting card appeared on a box"
    CUTTING_CARD_AT_DEALER = "the cutting card appeared in the dealer's hand"
    CARDS_REPLACED = "the cards were replaced"
    SHOE_EMPTY = "the shoe ran empty within a round"


@dataclass(frozen=True, slots=True)
class Cut:
    """The boxes in the order they are offered the cut, who cuts when none will, and the rules."""

    offered: tuple[int, ...]
    otherwise: str
    rules: Rules


@dataclass(frozen=True, slots=True)
class Bounds:
    """The cards from the front of the stack between which something is put, both included."""

    low: int
    high: int
    rules: Rules


class NoCutError(EngineError):
    """Raised where a rulebook says nothing of a cut, or by `rules` its device is not cut."""

    def __init__(self, why: str, rules: Rules = ()) -> None:
        super().__init__(f"{why} ({', '.join(rules)})" if rules else why)
        self.rules = rules


@dataclass(frozen=True, slots=True)
class CuttingRules:
    """What a rulebook says of the cut, each with its rule; an empty rule: it does not say.

    `occasions` has the rule of each, `order` that of who comes first, `otherwise` who cuts when no
    player will. `where` is the rule of where the cut falls, `stays` that of where the cutting card
    is put then: at least so many `decks_from_back`, and at most half way.
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
        """Where the cutting card may be put into the stack: a deck in from either end."""
        if shuffler == "continuous" and self.never_in_continuous:
            why = "a continuous shuffling machine takes no cutting card"
            raise NoCutError(why, (self.never_in_continuous,))
        return Bounds(pack, (decks - 1) * pack, (self.where,))

    def cutting_card_bounds(self, decks: int, pack: int) -> Bounds:
        """Where the cutting card then stays, counted from the front, to say when to shuffle."""
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
