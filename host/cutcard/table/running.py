"""Run a table by its plan, in a folder with its journal, its plan and its benches.

The same call resumes a killed table: the folder contains its progress.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from cutcard import private_files
from cutcard.bench.client import Bench
from cutcard.devices.controller import Controller
from cutcard.devices.device import Counters, Status
from cutcard.devices.errors import DeviceError
from cutcard.devices.shuffler import Shuffler
from cutcard.meters import Meters
from cutcard.table.jackpot import equipment
from cutcard.table.jackpot.button import BenchButton
from cutcard.table.machine import opening
from cutcard.table.machine.clearing import prepare_shoe, refuses_cutting_card
from cutcard.table.machine.dealing_device import TableDevice
from cutcard.table.machine.floor import BenchFloor, Floor
from cutcard.table.machine.opening import CardMachine
from cutcard.table.people.at_console import ConsoleBenchFloor, ConsoleHandFloor, ConsolePlayers
from cutcard.table.people.at_prompt import PlayersAtPrompt, PromptBenchFloor, PromptHandFloor
from cutcard.table.people.by_hand import HandButton, HandFloor
from cutcard.table.people.desk import Desk
from cutcard.table.people.manager import Manager
from cutcard.table.people.terminal import Terminal
from cutcard.table.plan.mishaps import (
    CAUSES,
    CONTROLLER_MISHAPS,
    LATE_WAGER,
    SHOE_CAUSES,
    Mishap,
    Mishaps,
)
from cutcard.table.plan.players import decide
from cutcard.table.plan.table_file import TablePlan
from cutcard.table.play.evening import Balance, Log, play_rounds, remembered
from cutcard.table.play.live import LiveTable
from cutcard.table.play.wagering import Wagering
from cutcard.table.replay.key_place import table_key
from cutcard.table.replay.replay_log import ReplayLog
from cutcard.table.replay.role_log import CARDS, CONTROLLER
from cutcard.table.replay.table_tree import TreeFile

JOURNAL = "table.journal"
RANDOM_SOURCE = "random-source"
PLAN = "table.toml"


def run(
    plan: TablePlan,
    folder: Path,
    log: Log,
    seed: int | None = None,
    manager: Manager | None = None,
    terminal: Terminal | None = None,
) -> Balance:
    """Open or resume the table, and play its rounds. Raises JournalFailedError.

    `manager`: acknowledges a device that differs from its journal, or that was exchanged.
    """
    private_files.make_folder(folder)
    with ExitStack() as stack:
        opened = _opened(stack, plan, folder, seed, manager)
        memory, plan = opened.memory, opened.plan
        terminal = terminal or Terminal()
        terminal.meanwhile = opened.read_lines
        desk = stack.enter_context(_desk(opened, folder))
        if manager is not None and not memory.changed:
            log(f"   nothing for {manager} to acknowledge: the machine agrees")
        if memory.kept or memory.resuming:
            log(f"   {plan.name} resumes where its journal ends")
        if not memory.kept:
            _make_ready(plan, opened.cards, memory, opened.bench, seed=seed, log=log)
        players = _players(plan, desk, terminal)
        console = players if isinstance(players, ConsolePlayers) else None
        by_hand = HandButton(terminal)
        live = LiveTable(
            plan.table,
            opened.cards,
            memory,
            _floor(plan, opened.bench, desk, terminal),
            log,
            decide=decide if players is None else players.decide,
            jackpots=equipment.jackpots(
                plan,
                opened.controller,
                opened.meters,
                by_hand if opened.buttons is None else BenchButton(opened.buttons),
            ),
            attend=partial(desk.attend, plan.pace / 1000),
            options=players,
            keep=desk.wagering.kept if desk.wagering else dict,
        )
        return play_rounds(
            live,
            opened.bench,
            plan.rounds,
            log,
            mishaps=_mishaps(plan, opened.buttons),
            late=[number for number, name in plan.mishaps.items() if name == LATE_WAGER],
            players=plan.players,
            wagers=partial(console.put_down, live) if console else None,
            closing=lambda: desk.closing,
        )


@dataclass(frozen=True)
class _Opened:
    """The open resources of a table, while its program runs."""

    plan: TablePlan  # with the seeds of its meters on the sign
    memory: ReplayLog
    cards: CardMachine
    controller: Controller | None
    meters: Meters | None
    bench: Bench | None  # of the cards
    buttons: Bench | None  # of the controller

    def read_lines(self) -> None:
        """Read the devices' events while people think. The table itself reports failures."""
        for device in (self.cards, self.controller):
            with suppress(DeviceError):
                if device is not None:
                    device.status()


def _opened(
    stack: ExitStack, plan: TablePlan, folder: Path, seed: int | None, manager: Manager | None
) -> _Opened:
    """Open meters and machines first, then the journal, then the devices that report to it."""
    table, wanted = plan.table, plan.jackpot
    decks = f"{table.decks}x{table.pack}" if table.shuffler == "continuous" else "0"
    meters = stack.enter_context(equipment.opened_meters(plan, folder))
    plan = replace(plan, table=equipment.with_seeds(plan, meters))
    reached = stack.enter_context(opening.at(plan.cards, folder / CARDS, seed=seed, decks=decks))
    buttons = stack.enter_context(opening.at(wanted.controller, folder / CONTROLLER, seed=seed))
    try:
        key = table_key(folder, plan.key)
        memory = stack.enter_context(
            remembered(
                *(folder / JOURNAL, plan.table, plan.name),
                key=key,
                tree_file=TreeFile.of(key.public),
                manager=manager,
                witnesses=plan.witnesses,
            )
        )
    except Exception:
        for each in (reached, buttons):
            each.not_needed()
        raise
    met = opening.DeviceOpener(memory, seed, manager)
    return _Opened(
        plan,
        memory,
        cards=stack.enter_context(met.cards(reached, plan.table.shuffler)),
        controller=stack.enter_context(met.controller(buttons)) if wanted.controller else None,
        meters=meters,
        bench=reached.bench,
        buttons=buttons.bench,
    )


def _mishaps(plan: TablePlan, buttons: Bench | None) -> Mishaps:
    """Return the mishap of each round, at the machine or at the controller."""
    found: dict[int, tuple[str, Mishap]] = {}
    for number, name in plan.mishaps.items():
        if name in CAUSES:
            found[number] = CAUSES[name]
        elif name in CONTROLLER_MISHAPS and buttons is not None:
            words, mishap = CONTROLLER_MISHAPS[name]
            found[number] = words, partial(_at, buttons, mishap)
    return found


def _at(buttons: Bench, mishap: Mishap, _: Bench) -> None:
    """Run a mishap at the bench of the controller."""
    mishap(buttons)


def _players(
    plan: TablePlan, desk: Desk, terminal: Terminal
) -> PlayersAtPrompt | ConsolePlayers | None:
    """Return the deciders for the players, if some have no strategy."""
    if plan.people == "prompt":
        return PlayersAtPrompt(terminal)
    return ConsolePlayers(desk, desk.wagering, decide) if desk.wagering else None


def _floor(plan: TablePlan, bench: Bench | None, desk: Desk, terminal: Terminal) -> Floor:
    """Return the people: automatic on a bench, at the terminal, or at a console."""
    if plan.people == "console":
        if bench is None:
            return ConsoleHandFloor(terminal, desk)
        return ConsoleBenchFloor(bench, desk)
    if plan.people == "prompt":
        return PromptHandFloor(terminal) if bench is None else PromptBenchFloor(bench, terminal)
    return HandFloor(terminal) if bench is None else BenchFloor(bench)


def _desk(opened: _Opened, folder: Path) -> Desk:
    """Return the socket for consoles; the rights there are those of the people's file."""
    plan, at_console = opened.plan, opened.plan.people == "console"
    return Desk(
        folder,
        opened.memory,
        roles=plan.table.book.roles,
        causes=_causes(plan, opened.bench),
        second=frozenset(plan.second_person),
        look=partial(_look, opened.cards) if at_console else dict,
        wagering=Wagering(plan.table, plan.players, opened.memory) if at_console else None,
    )


def _causes(plan: TablePlan, bench: Bench | None) -> dict[str, tuple[str, Callable[[], None]]]:
    """Return the mishaps that people at a console may cause; empty at a real machine."""
    if bench is None or plan.people != "console":
        return {}
    known = SHOE_CAUSES if plan.table.shuffler == "shoe" else CAUSES
    return {name: (words, partial(mishap, bench)) for name, (words, mishap) in known.items()}


def _look(device: CardMachine) -> dict[str, Any]:
    """Return the status of the machine for the console."""
    try:
        status, counters = device.status(), device.counters()
    except DeviceError as error:
        return {"mode": str(error)}  # the table reports this itself when it needs the machine
    return console_status(status, counters)


def console_status(status: Status, counters: Counters) -> dict[str, Any]:
    """Return counts and health for the console.

    In a fault the counts are left out, because a person counts the cards independently. A device
    reports one fault at a time, so the state of its noise is unknown behind another fault.
    """
    counts = {"ready": status.ready, "behind": status.inside - status.ready}
    noise = "failed its test" if status.fault == RANDOM_SOURCE else "" if status.fault else "good"
    return {
        "mode": status.mode,
        **({} if status.fault else counts),
        "armed": status.armed,
        "noise": noise,
        "free_heap": counters.free_heap,
        "refused": counters.forged + counters.replayed + counters.malformed + counters.crc,
    }


def _make_ready(
    plan: TablePlan,
    device: CardMachine,
    memory: ReplayLog,
    bench: Bench | None,
    seed: int | None,
    log: Log,
) -> None:
    """Load the machine, which counts the cards; a shoe is stacked, cut, and a card is burned."""
    table = plan.table
    machine = TableDevice(device, memory)
    if isinstance(device, Shuffler):
        cards = machine.fill(table.decks, table.pack).cards
        _say(memory, log, f"   {cards} cards counted in by {device.machine}")
        if refused := refuses_cutting_card(table):
            _say(memory, log, f"   {refused}")
        return
    if bench is not None:
        memory.ask("answer", "stack the shoe", lambda: _stack(plan, bench, seed))
    machine.fill(table.decks, table.pack)
    said = prepare_shoe(machine, table)
    _say(memory, log, f"   shuffled, {said}")


def _say(memory: ReplayLog, log: Log, line: str) -> None:
    if not memory.resuming:
        log(line)


def _stack(plan: TablePlan, bench: Bench, seed: int | None) -> None:
    """Load new decks into a batch shuffler, and its output into the shoe."""
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
    bench.settle()  # until the shoe detects them
