"""The emulated Pico as a separate process: its requests and answers.

A request is one line, and so is its answer. The board's time passes only within a request with an
end time. The answer comes earlier if a pin changed, bytes were sent by USB, or the flash was
written, because the bench may react to that.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cutcard.bench.firmware import _die_with_parent
from cutcard.chip.parts import EMULATOR, boot_rom, node


@dataclass(frozen=True)
class BoardOutput:
    """The output of the board. Times are microseconds since power-on."""

    now: float
    busy: float  # microseconds of this run in which its processor did not sleep
    noise: int  # remaining samples of the random bit
    gap: float  # microseconds, the longest so far, between two reads of the pin samples
    pins: list[tuple[float, int, int]]  # time, GPIO, state
    flash: list[tuple[str, int, bytes]]  # operation, address, content
    events: list[str]
    usb: bytes
    link: bytes  # UART 0
    uart: bytes  # UART 1


class Emulator:
    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [node(), str(EMULATOR / "serve.mjs"), str(boot_rom())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests = self._process.stdin
        self.output = self._process.stdout.fileno()
        self.console = -1
        self._unread = b""

    @property
    def pid(self) -> int:
        return self._process.pid

    def power_on(
        self,
        files: tuple[Path, ...],
        serial: bytes,
        snapshot: Path | None = None,
        unanswered: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Start a board with these files, one after the other, as the content of its flash.

        With a snapshot, the board continues from it. A pin that changes to an `unanswered` state
        does not end a run.
        """
        power = {
            "files": [str(file) for file in files],
            "serial": serial.hex(),
            "snapshot": str(snapshot) if snapshot else None,
            "unanswered": unanswered,
        }
        self.request(power=power)
        self.wait_for_answer()

    def look(self, address: int = 0, words: int = 0) -> dict[str, Any]:
        """Return the processor's registers, and words of its address space as it would read
        them."""
        self.request(look={"address": address, "words": words})
        while not self._unread.endswith(b"\n"):
            self._unread += os.read(self.output, 1 << 20)
        said: dict[str, Any] = json.loads(self._unread)
        self._unread = b""
        return said

    def save(self, snapshot: Path) -> None:
        """Save the board's current state, except its flash."""
        self.request(save=str(snapshot))
        self.wait_for_answer()

    def request(self, **what: Any) -> None:
        for name, value in what.items():
            if isinstance(value, bytes | bytearray):
                what[name] = b64encode(value).decode()
        self._requests.write(json.dumps(what).encode() + b"\n")
        self._requests.flush()

    def answer(self) -> BoardOutput | None:
        """Return its output when complete, else None. Raises EOFError when the process has
        ended."""
        data = os.read(self.output, 1 << 20)
        if not data:
            raise EOFError
        self._unread += data
        if not self._unread.endswith(b"\n"):
            return None
        said, self._unread = json.loads(self._unread), b""
        if not said:
            return None
        return BoardOutput(
            now=said["now"],
            busy=said["busy"],
            noise=said["noise"],
            gap=said["gap"],
            pins=said["pins"],
            flash=[(what, at, b64decode(data or "")) for what, at, data in said["flash"]],
            events=said["events"],
            usb=b64decode(said["usb"]),
            link=b64decode(said["link"]),
            uart=b64decode(said["uart"]),
        )

    def wait_for_answer(self) -> BoardOutput:
        while (said := self.answer()) is None:
            pass
        return said

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._requests.close()
        assert self._process.stdout is not None
        self._process.stdout.close()
