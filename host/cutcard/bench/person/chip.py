"""Commands of a person with a reader clipped onto the flash chip."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cutcard.bench.chip import ClipOnReader
from cutcard.bench.flash import BLOCK
from cutcard.bench.person.words import Answer, WordError, one_of, word

if TYPE_CHECKING:
    from cutcard.bench.process import BenchProcess


@word
def chip(bench: BenchProcess, what: str, to: str = "", block: int = 0, offset: int = 0) -> Answer:
    """read to=FILE: read the entire chip, MicroPython's part first. change block=B offset=O: change
    one byte of it. Both need the power off."""
    one_of("chip", what, ("read", "change"))
    if bench.device.powered:
        raise WordError(f"chip {what} needs the power off", "power cut")
    clip = ClipOnReader(bench.kit.micropython, bench.kit.flash)
    if what == "read":
        if not to:
            raise WordError("chip read: to is missing", "use: chip read to=FILE")
        Path(to).write_bytes(clip.read())
    elif block >= clip.blocks or offset >= BLOCK:
        raise WordError("that is outside the chip", f"{clip.blocks} blocks of {BLOCK} bytes")
    else:
        clip.change(block, offset)
    return {"blocks": clip.blocks}
