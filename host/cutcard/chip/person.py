"""Commands of a person at an emulated board: what a debugger and a logic analyser would show.

Its flash can be made slow as well."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cutcard.bench.person.words import Answer, DelayedAnswer, Vocabulary, WordError, add_word
from cutcard.chip.vcd import Recording

if TYPE_CHECKING:
    from cutcard.chip.chip_bench import ChipBench

_NAMES = [*(f"r{n}" for n in range(13)), "sp", "lr", "pc"]
_MOST_WORDS = 1024
_TYPICAL = 45  # milliseconds
_SLOWEST = 10_000  # milliseconds; the makers' maximum is 400


def registers(bench: ChipBench) -> Answer:
    """The processor between two instructions: r0 to pc, flags, whether it sleeps (waiting), whether
    interrupts are masked, the exception that it serves, and the interrupts that wait."""
    seen = bench.device.look()
    named = zip(_NAMES, seen.pop("registers"), strict=True)
    del seen["words"]
    return {**{name: f"{value:#010x}" for name, value in named}, **seen}


def peek(bench: ChipBench, address: str, words: int = 1) -> Answer:
    """Words of the address space as the processor would read them, registers of the peripherals
    too: peek 0x40014004. Reading some of them has an effect, as on the chip."""
    try:
        at = int(address, 0)
    except ValueError as error:
        raise WordError(f"{address!r} is no address", "as in: peek 0x20000000 4") from error
    if at % 4 or not 0 <= at < 1 << 32 or not 1 <= words <= _MOST_WORDS:
        raise WordError("whole words only", f"1 to {_MOST_WORDS} of them, at a multiple of 4")
    return {"words": [f"{value:#010x}" for value in bench.device.look(at, words)["words"]]}


def pins(bench: ChipBench) -> Answer:
    """The level of every pin that the machine file names, as it was last seen."""
    levels = bench.device.wiring.pin_levels()
    named = sorted(bench.device.wiring.pins.items(), key=lambda pin: pin[1])
    return {f"GP{gpio} {name}": levels.get(gpio) for name, gpio in named}


def vcd(bench: ChipBench, to: str = "") -> Answer:
    """Record the pins from now on into a file that logic viewers open. Without a file: end it."""
    return record(bench, to)


def record(bench: ChipBench, to: str) -> Answer:
    device = bench.device
    ended = device.recording
    if ended is not None:
        ended.close()
        device.recording = None
    if to:
        wiring = device.wiring
        device.recording = Recording(Path(to), wiring.pins, wiring.pin_levels())
    return {"recording": to or None, "ended": str(ended.file) if ended else None}


def erases(bench: ChipBench, milliseconds: int = 0) -> Answer:
    """How long the flash takes to erase a sector from now on: 45 as a rule (0), 400 at most by its
    maker's word."""
    if not 0 <= milliseconds <= _SLOWEST:
        raise WordError("no flash erases like that", f"0 to {_SLOWEST}")
    bench.device.erase_time = milliseconds or _TYPICAL
    return {"milliseconds": bench.device.erase_time}


def keep(bench: ChipBench, name: str) -> DelayedAnswer:
    """Write down the machine as it is when nothing moves, cards and all, under a name."""

    def written() -> Answer:
        bench.keep(name)
        return {"kept": sorted(bench.moments)}

    return DelayedAnswer(lambda: bench.device.resting, written)


def touched(bench: ChipBench) -> Answer:
    """Whether anything was done since the machine came, by the person or by a host that had
    something written."""
    return {"touched": bench.touched}


def recall(bench: ChipBench, name: str) -> Answer:
    """Back to a moment that was kept: board, flash, key and cards. The cable is plugged anew."""
    if name not in bench.moments:
        raise WordError(f"no moment was kept as {name!r}", "keep NAME")
    bench.recall(name)
    return {"recalled": name, "milliseconds": bench.kit.plant.timeline.now}


# Words that change nothing of the machine.
LOOKING = {"cards", "help", "peek", "pins", "registers", "settle", "status", "stderr", "touched"}
LOOKING |= {"factory", "keep", "recall"}
CHIP_WORDS: Vocabulary = {}
for _word in (registers, peek, pins, vcd, erases, keep, recall, touched):
    add_word(_word, CHIP_WORDS)
