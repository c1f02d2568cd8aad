"""Playing cards: each one a distinct object, in exactly one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutcard.cards import RANKS, Card
from cutcard_firmware.core.devices.sensors import FOREIGN, UNREADABLE

CUTTING = 252  # represents a cutting card in records; a reader never reports it
_TEN = RANKS.index("T")
_WORDS = {CUTTING: "cutting", FOREIGN: "foreign", UNREADABLE: "unreadable"}


@dataclass(eq=False, slots=True)
class PlayingCard:
    """A card. `code` is the face as a reader reports it; `number` distinguishes two of one face."""

    number: int
    deck: int
    code: int
    face_up: bool = False

    @property
    def cutting(self) -> bool:
        return self.code == CUTTING

    @property
    def shows(self) -> int:
        """Return the code that the reader in the mouth reports: of a face-up card it sees the
        back."""
        return UNREADABLE if self.face_up else self.code

    @property
    def name(self) -> str:
        return _WORDS.get(self.code) or str(Card.from_code(self.code))

    def as_json(self) -> dict[str, Any]:
        plain: dict[str, Any] = {"number": self.number, "deck": self.deck, "card": self.name}
        if self.face_up:
            plain["face_up"] = True
        return plain


def code_of(word: str) -> int:
    """`As`, `foreign`, `unreadable` or `cutting` as a code. ValueError for anything else."""
    for code, name in _WORDS.items():
        if word == name:
            return code
    return Card.parse(word).code


def deck_codes(pack: int) -> list[int]:
    """Return the faces of one new deck: of 52 cards, or of 48, without the tens."""
    return [code for code in range(52) if pack == 52 or code % 13 != _TEN]


class Printer:
    """Make cards; no two have the same number."""

    def __init__(self) -> None:
        self.cards: list[PlayingCard] = []
        self.decks = 0

    def card(self, code: int, deck: int = 0) -> PlayingCard:
        card = PlayingCard(len(self.cards), deck, code)
        self.cards.append(card)
        return card

    def deck(self, pack: int) -> list[PlayingCard]:
        self.decks += 1
        return [self.card(code, self.decks) for code in deck_codes(pack)]
