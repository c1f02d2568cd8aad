"""Commands about power, time, cable, flash and the bench itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutcard.bench.filling import fill, forget
from cutcard.bench.firmware import FirmwareError
from cutcard.bench.flash import BLOCK, BLOCKS
from cutcard.bench.person.panel import picture
from cutcard.bench.person.words import Answer, DelayedAnswer, Word, WordError, one_of, word
from cutcard.bench.plant import Panel, Plant
from cutcard.bench.plant.machine import MOTORS
from cutcard_firmware.core.devices.sensors import LIGHT

if TYPE_CHECKING:
    from cutcard.bench.process import BenchProcess


@word
def help(bench: BenchProcess, about: str = "") -> Answer:
    """List all commands, or explain one."""
    if not about:
        return {name: _in_short(bench.words[name]) for name in sorted(bench.words)}
    one_of("word", about, tuple(bench.words))
    return {"usage": bench.words[about].usage, "help": bench.words[about].help}


def _in_short(found: Word) -> str:
    first = found.help.replace("\n", " ").split(". ")[0].rstrip(".")
    return f"{found.usage.removeprefix(found.name)}  {first}".strip()


@word
def status(bench: BenchProcess) -> Answer:
    """Report the counts of cards by place, clock, motors, sensors, flash, firmware; of a
    controller, its lamps and displays."""
    works, device = bench.kit.plant, bench.device
    lines = zip(works.SENSOR_NAMES, works.sensors.lines, strict=True)
    return {
        "machine": works.machine.name,
        "seed": bench.seed,
        "milliseconds": works.timeline.now,
        **(picture(works) if isinstance(works, Panel) else _cards(bench.plant)),
        "sensors": {name: level for name, level in lines if name},
        "light": ("off", "ready", "fault", "laboratory")[works.driven[LIGHT]],
        "steps": dict(works.counts),
        "power": "on" if device.powered else "off",
        "ready": device.ready,
        "resting": device.resting,
        "pid": device.interpreter.pid if device.interpreter else None,
        "starts": device.starts,
        "crashes": device.crashes,
        "turns": device.turns,
        "longest_gap": device.gap,
        "last_answer": device.answer,
        "last_sent": device.last_sent,
        "noise": bench.kit.noise.mode,
        "noise_taken": bench.kit.noise.taken - device.noise_ahead,
        "flash": bench.kit.flash.wear(),
        "mishaps": list(bench.mishaps),
    }


def _cards(plant: Plant) -> Answer:
    places = {name: len(row) for name, row in plant.places().items() if not name.startswith("bin")}
    if not plant.is_shoe:
        places["bins"] = sum(map(len, plant.bins.cells))
    return {
        "cards": places,
        "bins": [] if plant.is_shoe else [len(cell) for cell in plant.bins.cells],
        "at_feeder": plant.bins.position,
        "motors": {name: any(plant.driven[a] for a in row) for name, row in MOTORS.items()},
        "gate": "open" if plant.mouth.gate else "shut",
    }


@word
def power(bench: BenchProcess, how: str) -> Answer | DelayedAnswer:
    """cut: the firmware is killed, motors stop, cards stay. restore: it starts again. cycle: both.
    The answer to the latter two comes when the firmware is ready."""
    one_of("power", how, ("cut", "restore", "cycle"))
    if how != "restore":
        bench.device.power_off()
    if how == "cut":
        return {"power": "off"}
    bench.device.power_on()
    return DelayedAnswer(
        lambda: bench.device.ready or not bench.device.powered, lambda: _power(bench)
    )


def _power(bench: BenchProcess) -> Answer:
    return {"power": "on" if bench.device.powered else "off", "starts": bench.device.starts}


@word
def unplug(bench: BenchProcess) -> None:
    """Pull the cable to the host; the device keeps its power."""
    bench.cable.unplug()
    bench.watch()


@word
def replug(bench: BenchProcess) -> Answer:
    """Plug the cable in again."""
    bench.cable.replug()
    bench.watch()
    return {"port": bench.cable.port}


@word
def advance(bench: BenchProcess, milliseconds: int) -> DelayedAnswer:
    """Let time pass, even if no event asks for it; the answer comes afterwards."""
    bench.device.advance(milliseconds)
    now = bench.kit.plant.timeline
    return DelayedAnswer(lambda: not bench.device.advancing, lambda: {"milliseconds": now.now})


@word
def settle(bench: BenchProcess) -> DelayedAnswer:
    """Wait until the machine is at rest and the firmware waits only for its host."""
    return DelayedAnswer(
        lambda: bench.device.resting, lambda: {"milliseconds": bench.kit.plant.timeline.now}
    )


_FLASH = ("wear", "blocks", "record", "cut", "corrupt", "format", "fill", "forget")


@word
def flash(
    bench: BenchProcess,
    what: str = "wear",
    at: int = 1,
    torn: float = 0.5,
    block: int = 0,
    offset: int = 0,
    length: int = 16,
    leave: int = 0,
    folder: str = "/cutcard",
) -> Answer:
    """wear: counters. cut at=N torn=F: the power fails at the N-th program or erase from now, after
    the share F of it is done. blocks: counters of every block. record: record every program and
    erase from now on. With the power off: corrupt block=B offset=O length=L, format, fill leave=N
    (N blocks stay free; the files are in the device's own folder, or in folder=PATH), and forget
    (remove the file of the device's state)."""
    chip = bench.kit.flash
    one_of("flash", what, _FLASH)
    if what == "record":
        log = bench.folder.path / "flash.log"
        chip.record(log)
        return {"log": str(log)}
    if what == "cut":
        if at < 1 or not 0 <= torn <= 1:
            raise WordError(
                "the cut is at a program or erase, torn at a share of it",
                "use at=1 or more, torn=0 to 1",
            )
        chip.cut_at(at, torn)
        return {"cut_at": at, "torn": torn}
    if what in ("corrupt", "format", "fill", "forget") and bench.device.powered:
        raise WordError(f"flash {what} needs the power off", "power cut")
    if what == "format":
        chip.format()
    elif what in ("fill", "forget"):
        script = bench.kit.errors.with_name("files.py")
        try:
            if what == "fill":
                fill(chip.image, leave, folder, script)
            else:
                forget(chip.image, script)
        except FirmwareError as error:
            raise WordError(str(error), "a device that was never started has no files") from error
    elif what == "corrupt":
        if block >= BLOCKS or offset + length > BLOCK:
            raise WordError("that is outside the flash", f"{BLOCKS} blocks of {BLOCK} bytes")
        chip.corrupt(block, offset, length)
    elif what == "blocks":
        return {"programs": chip.programs.tolist(), "erases": chip.erases.tolist()}
    return {**chip.wear(), "operations": chip.operations, "cut_in": chip.cut_in}


@word
def stderr(bench: BenchProcess) -> Answer:
    """Return the firmware's output at a crash."""
    return {"stderr": bench.firmware_errors()}


@word
def factory(bench: BenchProcess, seed: int | None = None, decks: str = "0") -> DelayedAnswer:
    """Replace the device by another of the same machine: blank flash, new key, new seed, new
    cards."""
    bench.make_device(seed, decks)
    return DelayedAnswer(lambda: bench.is_ready, lambda: bench.introduction())


@word
def quit(bench: BenchProcess) -> Answer:
    """End the bench."""
    bench.end()
    return {}
