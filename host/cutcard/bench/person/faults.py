"""Commands that cause faults, and commands that remove their causes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutcard.bench.noise import MODES, Chance
from cutcard.bench.person.words import Answer, WordError, one_of, word
from cutcard.bench.plant.machine import MOTORS

if TYPE_CHECKING:
    from cutcard.bench.process import BenchProcess


@word
def jam(bench: BenchProcess, where: str) -> None:
    """Jam a card under the entry or exit sensor, or (where=tray) before it reaches that. This is
    the passing card; if none passes, the next one."""
    one_of("where", where, ("entry", "exit", "tray"))
    if where == "tray":
        bench.plant.entry.block()
    else:
        (bench.plant.entry if where == "entry" else bench.plant.exit).jam()


@word
def clear(bench: BenchProcess, to: str = "") -> Answer:
    """Remove jammed cards, free wheel and motors. Cards from the entry go back onto the tray, cards
    from the exit into the chute; or to=tray, outside or pocket."""
    plant = bench.plant
    one_of("to", to, ("", "tray", "chute", "outside", "pocket"))
    goals = {
        "tray": plant.tray,
        "chute": plant.supply.cards,
        "outside": plant.mouth.outside,
        "pocket": plant.pocket,
    }
    moved = 0
    for passage, usual in ((plant.entry, "tray"), (plant.exit, "chute")):
        taken = passage.clear()
        goal = goals[to or usual]
        if goal is plant.tray:
            goal[:0] = taken
        else:
            goal.extend(taken)
        moved += len(taken)
    plant.bins.stuck = False
    plant.bins.sticking = ""
    plant.bins.held.clear()
    for motor in list(plant.stalls):
        plant.stall(motor, False)
    plant.look()
    return {"cleared": moved}


@word
def double(bench: BenchProcess, where: str = "feed", hidden: bool = False) -> None:
    """Let the next two cards pass as one, at the feed or the exit. hidden: no longer than one card,
    so that only a count can find it."""
    one_of("where", where, ("feed", "entry", "exit"))
    passage = bench.plant.exit if where == "exit" else bench.plant.entry
    passage.double_next = "hidden" if hidden else "long"


@word
def misfeed(bench: BenchProcess, rate: float, where: str = "entry") -> None:
    """Set the probability that a card slips: 0 never, 1 always. At the entry it arrives when the
    feed is pulsed again, at the exit it arrives late."""
    one_of("where", where, ("entry", "exit"))
    if not 0 <= rate <= 1:
        raise WordError(f"a rate of {rate}?", "use 0 to 1")
    (bench.plant.entry if where == "entry" else bench.plant.exit).misfeeds = rate


@word
def stick(bench: BenchProcess, sensor: str, level: int) -> None:
    """Let a sensor's line stick at 0 or 1."""
    number = _sensor(bench, sensor)
    if level not in (0, 1):
        raise WordError(f"level {level}?", "use 0 or 1")
    bench.kit.plant.sensors.stick(number, level)


@word
def release(bench: BenchProcess, sensor: str) -> None:
    """Free a stuck sensor."""
    bench.kit.plant.sensors.release(_sensor(bench, sensor))


def _sensor(bench: BenchProcess, name: str) -> int:
    names = bench.kit.plant.SENSOR_NAMES
    return names.index(one_of("sensor", name, tuple(filter(None, names))))


@word
def bounce(bench: BenchProcess, on: bool) -> None:
    """Switch the bouncing of sensors on or off."""
    bench.kit.plant.sensors.bouncing = on


@word
def stall(bench: BenchProcess, motor: str) -> None:
    """Block a motor (feed, turn, eject); the stall line shows it while it is driven."""
    bench.plant.stall(one_of("motor", motor, tuple(MOTORS)), True)


@word
def bin(bench: BenchProcess, how: str = "stuck", number: int | None = None) -> None:
    """Disturb the wheel's next turn: stuck (it stops half way and never reports), short (it reports
    fewer bins), slip (one bin too far, unreported); or hold number=7: bin 7 releases no card."""
    bins = bench.plant.bins
    one_of("how", how, ("stuck", "short", "slip", "hold"))
    if how == "hold":
        if number is None or number >= len(bins.cells):
            raise WordError("which bin?", f"use number=0 to number={len(bins.cells) - 1}")
        bins.held.add(number)
    else:
        bins.sticking = how


@word
def door(bench: BenchProcess, how: str) -> None:
    """open or close the door."""
    bench.kit.plant.set_door(one_of("door", how, ("open", "close")) == "open")


@word
def noise(bench: BenchProcess, how: str, value: float | None = None) -> None:
    """Set the random bit: good, stuck (at value), biased (to 1 with probability value), periodic
    (value samples)."""
    try:
        bench.kit.noise.set(one_of("noise", how, MODES), value)
    except ValueError as error:
        raise WordError(str(error)) from error


@word
def chance(bench: BenchProcess, how: str) -> None:
    """Set the chip's own random bytes, which are used in handshakes: fresh, or fixed: the same
    bytes in each recording."""
    bench.kit.chance.set(one_of("chance", how, Chance.MODES))


@word
def hang(bench: BenchProcess) -> None:
    """Hang the firmware. The watchdog resets it."""
    if not bench.device.powered:
        raise WordError("the power is off", "power restore")
    bench.device.hang()
