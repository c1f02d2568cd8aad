"""A bench that logs the times of its output: `python -m cutcard.console.bench.machine SETTINGS`.

Each line of `sent.log` in its folder has a time, and the bytes sent to the host then.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from cutcard.bench.__main__ import serve
from cutcard.bench.cable import PseudoTerminal
from cutcard.bench.process import BenchProcess

SENT = "sent.log"


def _record_sent_bytes(folder: Path) -> None:
    log = (folder / SENT).open("a", buffering=1)
    send = PseudoTerminal.send

    def stamped(cable: PseudoTerminal, data: bytes) -> None:
        log.write(f"{time.time():.6f} {data.hex()}\n")
        send(cable, data)

    PseudoTerminal.send = stamped  # type: ignore[assignment, method-assign]


if __name__ == "__main__":
    _record_sent_bytes(Path(json.loads(sys.argv[1])["folder"]))
    serve(BenchProcess)
