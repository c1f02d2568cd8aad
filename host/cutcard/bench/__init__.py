"""The bench: the real firmware in MicroPython, with a model of the rest of the machine around it.

with Bench.start("carousel-60", seed=7, decks=6) as bench:
    bench.do("jam", where="entry", after=3)  # docs/how-to/bench.md lists all commands
    ...  # a driver opens bench.port with key=bench.key
"""

from cutcard.bench.client import Bench, BenchError
from cutcard.bench.settings import SettingsError

__all__ = ["Bench", "BenchError", "SettingsError"]
