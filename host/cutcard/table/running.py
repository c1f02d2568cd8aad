"""Runs a table as its plan says: in a folder that has its journal, its plan and its benches.

The same call goes on with a table that was killed: the folder knows how far it came. A bench that
it started stays when it is killed, as a machine on a table would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from rich.markup import escape

from cutcard import private_files
from cutcard.bench.client import Bench
from cutcard.devices.device import Counters, Status
from cutcard.devices.errors import DeviceError, OutOfStep, StateLost
from cutcard.devices.shoe import Shoe
from cutcard.devices.shuffler import Shuffler
from cutcard.journal import JournalFailed
from cutcard.table.at_console import ConsoleBenchFloor, ConsoleHandFloor, ConsolePlayers
from cutcard.table.desk import Desk
from cutcard.table.device import ROLE, TableDevice
from cutcard.table.evening import Balance, Tell, play_rounds, remembered
from cutcard.table.floor import BenchFloor, Consider, Decide, Floor, HandFloor
from cutcard.table.live import LiveTable
from cutcard.table.machine import prepare_shoe
from cutcard.table.memory import Memory
from cutcard.table.mishaps import CAUSES, MISHAPS, SHOE_CAUSES
from cutcard.table.plan import Plan
from cutcard.table.players import decide
from cutcard.table.role_log import CannotResume, DeviceExchanged, WitnessDiffers
from cutcard.table.signing import TableKey
from cutcard.table.wagering import Wagering

Machine = Shuffler | Shoe

JOURNAL = "table.journal"
KEY = "table.key"
RANDOM_SOURCE = "random-source"
PLAN = "table.toml"


def run(
    plan: Plan,
    folder: Path,
    tell: Tell,
    seed: int | None = None,
    choose: Decide = decide,
    acknowledged_by: str = "",
    consider: Consider | None = None,
) -> Balance:
    """Open the table, or go on with it, and play its rounds. Raises JournalFailed.

    `acknowledged_by`: the manager who answers for it if the device has witnessed another journal.
    """
    private_files.make_folder(folder)
    with (
        _machine(plan, folder, seed) as (port, key, bench),
        remembered(
            folder / JOURNAL, plan.table, plan.name, key=TableKey.at(plan.key or folder / KEY)
        ) as memory,
        _met(
            partial(_device, plan, port, key, memory, seed=seed), memory, acknowledged_by
        ) as device,
        _disarmed(device),
        _desk(plan, folder, memory, bench, device) as desk,
    ):
        console = ConsolePlayers(desk, desk.wagering, choose) if desk.wagering else None
        floor = _floor(bench, desk if console else None)
        if acknowledged_by and not memory.device_changed:
            tell(f"   nothing for {escape(acknowledged_by)} to answer for: the machine agrees")
        if memory.kept or memory.resuming:
            tell(f"   {plan.name} goes on where its journal ends")
        if not memory.kept:
            _make_ready(plan, device, memory, bench, seed=seed, tell=tell)
        live = LiveTable(
            plan.table,
            device,
            memory,
            floor,
            tell,
            decide=console.decide if console else choose,
            attend=partial(desk.attend, plan.pace / 1000),
            consider=console.consider if console else consider,
            keep=desk.wagering.kept if desk.wagering else dict,
        )
        mishaps = {number: MISHAPS[name] for number, name in plan.mishaps.items()}
        balance = play_rounds(
            live,
            bench,
            plan.rounds,
            tell,
            mishaps=mishaps,
            players=plan.players,
            wagers=partial(console.put_down, live) if console else None,
        )
    return balance


def _desk(plan: Plan, folder: Path, memory: Memory, bench: Bench | None, device: Machine) -> Desk:
    """Where the table hears a console; what people may do there is for those of its file."""
    at_console = plan.people == "console"
    return Desk(
        folder,
        memory,
        roles=plan.table.book.roles,
        causes=_causes(plan, bench),
        second=frozenset(plan.second_person),
        look=partial(_look, device) if at_console else dict,
        wagering=Wagering(plan.table, plan.players, memory) if at_console else None,
    )


def _floor(bench: Bench | None, desk: Desk | None) -> Floor:
    """The people: by themselves on a bench, at the terminal, or at a console."""
    if desk is not None:
        return ConsoleHandFloor(desk) if bench is None else ConsoleBenchFloor(bench, desk)
    return HandFloor() if bench is None else BenchFloor(bench)


def _causes(plan: Plan, bench: Bench | None) -> dict[str, tuple[str, Callable[[], None]]]:
    """What people at a console may make go wrong; nothing at a real machine."""
    if bench is None or plan.people != "console":
        return {}
    known = SHOE_CAUSES if plan.table.shuffler == "shoe" else CAUSES
    return {name: (words, partial(mishap, bench)) for name, (words, mishap) in known.items()}


def _look(device: Shuffler | Shoe) -> dict[str, Any]:
    """What the machine says of itself at this moment, for people who watch it."""
    try:
        status, counters = device.status(), device.counters()
    except DeviceError as error:
        return {"mode": str(error)}  # the table says so itself when it needs the machine
    return told_of(status, counters)


def told_of(status: Status, counters: Counters) -> dict[str, Any]:
    """Counts and health. A device tells one fault: behind another, nobody knows of its noise."""
    noise = "failed its test" if status.fault == RANDOM_SOURCE else "" if status.fault else "good"
    return {
        "mode": status.mode,
        "ready": status.ready,
        "behind": status.inside - status.ready,
        "armed": status.armed,
        "noise": noise,
        "free_heap": counters.free_heap,
        "refused": counters.forged + counters.replayed + counters.malformed + counters.crc,
    }


@contextmanager
def _machine(
    plan: Plan, folder: Path, seed: int | None
) -> Iterator[tuple[str, bytes | None, Bench | None]]:
    """Where the machine is reached; for a bench, the one of this folder, which stays."""
    kind, _, machine = plan.cards.partition(":")
    if kind != "bench" or plan.cards.startswith("bench://"):
        yield plan.cards, None, None
        return
    name = machine.partition("?")[0]
    decks = plan.table.decks if plan.table.shuffler == "continuous" else 0
    home = folder / "cards"
    fresh = not home.exists()
    size = f"{decks}x{plan.table.pack}" if decks else "0"
    bench = Bench.staying(name, home, seed=seed if fresh else None, decks=size if fresh else 0)
    try:
        yield bench.port, bench.key, bench
    except BaseException:
        bench.close()  # it stays, for whoever goes on with the table
        raise
    bench.end()


def _device(plan: Plan, port: str, key: bytes | None, memory: Memory, seed: int | None) -> Machine:
    kind: type[Shuffler] | type[Shoe] = Shoe if plan.table.shuffler == "shoe" else Shuffler
    log = memory.log("cards")
    if seed is None:
        return kind.open(port, key=key, log=log)
    return kind.open(port, key=key, log=log, randomness=Random(seed).randbytes)


def _met(open: Callable[[], Machine], memory: Memory, acknowledged_by: str) -> Machine:
    """The device of the table, which has witnessed this journal; or from where on it does."""
    try:
        return _compared(open(), memory)
    except DeviceExchanged as other:
        memory.exchange(ROLE, other)
    except (WitnessDiffers, OutOfStep, StateLost) as differs:
        if not acknowledged_by:
            raise CannotResume(
                f"{differs}\nA manager who has looked into it goes on by its word: --acknowledge "
                "'NAME, TITLE'. The machine is then emptied, and filled with a pack that it counts."
            ) from differs
        memory.acknowledge(ROLE, acknowledged_by, str(differs))
    return _compared(open(), memory)


def _compared(device: Machine, memory: Memory) -> Machine:
    try:
        TableDevice(device, memory).check_witness()
    except BaseException:
        device.close()
        raise
    return device


@contextmanager
def _disarmed(device: Machine) -> Iterator[None]:
    """A program that cannot write any more ends, and no card leaves that it has called for."""
    try:
        yield
    except JournalFailed:
        device.fall_silent()
        raise


def _make_ready(
    plan: Plan,
    device: Machine,
    memory: Memory,
    bench: Bench | None,
    seed: int | None,
    tell: Tell,
) -> None:
    """Count the cards in; a shoe gets its stack, is cut, and a card is burned."""
    table = plan.table
    machine = TableDevice(device, memory)
    if isinstance(device, Shuffler):
        cards = machine.fill(table.decks, table.pack).cards
        _say(memory, tell, f"   {cards} cards counted in by {device.machine}")
        return
    if bench is not None:
        memory.ask("answer", "stack the shoe", lambda: _stack(plan, bench, seed))
    machine.fill(table.decks, table.pack)
    said = prepare_shoe(machine, table)
    _say(memory, tell, f"   shuffled, {said}")


def _say(memory: Memory, tell: Tell, line: str) -> None:
    if not memory.resuming:
        tell(line)


def _stack(plan: Plan, bench: Bench, seed: int | None) -> None:
    """New decks through a batch shuffler, and into the shoe as they come out of it."""
    if bench.cards().get("stack"):
        return
    decks, pack = plan.table.decks, plan.table.pack
    chance: Callable[[int], bytes] = Random(seed).randbytes
    with ExitStack() as stack:
        batch = stack.enter_context(Bench.start("slots-416", seed=seed, decks=f"{decks}x{pack}"))
        shuffler = stack.enter_context(Shuffler.open(batch.port, key=batch.key, randomness=chance))
        shuffler.load(decks, pack)
        shuffler.unload()
        order = " ".join(card["card"] for card in batch.cards()["outside"])
    bench.do("put", cards=order, shuffled=False)
    bench.settle()  # until the shoe sees them
