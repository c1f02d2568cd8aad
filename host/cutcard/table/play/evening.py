"""An evening at a table: rounds, mishaps, a balance at the end; and its rounds as case files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from textwrap import fill, indent
from typing import Any

from cutcard import private_files
from cutcard.bench.client import Bench
from cutcard.cases.writing import case_of, case_text
from cutcard.engine.ledger import dollars
from cutcard.engine.results import WagerResult
from cutcard.engine.state import Placed, Table
from cutcard.journal import Disk, Journal, TableKey, read
from cutcard.journal.file import understood
from cutcard.meters import MeterError
from cutcard.table.display_names import words
from cutcard.table.jackpot.interface import Jackpot, NotOfferedError
from cutcard.table.machine.clearing import LINE
from cutcard.table.people.manager import Manager
from cutcard.table.plan.mishaps import NOTHING_GOES_WRONG, Mishaps
from cutcard.table.plan.players import Player
from cutcard.table.play.live import LiveTable
from cutcard.table.replay.replay_log import ReplayLog
from cutcard.table.replay.table_tree import TreeFile, continue_tree
from cutcard.table.replay.witnessing import Witnessing

Log = Callable[[str], None]  # for plain text: names in it were entered by people

WIDTH = 80  # of a terminal
GOES_WRONG = "-- "  # begins a line about a coming mishap


@contextmanager
def remembered(
    journal: Path,
    table: Table,
    name: str = "",
    disk: Disk | None = None,
    key: TableKey | None = None,
    tree_file: TreeFile | None = None,
    manager: Manager | None = None,
    witnesses: Sequence[str] = (),
) -> Iterator[ReplayLog]:
    """Open the log of a table in this journal; close it properly unless an error is raised.

    `tree_file`: the stored tree of the table. `manager`: acknowledges records of that tree that are
    missing from the journal. `witnesses`: URLs and files that get checkpoints.
    """
    with Journal(journal, name, disk=disk, key=key) as record:
        if tree_file is not None:
            continue_tree(record, tree_file, manager)
        witnessing = None
        if key is not None and tree_file is not None:
            witnessing = Witnessing(record, key, witnesses, tree_file.content())
        memory = ReplayLog(record, table, tree_file, witnessing)
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


def play_rounds(
    live: LiveTable,
    bench: Bench | None,
    rounds: int | None,
    log: Log,
    *,
    mishaps: Mishaps = NOTHING_GOES_WRONG,
    late: Collection[int] = (),
    players: Sequence[Player],
    wagers: Callable[[], Sequence[Placed] | None] | None = None,
    closing: Callable[[], bool] = lambda: False,
) -> Balance:
    """Play rounds, with mishaps in some of them, and return their balance.

    `rounds` is the last round; None: play until `closing` returns True. In rounds that are `late`,
    a player adds a wager when a card is already out. A table that was killed resumes its open
    round, or begins the next one. `wagers` waits for the wagers of other people, and returns None
    if the table is closed in the meantime.
    """
    continuous = live.table.shuffler == "continuous"
    live.device.finish_leaving_head()
    bets = [bet for player in players for bet in player.bets()]
    if live.played and continuous:
        live.bring_back_discards()
    while (rounds is None or live.played < rounds) and not closing():
        number = live.played + 1
        if bench is not None:
            bench.settle()  # a moving machine would make each evening different
        if bench is not None and number in mishaps:
            words, mishap = mishaps[number]
            live.log(f"{GOES_WRONG}in round {number} {words}")
            live.memory.ask("mishap", words, partial(mishap, bench))
        if number in late and bets:
            live.log(f"{GOES_WRONG}in round {number} chips will come when the cards are out")
            live.push_late(bets[-1])
        placed = bets if wagers is None else wagers()
        if placed is None:
            break
        log(_line(number, live, _played(live, placed)))
        if continuous:
            live.bring_back_discards()
    live.device.leave_head()
    status = live.device.status()
    return Balance(
        rounds=live.played,
        cents=live.cents,
        pack=status.pack,
        inside=status.inside,
        outside=status.outside,
        faults=live.faults,
    )


def _played(live: LiveTable, bets: Sequence[Placed]) -> list[WagerResult]:
    """Play a round; leave out a refused jackpot wager, or all of them if no box was named.

    They are offered again in the next round, when the equipment may have been repaired.
    """
    while True:
        try:
            return live.play(bets)
        except (NotOfferedError, MeterError) as refused:
            if refused is not live.not_begun:
                raise  # a card is out: such a round cannot start again
            taken = [bet for bet in bets if not any(_refuses(each, bet) for each in live.jackpots)]
            if len(taken) == len(bets):
                raise
            live.log(indent(fill(f"{refused}", LINE), "   "))
            bets = taken


def _refuses(jackpot: Jackpot, bet: Placed) -> bool:
    return bet.bet == jackpot.bet and jackpot.refused_box in (None, bet.box)


def _line(number: int, live: LiveTable, outcome: list[WagerResult]) -> str:
    """Return the dealer's hand, and below it the wagers in lines that fit a terminal."""
    lines = [f"{number:4d}  dealer {' '.join(map(str, live.round.dealer))}"]
    room = 0
    for line in outcome:
        bet = "" if line.key.bet == "main" else words(line.key.bet) + " "
        came_to = dollars(line.net) if line.net else words(line.result)
        won = f"{line.key.player} {bet}{came_to}"
        rules = f" [{', '.join(line.rules[:2])}]" if line.rules else ""
        wide = len(f"  {won}{rules}")
        if wide > room:
            lines.append("    ")
            room = WIDTH - 4
        room -= wide
        lines[-1] += f"  {won}{rules}"
    return "\n".join(lines)


def _refused(data: dict[str, Any]) -> dict[str, Any]:
    """Return the equivalent step of a case file: it is tried, and refused by this rule."""
    tried = {key: value for key, value in data.items() if key not in ("why", "rules")}
    return {"refused": tried, "rule": data["rules"][0]}


def write_cases(journal: Path, folder: Path) -> int:
    """Write the rounds of a journal as case files; return their number. Raises
    JournalDamagedError."""
    private_files.make_folder(folder)
    case: dict[str, Any] = {}
    table: dict[str, Any] = {}
    count = 0
    for record in read(journal):
        with understood(journal, record):
            if record.kind == "table":
                table = record.data
            elif record.kind == "round":
                title = f"Round {count + 1} of {journal.name}"
                case = case_of(title, table, record.data["wagers"])
            elif record.kind == "entered":
                case["wagers"] = record.data["wagers"]
            elif record.kind == "event":
                case["steps"].append(record.data)
            elif record.kind == "refused" and record.data.get("rules"):
                case["steps"].append(_refused(record.data))
            elif record.kind == "settled":
                count += 1
                case["round"] = record.data["round"]
                case["expect"] = record.data["results"]
                (folder / f"{journal.stem}-{count:03d}.toml").write_text(case_text(case))
    return count
