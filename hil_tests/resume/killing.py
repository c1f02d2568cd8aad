"""Kill a table at any point of an evening on the bench, and start it again.

The disk of the test loses unsynced data or keeps a part of it. The table ends at a given point
without any cleanup. Bench, device and people continue to run.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from cutcard.bench.client import Bench
from cutcard.cases.runner import run_file
from cutcard.devices import Shuffler
from cutcard.engine.state import Table
from cutcard.journal import SETTLED, Disk, Journal, JournalFailedError, Record, TableKey, read
from cutcard.journal.file import segments
from cutcard.rulebooks.book import open_rulebook
from cutcard.table.jackpot.interface import Jackpot
from cutcard.table.machine.dealing_device import TableDevice
from cutcard.table.machine.floor import BenchFloor
from cutcard.table.plan.mishaps import Mishaps
from cutcard.table.plan.players import Player
from cutcard.table.play.evening import play_rounds, write_cases
from cutcard.table.play.live import LiveTable
from cutcard.table.replay.outside import OutsideCheckpoints
from cutcard.table.replay.proof import Proof
from cutcard.table.replay.replay_log import BESIDE, ReplayLog
from cutcard.table.replay.table_tree import TreeFile, continue_tree
from cutcard.table.replay.verdict import PROVEN, asked_now, judge
from cutcard.table.replay.witnessing import Witnessing
from cutcard.transparency.submission import archived

PLAYERS = (Player("Ana", 1, 2000), Player("Ben", 3, 5000), Player("Cleo", 5, 1000))


# The jackpots of a table during its start, whose devices the stack disconnects at its end.
Equip = Callable[["ReplayLog", "Points", ExitStack], Sequence[Jackpot]]


class Killed(BaseException):
    """The program was killed; it must not catch this and continue."""


@dataclass
class Points:
    """Count the points that a program passes, and kill it at a given one.

    `opening`: also count the points before the table is open, where the program finds the progress
    of its predecessor.
    """

    kill_at: int | None = None
    opening: bool = False
    passed: int = 0
    error: int = 0  # raise this disk error instead of a kill: errno.EIO or errno.ENOSPC

    def reach(self) -> None:
        self.passed += self.opening
        if self.passed == self.kill_at and not self.error:
            raise Killed

    def reach_disk(self) -> None:
        """Pass a point at which the disk may fail, too."""
        self.reach()
        if self.passed == self.kill_at:
            raise OSError(self.error, os.strerror(self.error))


class LosingDisk(Disk):
    """Store synced data reliably. A crash keeps a random part of the rest."""

    def __init__(self, points: Points, chance: Random) -> None:
        self.points = points
        self.chance = chance
        # by our own descriptor: the real one, and the synced size
        self._files: dict[int, tuple[int, int]] = {}

    def write(self, file: int, data: bytes) -> int:
        if file not in self._files:
            self._files[file] = os.dup(file), os.lseek(file, 0, os.SEEK_CUR)
        self.points.reach_disk()
        some = self.chance.randint(1, len(data))
        written = super().write(file, data[:some])
        self.points.reach_disk()
        return written

    def sync(self, file: int) -> None:
        self.points.reach_disk()
        self._files[file] = self._files[file][0], os.lseek(file, 0, os.SEEK_CUR)
        self.points.reach_disk()

    def crash(self) -> None:
        """Cut the power: unsynced data is lost, or torn at a random point."""
        for ours, synced in self._files.values():
            end = os.lseek(ours, 0, os.SEEK_END)
            if end > synced:
                os.ftruncate(ours, self.chance.randint(synced, end))
        self.close()

    def close(self) -> None:
        for ours, _ in self._files.values():
            os.close(ours)


@dataclass
class KilledTable:
    """One table on one bench, started again after each kill."""

    bench: Bench
    folder: Path
    table: Table
    mishaps: Mishaps
    rounds: int
    players: Sequence[Player] = PLAYERS
    equip: Equip = field(default=lambda memory, points, stack: ())
    chance: Random = field(default_factory=lambda: Random(1))
    lines: list[str] = field(default_factory=list)
    starts: int = 0

    @property
    def path(self) -> Path:
        return self.folder / "table.journal"

    @property
    def notes(self) -> Path:
        return self.folder / "notes"

    @property
    def key(self) -> TableKey:
        return TableKey.at(self.folder / "table.key")

    def run(self, points: Points) -> bool:
        """Continue until the evening is over (True) or the table is killed (False)."""
        self.starts += 1
        disk = LosingDisk(points, self.chance)
        with ExitStack() as stack:
            try:
                journal = stack.enter_context(Journal(self.path, disk=disk, key=self.key))
                memory = self._remembered(journal)
                device = self._open(memory, points)
                stack.callback(device._connection._hang_up)  # a dead process sends no farewell
                jackpots = self.equip(memory, points, stack)
                points.opening = True
                self._play(memory, device, jackpots)
                memory.close()
                disk.close()
                return True
            except Killed:
                disk.crash()
                return False
            except JournalFailedError:
                assert device.fall_silent()
                disk.crash()
                return False

    def _remembered(self, journal: Journal) -> ReplayLog:
        """Return the log of a table whose checkpoints go to a file."""
        file = TreeFile(self.folder / "table.tree")
        continue_tree(journal, file, None)
        witnessing = Witnessing(journal, self.key, [str(self.notes)], file.content())
        return ReplayLog(journal, self.table, file, witnessing)

    def _open(self, memory: ReplayLog, points: Points) -> Shuffler:
        return Shuffler.open(
            self.bench.port,
            key=self.bench.key,
            randomness=Random(1).randbytes,
            log=memory.log("cards"),
            deadline=60,
            tap=lambda frame: None if points.error else points.reach(),
        )

    def _play(self, memory: ReplayLog, device: Shuffler, jackpots: Sequence[Jackpot]) -> None:
        if not memory.kept:
            TableDevice(device, memory).fill(self.table.decks, self.table.pack)
        live = LiveTable(
            self.table,
            device,
            memory,
            BenchFloor(self.bench),
            self.lines.append,
            jackpots=jackpots,
        )
        play_rounds(
            live,
            self.bench,
            self.rounds,
            self.lines.append,
            mishaps=self.mishaps,
            players=self.players,
        )

    # Invariants of the evening, for any number of kills

    def came(self) -> tuple[int, int]:
        """Return the progress: the last settled record, and the records of the open round on the
        disk."""
        lines = self._put_away_copies().splitlines()
        kinds = [line.split(b'"kind":"', 1)[1].split(b'"', 1)[0].decode() for line in lines]
        last = max((at for at, kind in enumerate(kinds) if kind == SETTLED), default=0)
        first = json.loads(lines[last])["n"] if lines else 0
        return first, sum(kind not in BESIDE for kind in kinds[last:])

    def _put_away_copies(self) -> bytes:
        """Return the complete lines of the last segment, without earlier segments that it repeats.

        Otherwise each of some thousand kills would cost as much as all earlier ones together.
        """
        *before, last = segments(self.path)
        lines = _whole_lines(last)
        if before[1:] and lines.startswith(_whole_lines(before[-1])):
            last.replace(before[-1])
        return lines

    def check(self) -> None:
        records = list(read(self.path))
        self._check_events(records)
        self._check_cards(records)
        self._check_money(records)
        self._check_replay(records)
        self._check_witness(records)

    def _check_events(self, records: list[Record]) -> None:
        """Check that each event is in the journal and in its results exactly once."""
        numbers = [
            r.device["event"] for r in records if r.kind == "told" and r.device["role"] == "cards"
        ]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        handled = [
            (r.device["role"], number)
            for r in records
            if "handled" in r.data
            for number in r.data["handled"]
        ]
        assert max(Counter(handled).values()) == 1
        commands = [
            r.data["id"] for r in records if r.kind == "command" and r.device["role"] == "cards"
        ]
        assert commands == sorted(commands)

    def _check_cards(self, records: list[Record]) -> None:
        """Check that each card reported by the device or read by a person is in exactly one
        round."""
        dealt = Counter(
            r.data["card"] for r in records if r.kind == "told" and r.data["event"] == "CardDealt"
        )
        for record in records:
            if record.kind == "told" and record.data["event"] == "FaultRaised":
                dealt.update(card for card in record.data["cards"] if card)
            elif record.kind == "answer" and record.data["asked"] == "read card":
                dealt[record.data["said"]] += 1
        in_rounds: Counter[str] = Counter()
        for record in records:
            if record.kind == "event" and "deal" in record.data:
                in_rounds[record.data["deal"]] += 1
            elif record.kind == "event" and "fault" in record.data:
                in_rounds.update(
                    (record.data.get("cards") or record.data.get("card") or "").split()
                )
        assert in_rounds == dealt, (in_rounds - dealt, dealt - in_rounds)

    def _check_money(self, records: list[Record]) -> None:
        settled = [r for r in records if r.kind == "settled"]
        assert [r.data["number"] for r in settled] == list(range(1, self.rounds + 1))
        cents = sum(round(line["net"] * 100) for r in settled for line in r.data["results"])
        assert cents == sum(settled[-1].data["state"]["cents"].values())

    def _check_witness(self, records: list[Record]) -> None:
        """Check that the device has taken in the head of each round exactly once, and that each
        checkpoint that has left is one of this journal.
        """
        notes = archived(self.notes.read_text())
        proof = Proof(outside=OutsideCheckpoints(notes))
        for record in records:
            proof.take(record)
        proof.end()
        assert proof.signatures == self.rounds
        assert proof.outside.compared == sorted(set(proof.outside.compared))
        assert len(proof.outside.compared) == len(notes) >= self.rounds
        with Shuffler.open(self.bench.port, key=self.bench.key, acknowledge=False) as device:
            verdict = judge(proof, asked_now(device))
        assert (verdict.of_all, verdict.problems) == (PROVEN, [])

    def _check_replay(self, records: list[Record]) -> None:
        cases = self.folder / "cases"
        assert write_cases(self.path, cases) == self.rounds
        for path in cases.glob("*.toml"):
            report = run_file(path)
            assert report.ok, (report.malformed, report.differences, path.read_text())


def _whole_lines(segment: Path) -> bytes:
    """Return the complete lines of a segment; a crash may have torn the last line."""
    content = segment.read_bytes()
    return content[: content.rfind(b"\n") + 1]


def six_decks() -> Table:
    book = open_rulebook("nz-division-2", ("blackjack",))
    return Table(book, 6, "continuous", minimum=1000, maximum=100_000)
