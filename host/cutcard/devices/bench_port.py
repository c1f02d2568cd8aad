"""`bench:...` and `chip:...`: ports that start their own device and stop it when released."""

from __future__ import annotations

from cutcard import extras
from cutcard.bench.client import START, Bench, BenchError
from cutcard.bench.settings import SettingsError
from cutcard.devices.deadline import use_emulated_board_time
from cutcard.devices.errors import BadPortError, PortNotFoundError
from cutcard.devices.keys import DeviceKey
from cutcard.devices.lines import Line, Port, running
from cutcard.machines import DEFAULT_MACHINE, MachineFileError, find

OPTIONS = {
    "bench": ("seed", "decks", "clock", "folder", "heap", "blank"),
    "chip": ("seed", "decks", "clock", "folder", "blank"),
}
# Seconds. An emulated board is programmed, checks its image and tests its noise, in emulation.
STARTS = {"bench": START, "chip": 300.0}


class BenchPort(Port):
    """The bench starts with `start` or the first `connect`; later connects reach the same bench."""

    def __init__(self, text: str, kind: str, machine: str, options: dict[str, str]) -> None:
        super().__init__(text)
        self._kind = kind
        unknown = sorted(set(options) - set(OPTIONS[kind]))
        if unknown:
            raise self._wrong(f"a {kind} has no option {unknown[0]!r}")
        self._machine = machine or DEFAULT_MACHINE
        try:
            find(self._machine)
        except MachineFileError as error:
            problem = f"{text!r}: {_sentence(error)}"
            raise BadPortError(
                problem, f"`{kind}:` without a name uses {DEFAULT_MACHINE}."
            ) from error
        self._options = options
        self.bench: Bench | None = None

    def connect(self) -> Line:
        self.start()
        assert self.bench is not None
        return running(self.bench.port).connect()

    def start(self) -> None:
        if self.bench is None:
            if self._kind == "chip":
                use_emulated_board_time()
            self.bench = self._begun()
            if self.bench.key:
                self.key = DeviceKey(self.bench.key)

    def _begun(self) -> Bench:
        options = self._options
        if module := extras.lacking("bench"):
            raise PortNotFoundError(
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
                heap=options.get("heap", "288k"),
                blank=options.get("blank", "no") in ("1", "yes"),
                timeout=STARTS[self._kind],
                module=f"cutcard.{self._kind}",
            )
        except (SettingsError, ValueError) as error:
            raise self._wrong(str(error)) from error
        except BenchError as error:
            raise PortNotFoundError(
                f"{self.text}: the bench did not start: {_sentence(error)}",
                "Run `cutcard doctor`; it lists missing parts and how to install them.",
            ) from error

    def _wrong(self, problem: str) -> BadPortError:
        return BadPortError(
            f"{self.text!r}: {problem}.",
            f"Options are {', '.join(OPTIONS[self._kind])}, "
            f"as in {self._kind}:{DEFAULT_MACHINE}?seed=7&decks=6.",
        )

    def release(self) -> None:
        if self.bench is not None:
            self.bench.close()
            self.bench = None


def _sentence(error: Exception) -> str:
    """Return the error's text, ending with a period, because another sentence follows."""
    return f"{str(error).rstrip('.')}."
