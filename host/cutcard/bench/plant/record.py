"""A plant written down and set up again, so that a bench can be closed in the evening."""

from __future__ import annotations

from typing import Any

from cutcard.bench.plant.cards import PlayingCard
from cutcard.bench.plant.machine import Plant


def record(plant: Plant) -> dict[str, Any]:
    """Where every card is and what is broken. Motors are off when this is written."""
    return {
        "cards": [[card.deck, card.code, card.face_up] for card in plant.printer.cards],
        "decks": plant.printer.decks,
        "places": {
            place: [card.number for card in cards] for place, cards in plant.places().items()
        },
        "position": plant.bins.position,
        "stuck": plant.bins.stuck,
        "jammed": {"entry": plant.entry.jammed, "exit": plant.exit.jammed},
        "sensors_stuck": plant.sensors.stuck,
        "levels": list(plant.sensors.levels),
    }


def restore(plant: Plant, written: dict[str, Any]) -> None:
    """Set up a new plant of the same machine as `record` found the old one."""
    for deck, code, face_up in written["cards"]:
        plant.printer.card(code, deck).face_up = face_up
    plant.printer.decks = written["decks"]
    cards: list[PlayingCard] = plant.printer.cards
    for place, row in plant.places().items():
        row[:] = [cards[number] for number in written["places"][place]]
    plant.mouth.outside += plant.mouth.passing  # the hand has finished its draw meanwhile
    plant.mouth.passing.clear()
    plant.bins.position = written["position"]
    plant.bins.stuck = written["stuck"]
    plant.entry.jammed = written["jammed"]["entry"]
    plant.exit.jammed = written["jammed"]["exit"]
    for sensor, level in written["sensors_stuck"].items():
        plant.sensors.stick(int(sensor), level)
    plant.settle_sensors(written["levels"])
