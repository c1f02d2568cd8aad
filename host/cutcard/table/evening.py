"""An evening at two tables: rounds, mishaps, rulings, and a balance at the end.

The first table plays New Zealand's rules from a continuous shuffler, the second Crown's from a
shoe whose cards a batch shuffler has shuffled. The bench misbehaves on a schedule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from cutcard import private_files
from cutcard.bench.client import Bench
from cutcard.cases.writing import case_of, case_text
from cutcard.devices.shoe import Shoe
from cutcard.devices.shuffler import Shuffler
from cutcard.engine.ledger import dollars
from cutcard.engine.results import WagerResult
from cutcard.engine.state import Table
from cutcard.journal import Journal, read
from cutcard.rulebooks.book import open_rulebook
from cutcard.table.device import TableDevice
from cutcard.table.floor import BenchFloor, HandFloor
from cutcard.table.live import LiveTable
from cutcard.table.memory import Memory
from cutcard.table.players import Player

Tell = Callable[[str], None]
Mishap = Callable[[Bench], None]

PLAYERS = (
    Player("Ana", 1, 2000),
    Player("Ben", 3, 5000),
    Player("Cleo", 5, 1000),
)
DECK = 52
WIDTH = 80  # of a terminal


def jam_at_the_exit(bench: Bench) -> None:
    bench.do("jam", where="exit", after=1)


def double_draw(bench: Bench) -> None:
    bench.do("fumble", count=2, after=4, step="draw")


def card_goes_missing(bench: Bench) -> None:
    """Take a card out of the bin that is pushed out next, so that the count finds it soon."""
    bench.do("double", where="exit", hidden=True)


def power_cut(bench: Bench) -> None:
    bench.do("power", how="cycle", after=5, step="draw")


# Round -> what goes wrong in it, and in what words it is announced.
Mishaps = Mapping[int, tuple[str, Mishap]]
NOTHING_GOES_WRONG: Mishaps = {}
SHUFFLER_MISHAPS: Mishaps = {
    5: ("a card will jam on its way into the chute", jam_at_the_exit),
    10: ("two cards will be drawn together", double_draw),
    15: ("two cards will leave a bin as one: a miscount", card_goes_missing),
    20: ("the power will fail", power_cut),
}
SHOE_MISHAPS: Mishaps = {
    8: ("two cards will be drawn together", double_draw),
    16: ("the power will fail", power_cut),
}


@contextmanager
def remembered(journal: Path, table: Table) -> Iterator[Memory]:
    """The memory of a table in this journal, which is closed in order where nothing goes wrong."""
    with Journal(journal) as record:
        memory = Memory(record, table)
        yield memory
        memory.close()


@dataclass
class Balance:
    """The balance of a table at the end of the evening."""

    rounds: int = 0
    cents: dict[str, int] = field(default_factory=dict)
    pack: int = 0
    inside: int = 0
    outside: int = 0
    faults: int = 0

    @property
    def adds_up(self) -> bool:
        return self.inside + self.outside == self.pack


def continuous_table(rounds: int, seed: int, journal: Path, tell: Tell) -> Balance:
    """New Zealand blackjack, six decks in a continuous shuffler."""
    book = open_rulebook("nz-division-2", ("blackjack",))
    table = Table(book, 6, "continuous", minimum=1000, maximum=100_000)
    tell(f"[bold]{book.title}[/]\n   blackjack, six decks, carousel-38")
    chance = Random(seed).randbytes  # the host's share of the entropy, for the same evening again
    with (
        Bench.start("carousel-38", seed=seed, decks=6) as bench,
        remembered(journal, table) as memory,
        Shuffler.open(
            bench.port, key=bench.key, randomness=chance, log=memory.log("cards")
        ) as shuffler,
    ):
        loaded = TableDevice(shuffler, memory).fill(6, DECK)
        tell(f"   {loaded.cards} cards counted in by firmware in MicroPython")
        live = LiveTable(table, shuffler, memory, BenchFloor(bench), tell)
        return play_rounds(live, bench, rounds, tell, mishaps=SHUFFLER_MISHAPS)


def table_at_port(port: str, rounds: int, journal: Path, tell: Tell) -> Balance:
    """A continuous table with the machine at a port: what goes wrong there is up to it."""
    book = open_rulebook("nz-division-2", ("blackjack",))
    table = Table(book, 6, "continuous", minimum=1000, maximum=100_000)
    with (
        remembered(journal, table) as memory,
        Shuffler.open(port, log=memory.log("cards")) as shuffler,
    ):
        tell(f"[bold]{book.title}[/]\n   blackjack, six decks, {shuffler.machine} at {port}")
        if shuffler.status().mode == "empty":
            tell("   Put six decks into the tray.")
            tell(f"   {TableDevice(shuffler, memory).fill(6, DECK).cards} cards counted in")
        live = LiveTable(table, shuffler, memory, HandFloor(), tell)
        return play_rounds(live, None, rounds, tell)


def shoe_table(rounds: int, seed: int, journal: Path, tell: Tell) -> Balance:
    """Crown blackjack, eight decks, shuffled by a batch machine, dealt from a shoe."""
    book = open_rulebook("crown-melbourne-26", ("blackjack",))
    table = Table(book, 8, "shoe", minimum=1000, maximum=100_000)
    tell(f"[bold]{book.title}[/]\n   blackjack, eight decks, slots-416 and shoe-8")
    stack = _shuffled(8, seed, tell)
    chance = Random(seed).randbytes
    with Bench.start("shoe-8", seed=seed) as bench:
        bench.do("put", cards=" ".join(stack), shuffled=False)
        with (
            remembered(journal, table) as memory,
            Shoe.open(
                bench.port, key=bench.key, randomness=chance, log=memory.log("cards")
            ) as shoe,
        ):
            device = TableDevice(shoe, memory)
            device.fill(8, DECK)
            # Crown 4.2.4: the cut falls at least a deck in from either end. 4.2.5(b): the
            # cutting card lies half way to one and a half decks from the back.
            device.prepare((120, DECK, 7 * DECK), (330, 4 * DECK, 8 * DECK - DECK * 3 // 2))
            tell("   cut, cutting card placed, one card burned")
            live = LiveTable(table, shoe, memory, BenchFloor(bench), tell)
            return play_rounds(live, bench, rounds, tell, mishaps=SHOE_MISHAPS)


def _shuffled(decks: int, seed: int, tell: Tell) -> list[str]:
    """New decks through a batch shuffler; the order in which they come out."""
    chance = Random(seed).randbytes
    with Bench.start(f"slots-{decks * DECK}", seed=seed, decks=decks) as bench:
        with Shuffler.open(bench.port, key=bench.key, randomness=chance) as shuffler:
            shuffler.load(decks)
            out = shuffler.unload()
        tell(f"   {out.cards} cards shuffled and counted out")
        return [card["card"] for card in bench.cards()["outside"]]


def play_rounds(
    live: LiveTable,
    bench: Bench | None,
    rounds: int,
    tell: Tell,
    *,
    mishaps: Mishaps = NOTHING_GOES_WRONG,
    players: Sequence[Player] = PLAYERS,
) -> Balance:
    """Play rounds, with mishaps in some of them, and return their balance.

    A table that was killed goes on with its open round, or after the last that was settled.
    """
    continuous = live.table.shuffler == "continuous"
    if live.played and continuous:
        live.bring_back_discards()
    while live.played < rounds:
        number = live.played + 1
        if bench is not None:
            bench.settle()  # a machine that still moves would make each evening another
        if bench is not None and number in mishaps:
            words, mishap = mishaps[number]
            live.tell(f"[yellow]-- in round {number} {words}[/]")
            live.memory.ask("mishap", words, partial(mishap, bench))
        outcome = live.play([bet for player in players for bet in player.bets()])
        tell(_line(number, live, outcome))
        if continuous:
            live.bring_back_discards()
    status = live.device.status()
    return Balance(live.played, live.cents, status.pack, status.inside, status.outside, live.faults)


def _line(number: int, live: LiveTable, outcome: list[WagerResult]) -> str:
    """The dealer's hand, and below it the wagers in lines that fit a terminal."""
    lines = [f"{number:4d}  dealer {' '.join(map(str, live.round.dealer))}"]
    room = 0
    for line in outcome:
        bet = "" if line.key.bet == "main" else line.key.bet + " "
        won = f"{line.key.player} {bet}{dollars(line.net) if line.net else line.result}"
        rules = f"[{', '.join(line.rules[:2])}]"
        wide = len(f"  {won} {rules}")
        if wide > room:
            lines.append("    ")
            room = WIDTH - 4
        room -= wide
        lines[-1] += f"  {won} [dim]\\{rules}[/]"
    return "\n".join(lines)


def write_cases(journal: Path, folder: Path) -> int:
    """Write the rounds of a journal as case files; returns how many."""
    private_files.make_folder(folder)
    case: dict[str, Any] = {}
    table: dict[str, Any] = {}
    count = 0
    for record in read(journal):
        if record.kind == "table":
            table = record.data
        elif record.kind == "round":
            title = f"Round {count + 1} of {journal.name}"
            case = case_of(title, table, record.data["wagers"])
        elif record.kind == "entered":
            case["wagers"] = record.data["wagers"]
        elif record.kind == "event":
            case["steps"].append(record.data)
        elif record.kind == "settled":
            count += 1
            case["round"] = record.data["round"]
            case["expect"] = record.data["results"]
            (folder / f"{journal.stem}-{count:03d}.toml").write_text(case_text(case))
    return count
