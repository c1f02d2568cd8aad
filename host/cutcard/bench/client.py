"""Start a bench from a Python program, send it the person's commands, and end it.

with Bench.start("carousel-60", seed=7, decks=6) as bench:
    bench.do("jam", where="entry", after=3)
    ... a driver opens bench.port with bench.key ...
"""

from __future__ import annotations

import json
import select
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from cutcard import private_files
from cutcard.bench.settings import RUNNING, STATE, Settings
from cutcard.machines import DEFAULT_MACHINE

START = 90.0  # seconds until a bench must be ready; it times out by itself before, with the reason
ANSWER = 60.0  # seconds until a command must be answered
ENDING = 60.0  # seconds until a bench must have ended: it writes the positions of its cards first
CYCLE = 5000  # milliseconds: a device at rest takes a chunk of noise at least so often
CYCLES_TO_NOTICE = 12  # chunks of 64 samples


class BenchError(Exception):
    """The bench did not start, did not answer in time, or refused a command; `hint` may help."""

    def __init__(self, error: str, hint: str = "") -> None:
        super().__init__(f"{error} ({hint})" if hint else error)
        self.hint = hint


class Bench:
    """A running bench; its device is reached through `port` with `key`."""

    patience = ANSWER  # seconds; longer for a bench that takes long to start

    def __init__(
        self, process: subprocess.Popen[bytes] | None, introduction: dict[str, Any]
    ) -> None:
        self._process = process  # None: it continues when this program ends
        self._person = socket.socket(socket.AF_UNIX)
        self._person.connect(introduction["person"])
        self._sockets = Path(introduction["person"]).parent
        self._unread = b""
        self._introduce(introduction)

    @classmethod
    def start(
        cls,
        machine: str = DEFAULT_MACHINE,
        *,
        seed: int | str | None = None,
        decks: int | str = 0,
        clock: str = "virtual",
        listen: str = "",
        folder: str = "",
        heap: str = "288k",
        provision: bool = True,
        blank: bool = False,
        lines: bool = True,
        timeout: float = START,
        module: str = "cutcard.bench",
    ) -> Bench:
        """Start a bench and wait until it is ready, at most `timeout` seconds.

        `module` is the module to start: `cutcard.chip` has the emulated chip on the same bench.
        """
        settings = Settings(
            machine=machine,
            seed=None if seed is None else int(seed),
            decks=str(decks),
            clock=clock,
            listen=listen,
            folder=folder,
            heap=heap,
            provision=provision,
            blank=blank,
            lines=lines,
        )
        process = subprocess.Popen(
            [sys.executable, "-m", module, json.dumps(vars(settings))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,
        )
        try:
            assert process.stdout is not None
            introduction = json.loads(_line(process.stdout, timeout) or "{}")
            if not introduction.get("ready"):
                raise BenchError(introduction.get("error", "the bench ended before it was ready"))
            bench = cls(process, introduction)
            bench.patience = max(ANSWER, timeout)
            return bench
        except BaseException:
            _end(process)
            raise

    @classmethod
    def staying(
        cls, machine: str, folder: Path, *, seed: int | None = None, decks: int | str = 0
    ) -> Bench:
        """Return the bench that runs in a folder, or a new one there. It runs until `end` ends it.

        The program that started it may be killed: the device continues, and the next program finds
        it.
        """
        found = cls.found(folder)
        if found is not None:
            return found
        private_files.make_folder(folder)
        settings = Settings(machine, seed, str(decks), folder=str(folder), stays=True)
        with (folder / "bench.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "cutcard.bench", json.dumps(vars(settings))],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        assert process.stdout is not None
        introduction = json.loads(_line(process.stdout, START) or "{}")
        process.stdout.close()
        if not introduction.get("ready"):
            process.wait()
            raise BenchError(introduction.get("error", "the bench ended before it was ready"))
        return cls(None, introduction)

    @classmethod
    def found(cls, folder: Path) -> Bench | None:
        """Return the bench that runs in a folder, or None, also if it was killed."""
        try:
            introduction = json.loads((folder / RUNNING).read_bytes())
            return cls(None, introduction) if introduction else None
        except OSError:
            return None

    def _introduce(self, introduction: dict[str, Any]) -> None:
        self.machine: str = introduction["machine"]
        self.port: str = introduction["port"]
        self.serial = bytes.fromhex(introduction["serial"])
        self.seed: int = introduction["seed"]
        self.folder: str = introduction["folder"]
        self.key = b""
        if introduction["key_file"]:
            with open(introduction["key_file"]) as file:
                self.key = bytes.fromhex(file.read())

    # Commands of the person

    def do(self, word: str, *, timeout: float | None = None, **arguments: Any) -> dict[str, Any]:
        """Send a command to the person's port. Raises BenchError if it is refused."""
        timeout = timeout or self.patience
        request = {"do": word, **{name.rstrip("_"): value for name, value in arguments.items()}}
        self._person.settimeout(timeout)
        deadline = time.monotonic() + timeout
        self._person.sendall(json.dumps(request).encode() + b"\n")
        while b"\n" not in self._unread:
            self._person.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                data = self._person.recv(65536)
            except TimeoutError as error:
                raise BenchError(f"{word}: no answer within {timeout:g} s") from error
            if not data:
                raise BenchError(f"{word}: the bench has ended")
            self._unread += data
        line, _, self._unread = self._unread.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        if not answer.pop("ok"):
            raise BenchError(f"{word}: {answer['error']}", answer["hint"])
        return answer

    def status(self) -> dict[str, Any]:
        """Return the counts of cards by place, motors, gate and crashes, as the person at the bench
        sees."""
        return self.do("status")

    def cards(self) -> dict[str, list[dict[str, Any]]]:
        """Return the cards of each place; the list of an empty place is empty."""
        found: dict[str, list[dict[str, Any]]] = self.do("cards")["cards"]
        return found

    def put(self, decks: int = 0, pack: int = 52, **more: Any) -> int:
        """Put new decks into the tray, or into a shoe; return the number of cards."""
        return int(self.do("put", decks=decks, pack=pack, **more)["put"])

    def return_cards(self, count: int | str = "all") -> int:
        """Put cards from the table back into the tray; return their number."""
        return int(self.do("return", count=str(count))["returned"])

    def settle(self, timeout: float | None = None) -> int:
        """Wait until the machine is at rest and the firmware waits only for its host; return the
        bench's time."""
        return int(self.do("settle", timeout=timeout)["milliseconds"])

    def advance(self, milliseconds: int) -> int:
        """Let this time pass on the bench; return the new time."""
        return int(self.do("advance", milliseconds=milliseconds)["milliseconds"])

    def stick_noise(self, level: int = 0) -> None:
        """Let the noise stick until a device at rest notices it: 751 equal samples are a fault."""
        self.do("noise", how="stuck", value=level)
        for _ in range(CYCLES_TO_NOTICE):
            self.advance(CYCLE)

    def cut_power(self) -> None:
        """Cut the power: motors stop, cards stay in place, the firmware ends."""
        self.do("power", how="cut")

    def restore_power(self) -> None:
        """Restore the power, and wait until the firmware is ready again."""
        self.do("power", how="restore")

    def cycle_power(self) -> None:
        """Cut the power and restore it."""
        self.do("power", how="cycle")

    def factory(self, seed: int | None = None, decks: int | str = 0) -> None:
        """Replace the device by another in the same process: blank flash, a new key, a new seed."""
        answer = self.do("factory", seed=seed, decks=str(decks))
        self._introduce(answer)

    @property
    def pid(self) -> int:
        assert self._process is not None, "a bench that stays has no process here"
        return self._process.pid

    # End

    def close(self) -> None:
        """End the bench and its firmware; disconnect from a bench that stays."""
        self._person.close()
        if self._process is None:
            return
        _end(self._process)
        # A bench that was killed could not clean up.
        shutil.rmtree(self._sockets, ignore_errors=True)

    def end(self) -> None:
        """End a bench that stays, and wait until its folder contains the position of every card.

        Then the folder may be copied, and another bench may start there. Raises BenchError if the
        bench was killed before it had written its cards.
        """
        private_files.replace(Path(self.folder) / RUNNING, "{}")
        self.do("quit")
        self._see_it_off()
        self.close()
        if not json.loads((Path(self.folder) / STATE).read_bytes())["ended"]:
            raise BenchError(
                f"quit: the bench in {self.folder} was killed before it had written its cards",
                "they are where they were when it started; start with another folder",
            )

    def _see_it_off(self) -> None:
        """Wait until the bench disconnects, its last action after all writes."""
        self._person.settimeout(self.patience)
        try:
            while self._person.recv(65536):
                pass
        except TimeoutError as error:
            raise BenchError(f"quit: the bench has not ended within {self.patience:g} s") from error
        except ConnectionError:
            pass  # it has ended

    def __enter__(self) -> Bench:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _line(stream: IO[bytes], timeout: float) -> bytes:
    """Return one line within the time, or the part received when the other end closes."""
    deadline = time.monotonic() + timeout
    line = b""
    while not line.endswith(b"\n"):
        readable, _, _ = select.select([stream], [], [], max(0.0, deadline - time.monotonic()))
        if not readable:
            raise BenchError(f"the bench was not ready within {timeout:g} s")
        data = stream.read1(4096)  # type: ignore[attr-defined]
        if not data:
            break
        line += data
    return line


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the bench's standard input; kill a bench that does not end."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(ENDING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
