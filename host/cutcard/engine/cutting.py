"""Cutting the cards: who is offered the cut, in which order, where it may fall, who else cuts.

New Zealand 7.2-7.6, Crown 4.2. Singapore speaks of a cut only when the shoe has run empty (5.19);
the British rulebook does not speak of it. Boxes count clockwise from the dealer's left, so the
player farthest to the dealer's right sits at the highest one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from cutcard.engine.refusal import EngineError
from cutcard.rulebooks.book import Rules


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
    """Raised where a rulebook says nothing of a cut, or its device is not cut."""


@dataclass(frozen=True, slots=True)
class _Rules:
    """A rulebook's cut as data: the rule of each occasion, of the order, and of who cuts else."""

    occasions: dict[Occasion, str]
    replaced_at_right: bool
    order: str
    otherwise: str


_BOOKS = {
    "nz-division-2": _Rules(
        {
            Occasion.START_OF_PLAY: "7.3(a)",
            Occasion.CUTTING_CARD_ON_BOX: "7.3(b)",
            Occasion.CUTTING_CARD_AT_DEALER: "7.3(c)",
            Occasion.CARDS_REPLACED: "7.3(d)",
            Occasion.SHOE_EMPTY: "16.7",
        },
        replaced_at_right=False,
        order="7.4",
        otherwise="casino employee",
    ),
    "crown-melbourne-26": _Rules(
        {
            Occasion.START_OF_PLAY: "4.2.2(a)",
            Occasion.CUTTING_CARD_ON_BOX: "4.2.2(b)",
            Occasion.CUTTING_CARD_AT_DEALER: "4.2.2(c)",
            Occasion.CARDS_REPLACED: "4.2.2(d)",
            Occasion.SHOE_EMPTY: "9.11",
        },
        replaced_at_right=True,
        order="4.2.3",
        otherwise="tg-higher-duties-dealer",
    ),
    "mbs-free-bet-3": _Rules({Occasion.SHOE_EMPTY: "5.19"}, False, "5.19", "dealer"),
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
    boxes = sorted(seated)
    if not boxes:
        return Cut((), rules.otherwise, (rules.occasions[occasion], rules.order))
    first = _first(rules, occasion, boxes, box)
    turn = [*(b for b in boxes if b >= first), *(b for b in boxes if b < first)]
    if rulebook == "mbs-free-bet-3":
        turn = turn[:1]  # 5.19 names one player and offers the cut to nobody else
    return Cut(tuple(turn), rules.otherwise, (rules.occasions[occasion], rules.order))


def cut_bounds(rulebook: str, decks: int, pack: int = 52, shuffler: str = "shoe") -> Bounds:
    """Where the cutting card may be put into the stack: a deck in from either end."""
    rules = {"nz-division-2": ("7.5",), "crown-melbourne-26": ("4.2.4",)}.get(rulebook)
    if rules is None:
        raise NoCutError(f"{rulebook} does not say where the cards are cut")
    if shuffler == "continuous" and rulebook == "crown-melbourne-26":
        raise NoCutError("a continuous shuffling machine takes no cutting card (3.1.1)")
    return Bounds(pack, (decks - 1) * pack, rules)


def cutting_card_bounds(
    rulebook: str, decks: int, pack: int = 52, shuffler: str = "shoe"
) -> Bounds:
    """Where the cutting card then stays, counted from the front, to say when to shuffle.

    New Zealand 7.6(a): no more than half way in from the back. Crown 4.2.5(b): between one and a
    half decks and half way from the back. A continuous shuffler keeps none (7.6(b), 3.1.1).
    """
    if shuffler == "continuous":
        raise NoCutError("a continuous shuffler is dealt without a cutting card")
    cards = decks * pack
    half = cards - cards // 2
    if rulebook == "nz-division-2":
        return Bounds(half, cards, ("7.6(a)",))
    if rulebook == "crown-melbourne-26":
        return Bounds(half, cards - int(Fraction(3, 2) * pack), ("4.2.5(b)",))
    raise NoCutError(f"{rulebook} does not say where the cutting card goes")


def _first(rules: _Rules, occasion: Occasion, boxes: list[int], box: int | None) -> int:
    if occasion is Occasion.CUTTING_CARD_AT_DEALER:
        return boxes[-1]
    if occasion is Occasion.CARDS_REPLACED:
        return boxes[-1] if rules.replaced_at_right else boxes[0]
    if box is None or box not in boxes:
        return boxes[0]
    return box
