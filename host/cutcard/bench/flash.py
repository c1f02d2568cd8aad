"""A model of the board's NOR flash in a file, with wear and power failures during a write."""

from __future__ import annotations

from array import array
from pathlib import Path
from random import Random
from struct import Struct
from typing import BinaryIO

BLOCKS = 352
BLOCK = 4096
PAGE = 256
SIZE = BLOCKS * BLOCK
ENDURANCE = 100_000  # erases that a block of common chips survives


OPERATION = Struct("<HH")  # block and offset; an offset of BLOCK is an erase


def operations_in(log: bytes) -> list[bytes]:
    """Return the operations recorded by `record`."""
    found = []
    at = 0
    while at < len(log):
        erase = OPERATION.unpack_from(log, at)[1] == BLOCK
        size = OPERATION.size + (0 if erase else PAGE)
        found.append(log[at : at + size])
        at += size
    return found


class PowerCutError(Exception):
    """The power failed during this operation, so the caller gets no answer."""


class FlashImage:
    """A flash chip: a program only clears bits; an erase of an entire block sets them.

    The firmware reads the file itself; every change uses this class and is counted.
    """

    def __init__(self, image: Path, seed: str) -> None:
        self.image = image
        self._chance = Random(f"{seed}/flash")
        if not image.exists():
            image.write_bytes(b"\xff" * SIZE)
        self._file = image.open("r+b", buffering=0)
        self.programs = array("L", [0] * BLOCKS)
        self.erases = array("L", [0] * BLOCKS)
        self._cut_in = 0  # operations until the power fails; 0: it does not
        self._torn = 0.5
        self.operations = 0
        self._log: BinaryIO | None = None

    def record(self, log: Path | None) -> None:
        """Record every program and erase from now on, for `replay`; None: stop recording."""
        if self._log is not None:
            self._log.close()
        self._log = log.open("wb", buffering=0) if log else None

    def cut_at(self, operation: int, torn: float) -> None:
        """Fail at the n-th program or erase from now, after the share `torn` of it is done."""
        self._cut_in = operation
        self._torn = torn

    @property
    def cut_in(self) -> int:
        return self._cut_in

    def program(self, block: int, offset: int, data: bytes) -> None:
        if offset % PAGE or len(data) != PAGE or offset >= BLOCK:
            raise ValueError(f"a program of {len(data)} bytes at {offset}: one page of {PAGE}")
        self.programs[self._checked(block)] += 1
        self._note(block, offset, data)
        done = self._share(len(data))
        old = self.read(block, offset, len(data))
        both = int.from_bytes(old, "little") & int.from_bytes(data, "little")
        new = bytearray(both.to_bytes(PAGE, "little"))
        if done is not None:
            new[done:] = old[done:]
            if 0 < done < PAGE:  # of the current byte, some bits are cleared and some not yet
                new[done] = old[done] & (data[done] | self._chance.getrandbits(8))
        self._write(block, offset, new)
        if done is not None:
            raise PowerCutError

    def erase(self, block: int) -> None:
        self.erases[self._checked(block)] += 1
        self._note(block, BLOCK, b"")
        done = self._share(BLOCK)
        if done is None:
            self._write(block, 0, b"\xff" * BLOCK)
            return
        old = self.read(block, 0, BLOCK)
        new = bytearray(b"\xff" * done + old[done:])
        # An erase lifts all cells together: if it was interrupted, some have risen.
        for at in range(done, min(done + PAGE, BLOCK) if done else 0):
            new[at] |= self._chance.getrandbits(8)
        self._write(block, 0, new)
        raise PowerCutError

    def read(self, block: int, offset: int = 0, length: int = BLOCK) -> bytes:
        self._file.seek(self._checked(block) * BLOCK + offset)
        return self._file.read(length)

    def format(self) -> None:
        """Erase all blocks to the factory state; the wear counters remain."""
        self._file.seek(0)
        self._file.write(b"\xff" * SIZE)

    def corrupt(self, block: int, offset: int, length: int) -> None:
        """Change bytes, as a failing chip does."""
        old = self.read(block, offset, length)
        self._write(block, offset, bytes(b ^ self._chance.randrange(1, 256) for b in old))

    def renew(self) -> None:
        """Replace the chip by a blank and unworn one, in the same file."""
        self.programs = array("L", [0] * BLOCKS)
        self.erases = array("L", [0] * BLOCKS)
        self.format()

    def wear(self) -> dict[str, int]:
        hottest = max(range(BLOCKS), key=self.erases.__getitem__)
        return {
            "programs": sum(self.programs),
            "erases": sum(self.erases),
            "hottest_block": hottest,
            "hottest_erases": self.erases[hottest],
            "endurance": ENDURANCE,
        }

    def close(self) -> None:
        self._file.close()

    def replay(self, operation: bytes) -> None:
        """Repeat one operation recorded by `record`."""
        block, offset = OPERATION.unpack_from(operation)
        if offset == BLOCK:
            self.erase(block)
        else:
            self.program(block, offset, operation[OPERATION.size :])

    def put_back(self, block: int, content: bytes) -> None:
        """Restore an earlier content of a block."""
        self._write(self._checked(block), 0, content)

    def _note(self, block: int, offset: int, data: bytes) -> None:
        if self._log is not None:
            self._log.write(OPERATION.pack(block, offset) + data)

    def _checked(self, block: int) -> int:
        if not 0 <= block < BLOCKS:
            raise ValueError(f"there is no block {block}: the flash has {BLOCKS}")
        return block

    def _share(self, whole: int) -> int | None:
        """Return the number of bytes done before the cut, or None if the power stays on."""
        self.operations += 1
        if not self._cut_in:
            return None
        self._cut_in -= 1
        return None if self._cut_in else round(whole * self._torn)

    def _write(self, block: int, offset: int, data: bytes | bytearray) -> None:
        self._file.seek(block * BLOCK + offset)
        self._file.write(data)
