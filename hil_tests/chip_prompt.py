"""MicroPython's prompt on the emulated chip, with given files on its flash."""

from __future__ import annotations

from pathlib import Path

from cutcard.bench.chip import MICROPYTHON_BLOCKS
from cutcard.bench.filling import run_on_new_files
from cutcard.bench.flash import BLOCK, SIZE
from cutcard.chip.emulator import Emulator
from cutcard.chip.parts import micropython
from cutcard.chip.programming import _COPY, put

_STEP = 10_000  # microseconds
_PIECE = 64  # bytes in one USB packet


class Prompt:
    def __init__(self, folder: Path, files: dict[str, bytes]) -> None:
        flash, own = folder / "flash.img", folder / "micropython"
        for name, content in files.items():
            put(folder / "root" / name, content)
        flash.write_bytes(b"\xff" * SIZE)
        run_on_new_files(_COPY, flash, folder / "copy.py", str(folder / "root"))
        own.write_bytes(micropython(MICROPYTHON_BLOCKS * BLOCK))
        self._board = Emulator()
        self._board.power_on((own, flash), b"prompt!!")
        self._now = 0.0
        self._said = b""
        for _ in range(30):
            self._step()

    def run(self, program: str, seconds: int = 60) -> str:
        """Return the output of the program. Raise AssertionError with MicroPython's message on an
        error."""
        self._said = b""
        self._step(b"\x01")
        for at in range(0, len(program), _PIECE):
            self._step(program[at : at + _PIECE].encode())
        self._step(b"\x04")
        end = self._now + seconds * 1e6
        while self._said.count(b"\x04") < 2:
            assert self._now < end, self._said
            self._step()
        printed, error, _ = self._said.split(b"OK", 1)[1].split(b"\x04")
        assert not error, error.decode()
        return printed.decode()

    def close(self) -> None:
        self._board.close()

    def _step(self, usb: bytes = b"") -> None:
        self._board.request(until=self._now + _STEP, **({"usb": usb} if usb else {}))
        answer = self._board.wait_for_answer()
        self._now = answer.now
        self._said += answer.usb
