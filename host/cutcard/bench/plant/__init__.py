"""The machine as a thing of metal and cardboard: it knows every card and obeys only its motors."""

from cutcard.bench.plant.machine import Plant

__all__ = ["Plant"]
