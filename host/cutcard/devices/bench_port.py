"""`bench:...`: a port that starts its own device and ends it when it is released."""

from __future__ import annotations

from cutcard import extras
from cutcard.bench.client import Bench, BenchError
from cutcard.bench.settings import SettingsError
from cutcard.devices.errors import BadPort, PortNotFound
from cutcard.devices.keys import DeviceKey
from cutcard.devices.ports import Line, Port, parse
from cutcard.machines import MachineFileError, find

DEFAULT_MACHINE = "carousel-38"
OPTIONS = ("seed", "decks", "clock", "folder", "heap", "blank")


class BenchPort(Port):
    """The bench starts with the first `connect`; a later one reaches the same bench."""

    def __init__(self, text: str, machine: str, options: dict[str, str]) -> None:
        super().__init__(text)
        unknown = sorted(set(options) - set(OPTIONS))
        if unknown:
            raise self._wrong(f"a bench has no option {unknown[0]!r}")
        self._machine = machine or DEFAULT_MACHINE
        try:
            find(self._machine)
        except MachineFileError as error:
            raise BadPort(f"{text!r}: {error}", "`bench:` alone takes carousel-38.") from error
        self._options = options
        self.bench: Bench | None = None

    def connect(self) -> Line:
        if self.bench is None:
            self.bench = self._start()
            if self.bench.key:
                self.key = DeviceKey(self.bench.key)
        return parse(self.bench.port).connect()

    def _start(self) -> Bench:
        options = self._options
        if module := extras.lacking("bench"):
            raise PortNotFound(
                f"{self.text}: a bench needs {module}, which is not installed.",
                extras.how_to_get("bench"),
            )
        try:
            return Bench.start(
                self._machine,
                seed=options.get("seed"),
                decks=options.get("decks", "0"),
                clock=options.get("clock", "virtual"),
                folder=options.get("folder", ""),
                heap=options.get("heap", "192k"),
                blank=options.get("blank", "no") in ("1", "yes"),
            )
        except (SettingsError, ValueError) as error:
            raise self._wrong(str(error)) from error
        except BenchError as error:
            raise PortNotFound(
                f"{self.text}: the bench did not start: {error}",
                "Run `cutcard doctor`, which says what is missing and how to get it.",
            ) from error

    def _wrong(self, problem: str) -> BadPort:
        return BadPort(
            f"{self.text!r}: {problem}.",
            f"Options are {', '.join(OPTIONS)}, as in bench:{DEFAULT_MACHINE}?seed=7&decks=6.",
        )

    def release(self) -> None:
        if self.bench is not None:
            self.bench.close()
            self.bench = None
