"""A motor that moves cards one after the other past a sensor: the entry and the exit."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from cutcard.bench.plant.cards import PlayingCard
from cutcard.bench.plant.sensors import Sensors
from cutcard.bench.plant.timeline import Event, Timeline

COVER = (80, 90)  # ms that one card covers the sensor
OVERLAP = (60, 80)  # additional ms that the second of two cards covers it


class Passage:
    """Cards come from `offers`/`take`, pass the sensor, and arrive by `fits`/`land`.

    With the motor off, a card that is half way stays half way. `jammed`: it stays there, regardless
    of the motor, until a person clears it.
    """

    def __init__(
        self,
        timeline: Timeline,
        sensors: Sensors,
        chance: Random,
        *,
        sensor: int,
        first: int,
        gap: int,
        offers: Callable[[], bool],
        take: Callable[[], PlayingCard],
        fits: Callable[[], bool],
        land: Callable[[PlayingCard], None],
        began: Callable[[], None],
        ended: Callable[[], None],
    ) -> None:
        self._timeline = timeline
        self._sensors = sensors
        self._chance = chance
        self._sensor = sensor
        self._first = first
        self._gap = gap
        self._offers = offers
        self._take = take
        self._fits = fits
        self._land = land
        self._began = began
        self._ended = ended
        self.on = False
        self.stalled = False
        self.inside: list[PlayingCard] = []
        self.jammed = False
        self.jam_next = False
        self.blocked = False  # no card arrives: it sticks before the sensor
        self.double_next = ""  # "long": visible to the sensor, "hidden": not visible
        self.misfeeds = 0.0  # probability that a card slips
        self.works_loose = False  # a slipped card arrives late by itself; else only when pulsed
        self._event: Event | None = None
        self._left = 0

    def drive(self, on: bool) -> None:
        if on == self.on:
            return
        self.on = on
        if on:
            self.go_on(self._first)
        elif self._event is not None:
            self._left = self._timeline.left(self._event)
            self._timeline.cancel(self._event)
            self._event = None

    def go_on(self, delay: int | None = None) -> None:
        """Move the cards that can move; called again when cards arrive at a running motor."""
        if not self.on or self._event is not None or self.jammed or self.stalled:
            return
        if self.inside:
            self._event = self._timeline.after(max(1, self._left), self._pass)
        elif self._offers() and not self.blocked:
            wait = (self._gap if delay is None else delay) + int(self._chance.random() * 10) - 5
            if self.misfeeds and self._chance.random() < self.misfeeds:
                if not self.works_loose:
                    return
                wait += self._between((100, 250))
            self._event = self._timeline.after(wait, self._cover)

    def stall(self, stalled: bool) -> None:
        self.stalled = stalled
        if stalled and self._event is not None:
            self._left = self._timeline.left(self._event)
            self._timeline.cancel(self._event)
            self._event = None
        elif not stalled:
            self.go_on()

    def jam(self) -> None:
        """Jam the passing card; if none passes, the next one."""
        if not self.inside:
            self.jam_next = True
            return
        self.jammed = True
        self._timeline.cancel(self._event)
        self._event = None

    def block(self) -> None:
        """Block the next card before the sensor: no card arrives until it is cleared."""
        self.blocked = True
        if self._event is not None and not self.inside:
            self._timeline.cancel(self._event)
            self._event = None

    def clear(self) -> list[PlayingCard]:
        """Remove the cards inside and repair all faults, as a person does."""
        taken, self.inside = self.inside, []
        self._timeline.cancel(self._event)
        self._event = None
        self.jammed = self.jam_next = self.blocked = False
        self._sensors.set(self._sensor, 0)
        self.go_on()
        return taken

    def _cover(self) -> None:
        self._event = None
        if not self._offers():
            return
        self.inside.append(self._take())
        cover = self._between(COVER)
        if self.double_next and self._offers():
            self.inside.append(self._take())
            if self.double_next == "long":
                cover += self._between(OVERLAP)
            self.double_next = ""
        self._sensors.set(self._sensor, 1)
        self._event = self._timeline.after(cover, self._pass)
        if self.jam_next:
            self.jam_next = False
            self.jam()
        self._began()

    def _pass(self) -> None:
        self._event = None
        while self.inside:
            if not self._fits():
                self.jammed = True
                return
            self._land(self.inside.pop(0))
        self._sensors.set(self._sensor, 0)
        self._ended()
        self.go_on()

    def _between(self, bounds: tuple[int, int]) -> int:
        return bounds[0] + int(self._chance.random() * (bounds[1] - bounds[0] + 1))
