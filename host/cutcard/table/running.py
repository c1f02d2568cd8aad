"""Runs a table as its plan says: in a folder that has its journal, its plan and its benches.

The same call goes on with a table that was killed: the folder knows how far it came. A bench that
it started stays when it is killed, as a machine on a table would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

from cutcard import private_files
from cutcard.bench.client import Bench
from cutcard.devices.shoe import Shoe
from cutcard.devices.shuffler import Shuffler
from cutcard.journal import JournalFailed
from cutcard.table.device import TableDevice
from cutcard.table.evening import Balance, Tell, play_rounds, remembered
from cutcard.table.floor import BenchFloor, Decide, Floor, HandFloor
from cutcard.table.live import LiveTable
from cutcard.table.machine import prepare_shoe
from cutcard.table.memory import Memory
from cutcard.table.mishaps import MISHAPS
from cutcard.table.plan import Plan
from cutcard.table.players import decide

JOURNAL = "table.journal"
PLAN = "table.toml"


def run(
    plan: Plan, folder: Path, tell: Tell, seed: int | None = None, choose: Decide = decide
) -> Balance:
    """Open the table, or go on with it, and play its rounds. Raises JournalFailed."""
    private_files.make_folder(folder)
    with (
        _machine(plan, folder, seed) as (port, key, bench),
        remembered(folder / JOURNAL, plan.table, plan.name) as memory,
        _device(plan, port, key, memory, seed) as device,
        _disarmed(device),
    ):
        floor: Floor = HandFloor() if bench is None else BenchFloor(bench)
        if memory.kept or memory.resuming:
            tell(f"   {plan.name} goes on where its journal ends")
        if not memory.kept:
            _make_ready(plan, device, memory, bench, seed=seed, tell=tell)
        live = LiveTable(plan.table, device, memory, floor, tell, decide=choose)
        mishaps = {number: MISHAPS[name] for number, name in plan.mishaps.items()}
        balance = play_rounds(live, bench, plan.rounds, tell, mishaps=mishaps, players=plan.players)
    return balance


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


def _device(
    plan: Plan, port: str, key: bytes | None, memory: Memory, seed: int | None
) -> Shuffler | Shoe:
    kind: type[Shuffler] | type[Shoe] = Shoe if plan.table.shuffler == "shoe" else Shuffler
    log = memory.log("cards")
    if seed is None:
        return kind.open(port, key=key, log=log)
    return kind.open(port, key=key, log=log, randomness=Random(seed).randbytes)


@contextmanager
def _disarmed(device: Shuffler | Shoe) -> Iterator[None]:
    """A program that cannot write any more ends, and no card leaves that it has called for."""
    try:
        yield
    except JournalFailed:
        device.fall_silent()
        raise


def _make_ready(
    plan: Plan,
    device: Shuffler | Shoe,
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
