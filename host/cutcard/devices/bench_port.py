"""`bench:...`: a port that starts its own device and ends it when it is released."""

from __future__ import annotations

from cutcard.bench.client import Bench
from cutcard.devices.errors import BadPort
from cutcard.devices.keys import DeviceKey
from cutcard.devices.ports import Line, Port, parse

DEFAULT_MACHINE = "carousel-38"
OPTIONS = ("seed", "decks", "clock")


class BenchPort(Port):
    """The bench starts with the first `connect`; a later one reaches the same bench."""

    def __init__(self, text: str, machine: str, options: dict[str, str]) -> None:
        super().__init__(text)
        unknown = sorted(set(options) - set(OPTIONS))
        if unknown:
            raise BadPort(
                f"{text!r}: a bench has no option {unknown[0]!r}.",
                f"It has {', '.join(OPTIONS)}: bench:{machine or DEFAULT_MACHINE}?seed=7&decks=6",
            )
        self._machine = machine or DEFAULT_MACHINE
        self._options = options
        self.bench: Bench | None = None

    def connect(self) -> Line:
        if self.bench is None:
            self.bench = Bench.start(self._machine, **self._options)
            self.key = DeviceKey(self.bench.key)
        return parse(self.bench.port).connect()

    def release(self) -> None:
        if self.bench is not None:
            self.bench.close()
            self.bench = None
