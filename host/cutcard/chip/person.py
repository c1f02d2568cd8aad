"""Commands of a person at an emulated board: the data of a debugger and a logic analyser.

The flash can be made slow, too.
"""

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
    """Show the processor between two instructions: r0 to pc, flags, whether it sleeps (waiting),
    whether interrupts are masked, the active exception, and the pending interrupts."""
    seen = bench.device.look()
    named = zip(_NAMES, seen.pop("registers"), strict=True)
    del seen["words"]
    return {**{name: f"{value:#010x}" for name, value in named}, **seen}


def peek(bench: ChipBench, address: str, words: int = 1) -> Answer:
    """Show words of the address space as the processor would read them, including peripheral
    registers: peek 0x40014004. Reading some of them has an effect, as on the chip."""
    try:
        at = int(address, 0)
    except ValueError as error:
        raise WordError(f"{address!r} is no address", "as in: peek 0x20000000 4") from error
    if at % 4 or not 0 <= at < 1 << 32 or not 1 <= words <= _MOST_WORDS:
        raise WordError("whole words only", f"1 to {_MOST_WORDS} of them, at a multiple of 4")
    return {"words": [f"{value:#010x}" for value in bench.device.look(at, words)["words"]]}


def pins(bench: ChipBench) -> Answer:
    """Show the last level of every pin in the machine file."""
    levels = bench.device.wiring.pin_levels()
    named = sorted(bench.device.wiring.pins.items(), key=lambda pin: pin[1])
    return {f"GP{gpio} {name}": levels.get(gpio) for name, gpio in named}


def vcd(bench: ChipBench, to: str = "") -> Answer:
    """Record the pins from now on into a file for logic viewers. Without a file: end the
    recording."""
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
    """Set the time of a sector erase from now on: 45 ms as a rule (0), 400 ms at most according to
    the maker."""
    if not 0 <= milliseconds <= _SLOWEST:
        raise WordError("no flash erases like that", f"0 to {_SLOWEST}")
    bench.device.erase_time = milliseconds or _TYPICAL
    return {"milliseconds": bench.device.erase_time}


def keep(bench: ChipBench, name: str) -> DelayedAnswer:
    """Save the machine at rest, including cards, under a name."""

    def written() -> Answer:
        bench.keep(name)
        return {"kept": sorted(bench.moments)}

    return DelayedAnswer(lambda: bench.device.resting, written)


def touched(bench: ChipBench) -> Answer:
    """Report whether the machine was changed since it arrived, by the person or by a host's
    command."""
    return {"touched": bench.touched}


def recall(bench: ChipBench, name: str) -> Answer:
    """Restore a saved moment: board, flash, key and cards. The cable is plugged in again."""
    if name not in bench.moments:
        raise WordError(f"no moment was kept as {name!r}", "keep NAME")
    bench.recall(name)
    return {"recalled": name, "milliseconds": bench.kit.plant.timeline.now}


# Commands that do not change the machine.
LOOKING = {"cards", "help", "peek", "pins", "registers", "settle", "status", "stderr", "touched"}
LOOKING |= {"factory", "keep", "recall"}
CHIP_WORDS: Vocabulary = {}
for _word in (registers, peek, pins, vcd, erases, keep, recall, touched):
    add_word(_word, CHIP_WORDS)
