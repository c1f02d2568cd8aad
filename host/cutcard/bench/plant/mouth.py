"""The mouth with its gate, its reader, and the dealer's hand in front of it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from cutcard.bench.plant.cards import PlayingCard
from cutcard.bench.plant.sensors import Sensors
from cutcard.bench.plant.supply import Supply
from cutcard.bench.plant.timeline import Event, Timeline
from cutcard_firmware.core.devices.sensors import CUT, MOUTH, READ, TOGETHER

REACTION = 250  # ms until the hand draws an available card
COVER = (110, 130)  # ms that one card covers the mouth
FURTHER = 90  # ms for each further card of one draw


class Mouth:
    """The mouth. `outside` is the table: the drawn cards, in the order of their draws."""

    def __init__(
        self,
        timeline: Timeline,
        sensors: Sensors,
        chance: Random,
        supply: Supply,
        step: Callable[[str], None],
    ) -> None:
        self._timeline = timeline
        self._sensors = sensors
        self._chance = chance
        self._supply = supply
        self._step = step
        self.gate = False
        self.hand = True
        self.reaction = REACTION
        # number of cards in the hand's next draw, and whether they are in order
        self.grasp = (1, True)
        self.passing: list[PlayingCard] = []
        self.outside: list[PlayingCard] = []
        self._reach: Event | None = None

    def drive_gate(self, is_open: bool) -> None:
        self.gate = is_open
        self.look()

    def look(self) -> None:
        """Let the hand check whether it may draw, and reach for the card."""
        if self._reach is None and self._may_draw():
            self._reach = self._timeline.after(self.reaction, self._draw_by_itself)

    def _may_draw(self) -> bool:
        return self.hand and self.gate and not self.passing and bool(self._supply.cards)

    def _draw_by_itself(self) -> None:
        self._reach = None
        if self._may_draw():
            grasp, self.grasp = self.grasp, (1, True)
            self.draw(*grasp)

    def draw(self, count: int, order_known: bool = True) -> None:
        """Pull `count` cards out together. They cover the mouth without a gap."""
        self.passing = [self._supply.take() for _ in range(min(count, len(self._supply)))]
        if not self.passing:
            return
        cover = COVER[0] + int(self._chance.random() * (COVER[1] - COVER[0] + 1))
        self._sensors.set(MOUTH, 1)
        readable = [card for card in self.passing if not card.cutting]
        if order_known or len(readable) < 2:
            for place, card in enumerate(self.passing):
                self._pass_one(card, FURTHER * place, cover)
        else:
            for place, card in enumerate(self.passing):
                if card.cutting:
                    self._pass_one(card, FURTHER * place, cover)
            self._chance.shuffle(readable)
            middle = (cover + FURTHER * (len(self.passing) - 1)) // 2
            self._timeline.after(middle, lambda: self._read_together(readable))
        self._timeline.after(cover + FURTHER * (len(self.passing) - 1), self._end_draw)

    def _pass_one(self, card: PlayingCard, start: int, cover: int) -> None:
        timeline, sensors = self._timeline, self._sensors
        if card.cutting:
            timeline.after(start, lambda: sensors.set(CUT, 1))
            timeline.after(start + cover, lambda: sensors.set(CUT, 0))
        else:
            timeline.after(start + cover // 2, lambda: sensors.report(READ, card.shows))

    def _read_together(self, cards: list[PlayingCard]) -> None:
        self._sensors.report(READ, TOGETHER)
        for card in cards:
            self._sensors.report(READ, card.shows)

    def _end_draw(self) -> None:
        self._sensors.set(CUT, 0)
        self._sensors.set(MOUTH, 0)
        self.outside.extend(self.passing)
        self.passing = []
        self._step("draw")
        self.look()
