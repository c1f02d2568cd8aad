"""The first image of a board: through mpremote, at the prompt of stock MicroPython.

main.py is written last, by one rename. Until then the board starts with its prompt again after any
failure, and flashing is repeated from the beginning. The image is written into both slots: if one
is damaged later, the other can still report it.
"""

from __future__ import annotations

import contextlib
import io
import secrets
import struct
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import serial  # type: ignore[import-untyped]
from mpremote.transport import (  # type: ignore[import-untyped]
    TransportError,
    TransportExecError,
)
from mpremote.transport_serial import SerialTransport  # type: ignore[import-untyped]

from cutcard import untrusted
from cutcard.devices.deadline import Deadline
from cutcard.flashing.errors import (
    FlashingBrokenError,
    NobodyThereError,
    NotBlankError,
    NotTakenError,
)
from cutcard.image.image import Image
from cutcard.image.reasons import explain
from cutcard_firmware.core.image import identity as ident
from cutcard_firmware.core.image import manifest as mf
from cutcard_firmware.core.image import trust

Progress = Callable[[int, int], None]  # bytes done, bytes in total
SECONDS = 10  # for one answer of the prompt
CATCH_UP = 3  # seconds without output, after which the prompt does not answer
CHUNK = 512
OURS = {"image", "cutcard"}  # left by an interrupted flashing, before main.py

# Runs on the board.
_SERIAL = """
try:
    from machine import unique_id
except ImportError:
    unique_id = bytes
"""
# Runs on the board: removes all files and folders.
_CLEAR = """
import os
def clear(folder):
    for entry in list(os.ilistdir(folder)):
        path = folder + "/" + entry[0]
        if entry[1] == 0x4000:
            clear(path)
            os.rmdir(path)
        else:
            os.remove(path)
clear("")
for folder in ("/cutcard", "/image", "/image/a", "/image/b"):
    os.mkdir(folder)
"""
# Runs on the board: copies the first slot to the second, and checks both.
_COPY = """
import os
for entry in os.ilistdir("/image/a"):
    with open("/image/a/" + entry[0], "rb") as f, open("/image/b/" + entry[0], "wb") as t:
        while True:
            part = f.read(4096)
            if not part:
                break
            t.write(part)
            print(len(part))  # mpremote takes ten silent seconds for the end
"""


class _Transport(SerialTransport):  # type: ignore[misc]
    """mpremote's transport, with timeouts in the board's seconds."""

    def read_until(
        self,
        min_num_bytes: int,
        ending: bytes,
        timeout: float | None = SECONDS,
        data_consumer: Any = None,
        timeout_overall: float | None = None,
    ) -> Any:
        silence, whole = (
            None if t is None else Deadline(t).wait for t in (timeout, timeout_overall)
        )
        return super().read_until(min_num_bytes, ending, silence, data_consumer, whole)

    def catch_up(self) -> None:
        """Have the prompt compute a value, so that all earlier output has arrived.

        A hello that it took for typing has control characters in it: a slow board still answers
        those when mpremote contacts it, and mpremote mistakes that for its own answer.
        """
        number = secrets.randbelow(10**6) + 10**6
        self.serial.write(b"\r\x03\x03\x02")  # ends a program, a line, and any special mode
        self.serial.write(f"print(3*{number})\r".encode())
        self._wait_for(f"{3 * number}\r\n".encode())

    def _wait_for(self, end: bytes) -> None:
        """Read up to `end`, or until the board is silent.

        mpremote's own `read_until` never returns while other bytes arrive.
        """
        whole, silence = Deadline(SECONDS), Deadline(CATCH_UP)
        read = b""
        while not read.endswith(end):
            if whole.over:
                raise TransportError("the port never stops sending")
            if silence.over:
                return  # mpremote reports it
            if self.serial.in_waiting:
                read = (read + self.serial.read(1))[-len(end) :]
                silence = Deadline(CATCH_UP)
            else:
                whole.pause(0.01)


class Prompt:
    """MicroPython's raw REPL on a serial port, in mpremote's protocol."""

    def __init__(self, device: str) -> None:
        self.device = device
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said):  # mpremote prints unexpected output
                wait = Deadline(SECONDS).wait
                self._transport = _Transport(device, timeout=wait)
                self._transport.serial.write_timeout = wait  # a hung board does not read
                try:
                    self._transport.catch_up()
                    self._transport.enter_raw_repl(soft_reset=False, timeout_overall=SECONDS)
                except BaseException:
                    self._transport.close()
                    raise
        except (TransportError, serial.SerialException, OSError) as error:
            raise NobodyThereError(
                f"{device}: no cutcard device and no MicroPython prompt answers "
                f"({untrusted.why_unreadable(error)}).",
                "Check cable and power; a new board needs MicroPython first "
                "(docs/how-to/bring-up.md, step 3).",
            ) from error

    def close(self) -> None:
        with contextlib.suppress(OSError, serial.SerialException):
            self._transport.close()

    @contextlib.contextmanager
    def speaking(self) -> Iterator[Any]:
        try:
            yield self._transport
        except TransportExecError as error:
            last = error.error_output.strip().splitlines()[-1:]
            raise FlashingBrokenError(
                f"{self.device}: MicroPython reports {' '.join(last)!r}.",
                "Run the command again; if it stays so, erase the board (docs/how-to/flashing.md).",
            ) from error
        except (
            TransportError,
            serial.SerialException,
            OSError,
            ValueError,
            struct.error,  # mpremote unpacks an answer that did not arrive
        ) as error:
            raise FlashingBrokenError(
                f"{self.device}: the line broke while the board was flashed "
                f"({untrusted.why_unreadable(error)}).",
                "Check the cable and run the command again: the board starts with its prompt.",
            ) from error

    def implementation(self) -> Implementation:
        """Return the board's `sys.implementation`."""
        with self.speaking() as talk:
            talk.exec("import sys")
            about = talk.eval(
                "(tuple(sys.implementation.version)[:2], sys.implementation._machine, "
                "getattr(sys.implementation, '_mpy', 0))"
            )
        return Implementation(*about)

    def serial_number(self) -> bytes:
        """Return the serial number of the board, or b"" if its MicroPython does not report one."""
        with self.speaking() as talk:
            talk.exec(_SERIAL)
            number: bytes = talk.eval("unique_id()")
        return number

    def files(self) -> set[str]:
        with self.speaking() as talk:
            return {entry.name for entry in talk.fs_listdir("/")}


class Implementation:
    """The fields of `sys.implementation` that `identity.check_fits` uses."""

    def __init__(self, version: tuple[int, ...], machine: str, mpy: int) -> None:
        self.version = version
        self._machine = machine
        self._mpy = mpy

    def __getitem__(self, place: int) -> tuple[int, ...]:
        return ("micropython", self.version)[place]  # type: ignore[return-value]


def install(prompt: Prompt, image: Image, yes: Callable[[str], bool], progress: Progress) -> None:
    """Install the first image on a blank board. `yes` is asked before foreign files are removed."""
    record = image.new_identity()
    try:
        trust.check_fits(image.head, prompt.implementation())
    except mf.Refused as refused:
        raise NotTakenError(
            prompt.device, refused.reason, *explain(refused.reason, refused.which)
        ) from None
    there = prompt.files()
    foreign = sorted(there if "main.py" in there else there - OURS - {"boot.py"})
    named = untrusted.printable(", ".join(foreign))
    if foreign and not yes(f"{prompt.device} has files that will be removed: {named}"):
        raise NotBlankError(
            f"{prompt.device}: there are files on the board: {named}.",
            "Save the files you need, then add --yes to have them removed.",
        )
    with prompt.speaking() as talk:
        talk.exec(_CLEAR)
        _write(talk, image, record, progress)


def _write(talk: Any, image: Image, record: ident.Identity, progress: Progress) -> None:
    whole = len(image.data)
    done = 0

    def write(path: str, data: bytes) -> None:
        nonlocal done
        talk.fs_writefile(path, data, CHUNK, lambda n, _: progress(done + n, whole))
        done += len(data)

    starters = [file for file in image.files if file.name.startswith("/")]
    write("/image/a/manifest", image.manifest + image.signature)
    write(f"/image/a/{mf.MODULES}", image.in_slot)
    talk.exec(_COPY)
    write("/cutcard/identity", record.packed())
    for file in sorted(starters, key=lambda file: file.name == "/main.py"):
        write(f"{file.name}.new", file.data)
    for slot in "ab":
        path = f"/image/{slot}/{mf.MODULES}"
        if talk.fs_hashfile(path, "sha256", CHUNK) != sha256(image.in_slot).digest():
            raise ValueError(f"{path} differs from the written content")
    for name in ("boot.py", "main.py"):
        talk.exec(f"os.rename('/{name}.new', '/{name}')")
    progress(whole, whole)


def restart(prompt: Prompt) -> None:
    with prompt.speaking() as talk:
        # The pause lets the answer out before the board restarts.
        talk.exec_raw_no_follow("import time, machine\ntime.sleep_ms(100)\nmachine.reset()")
