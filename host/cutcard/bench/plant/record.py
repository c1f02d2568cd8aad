"""Store and restore the state of a machine model, so that a bench can be closed."""

from __future__ import annotations

from typing import Any

from cutcard.bench.plant.cards import PlayingCard
from cutcard.bench.plant.machine import Plant
from cutcard.bench.plant.panel import Panel
from cutcard.bench.plant.works import Works


def record(works: Works) -> dict[str, Any]:
    """Return the position of every card and all faults. The power is off at this time."""
    lines = {"sensors_stuck": works.sensors.stuck, "levels": list(works.sensors.levels)}
    if isinstance(works, Plant):
        return {**_record_cards(works), **lines}
    assert isinstance(works, Panel)
    screens = [[*place, each.broken, each.fixed] for place, each in works.screens.items()]
    return {"screens": screens, **lines}


def restore(works: Works, written: dict[str, Any]) -> None:
    """Set up a new model of the same machine in a recorded state."""
    if isinstance(works, Plant):
        _restore_cards(works, written)
    elif isinstance(works, Panel):
        for table, name, broken, fixed in written["screens"]:
            works.screens[table, name].broken = broken
            works.screens[table, name].fixed = fixed
    for sensor, level in written["sensors_stuck"].items():
        works.sensors.stick(int(sensor), level)
    if isinstance(works, Plant):
        works.settle_sensors(written["levels"])


def _record_cards(plant: Plant) -> dict[str, Any]:
    return {
        "cards": [[card.deck, card.code, card.face_up] for card in plant.printer.cards],
        "decks": plant.printer.decks,
        "places": {
            place: [card.number for card in cards] for place, cards in plant.places().items()
        },
        "position": plant.bins.position,
        "stuck": plant.bins.stuck,
        "jammed": {"entry": plant.entry.jammed, "exit": plant.exit.jammed},
    }


def _restore_cards(plant: Plant, written: dict[str, Any]) -> None:
    for deck, code, face_up in written["cards"]:
        plant.printer.card(code, deck).face_up = face_up
    plant.printer.decks = written["decks"]
    cards: list[PlayingCard] = plant.printer.cards
    for place, row in plant.places().items():
        row[:] = [cards[number] for number in written["places"][place]]
    plant.mouth.outside += plant.mouth.passing  # the hand has finished its draw
    plant.mouth.passing.clear()
    plant.bins.position = written["position"]
    plant.bins.stuck = written["stuck"]
    plant.entry.jammed = written["jammed"]["entry"]
    plant.exit.jammed = written["jammed"]["exit"]
