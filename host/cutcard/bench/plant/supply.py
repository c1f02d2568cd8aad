"""The cards that the mouth deals from: a shuffler's chute or a shoe's stack, front card first."""

from __future__ import annotations

from collections.abc import Iterable

from cutcard.bench.plant.cards import PlayingCard
from cutcard.bench.plant.sensors import Sensors
from cutcard_firmware.core.devices.sensors import CHUTE, FACE, TRAY


class Supply:
    """A row of cards behind the mouth; its sensors detect its cards, and a face-up front card."""

    def __init__(self, sensors: Sensors, levels: tuple[int, ...], room: int) -> None:
        self._sensors = sensors
        self._levels = levels
        self.room = room
        self.cards: list[PlayingCard] = []

    def __len__(self) -> int:
        return len(self.cards)

    def has_room(self) -> bool:
        return len(self.cards) < self.room

    def add(self, cards: Iterable[PlayingCard]) -> None:
        self.cards.extend(cards)
        self.look()

    def take(self, index: int = 0) -> PlayingCard:
        card = self.cards.pop(index)
        self.look()
        return card

    def look(self) -> None:
        """Update the sensors."""
        for level in self._levels:
            self._sensors.set(level, int(bool(self.cards)))
        self._sensors.set(FACE, int(bool(self.cards) and self.cards[0].face_up))

    def cut(self, depth: int) -> None:
        """Move the first `depth` cards to the back."""
        self.cards = self.cards[depth:] + self.cards[:depth]
        self.look()

    def place(self, card: PlayingCard, depth: int) -> None:
        """Put a cutting card behind the first `depth` playing cards."""
        at = passed = 0
        while at < len(self.cards) and passed < depth:
            passed += not self.cards[at].cutting
            at += 1
        self.cards.insert(at, card)
        self.look()


def chute(sensors: Sensors, room: int) -> Supply:
    return Supply(sensors, (CHUTE,), room)


def stack(sensors: Sensors, room: int) -> Supply:
    return Supply(sensors, (TRAY, CHUTE), room)
