"""A model of the mechanics: it knows every card and obeys only its motors."""

from cutcard.bench.plant.bins import Bins
from cutcard.bench.plant.machine import Plant
from cutcard.bench.plant.panel import Panel
from cutcard.bench.plant.works import Works
from cutcard.machines import Machine

__all__ = ["Panel", "Plant", "Works", "works_of"]


def works_of(machine: Machine, seed: str, bins: type[Bins] = Bins) -> Works:
    """Return the model for a machine file, optionally with another kind of wheel."""
    return Panel(machine, seed) if machine.kind == "controller" else Plant(machine, seed, bins)
