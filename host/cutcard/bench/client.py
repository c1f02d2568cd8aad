"""A bench that a Python program starts, commands as the person at it, and ends.

with Bench.start("carousel-38", seed=7, decks=6) as bench:
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

START = 90.0  # seconds until a bench must be ready; it gives up by itself, and says why, before
ANSWER = 60.0  # seconds until a word must be answered
ENDING = 60.0  # seconds until a bench must have ended: before that it writes where its cards are


class BenchError(Exception):
    """The bench did not start, did not answer in time, or refused a word; `hint` may help."""

    def __init__(self, error: str, hint: str = "") -> None:
        super().__init__(f"{error} ({hint})" if hint else error)
        self.hint = hint


class Bench:
    """A running bench; its device is reached through `port` with `key`."""

    patience = ANSWER  # seconds; one that took long to start takes long to answer, too

    def __init__(
        self, process: subprocess.Popen[bytes] | None, introduction: dict[str, Any]
    ) -> None:
        self._process = process  # None: it stays when this program ends
        self._person = socket.socket(socket.AF_UNIX)
        self._person.connect(introduction["person"])
        self._sockets = Path(introduction["person"]).parent
        self._unread = b""
        self._introduce(introduction)

    @classmethod
    def start(
        cls,
        machine: str = "carousel-38",
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
        """Start a bench and wait until it says that it is ready, at most `timeout` seconds. The
        module is what is started: `cutcard.chip` has the emulated chip on the same bench."""
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
        """The bench that runs in a folder, or a new one there. It stays until `end` ends it.

        Who started it may be killed: the device goes on, and the next program finds it here.
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
        """The bench that stays in a folder; one that was killed left its word, and is none."""
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

    # The person's words

    def do(self, word: str, *, timeout: float | None = None, **arguments: Any) -> dict[str, Any]:
        """Send a command to the person's port. Raises BenchError where it is refused."""
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
        """How many cards lie where, motors, gate, crashes: what a person at the bench sees."""
        return self.do("status")

    def cards(self) -> dict[str, list[dict[str, Any]]]:
        """Return the cards of each place; the list of an empty place is empty."""
        found: dict[str, list[dict[str, Any]]] = self.do("cards")["cards"]
        return found

    def put(self, decks: int = 0, pack: int = 52, **more: Any) -> int:
        """Put new decks into the tray, or into a shoe; how many cards that were."""
        return int(self.do("put", decks=decks, pack=pack, **more)["put"])

    def return_cards(self, count: int | str = "all") -> int:
        """Put cards from the table back into the tray; how many."""
        return int(self.do("return", count=str(count))["returned"])

    def settle(self, timeout: float | None = None) -> int:
        """Wait until nothing moves and the firmware waits only for its host; the bench's time."""
        return int(self.do("settle", timeout=timeout)["milliseconds"])

    def advance(self, milliseconds: int) -> int:
        """Let so much time pass on the bench; the time then."""
        return int(self.do("advance", milliseconds=milliseconds)["milliseconds"])

    def cut_power(self) -> None:
        """Motors stop, cards stay where they are, the firmware is gone."""
        self.do("power", how="cut")

    def restore_power(self) -> None:
        """Power is back, and the firmware is ready again."""
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
        assert self._process is not None, "a bench that stays belongs to nobody"
        return self._process.pid

    # The end

    def close(self) -> None:
        """End the bench and its firmware; one that stays is only left."""
        self._person.close()
        if self._process is None:
            return
        _end(self._process)
        # A bench that was killed could not tidy up after itself.
        shutil.rmtree(self._sockets, ignore_errors=True)

    def end(self) -> None:
        """End a bench that stays, and wait until its folder has every card where it lies.

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
        """Wait until the bench hangs up: the last thing that it does, when all is written."""
        self._person.settimeout(self.patience)
        try:
            while self._person.recv(65536):
                pass
        except TimeoutError as error:
            raise BenchError(f"quit: the bench has not ended within {self.patience:g} s") from error
        except ConnectionError:
            pass  # it has gone

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
    """One line within the time, or what there is of it when the other end closes."""
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
    """Close its leash; a bench that does not end by that is killed."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(ENDING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
