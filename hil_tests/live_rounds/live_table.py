"""A live table for tests: staged cards, scripted players and rulings, and a balance at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from cutcard.bench.client import Bench
from cutcard.cards import Card, parse_cards
from cutcard.cases.runner import run_file
from cutcard.devices import Shoe, Shuffler
from cutcard.devices.card_device import CardDevice
from cutcard.devices.device import HAND_SECONDS
from cutcard.devices.events import CardDealt
from cutcard.engine.choices import Choice
from cutcard.engine.events import Act, Ruling
from cutcard.engine.ledger import HOUSE, LAYOUT, METERS, balance
from cutcard.engine.results import WagerResult
from cutcard.engine.state import Box, Hand, Phase, Placed, Round, Table
from cutcard.engine.turn import caller, hand_in_turn
from cutcard.journal import Journal, read
from cutcard.journal.file import Record
from cutcard.rulebooks.book import open_rulebook
from cutcard.table.jackpot.interface import Jackpot
from cutcard.table.machine.dealing_device import TableDevice
from cutcard.table.machine.floor import Attempt, BenchFloor
from cutcard.table.play.evening import write_cases
from cutcard.table.play.live import LiveTable
from cutcard.table.replay.replay_log import ReplayLog
from cutcard.testing.bench_device import PointedShoe

GRASP = 3  # the most cards that a test has drawn together
# Filled machines that later tables resume from, by machine name and kind of table, with the journal
# up to that point.
Filled = dict[tuple[str, str], bytes]
IN_TURN_ONLY = ("choose", "refuse-card")


class Staged(CardDevice):
    """Swap the faces of the next cards for the cards in `coming` before every draw."""

    bench: Bench
    coming: list[str]

    def deal(self, deadline: float = HAND_SECONDS) -> CardDealt:
        self.stage()
        before = self._drawn()
        try:
            return super().deal(deadline)
        finally:
            self.bench.settle()
            del self.coming[: self._drawn() - before]

    def stage(self) -> None:
        self.bench.settle()
        where = "stack" if self.KIND == "shoe" else "chute"
        row = self.bench.cards()[where][: GRASP + 1]
        indexes = [index for index, card in enumerate(row) if card["card"] != "cutting"]
        for index, card in zip(indexes, self.coming[:GRASP], strict=False):
            self.bench.do("swap", with_=card, where=where, index=index)

    def _drawn(self) -> int:
        return sum(card["card"] != "cutting" for card in self.bench.cards().get("outside", ()))


class StagedShuffler(Staged, Shuffler):
    """A shuffler whose next cards are known to the test."""


class StagedShoe(Staged, Shoe):
    """A shoe whose next cards are known to the test."""


class StagedPointedShoe(Staged, PointedShoe):
    """A shoe on the chip whose next cards are known to the test; a pointer shows the hand a
    depth."""

    @property
    def person(self) -> Bench:  # type: ignore[override]
        return self.bench


class ScriptedFloor(BenchFloor):
    """Give the rulings of a script on request; otherwise only the required answers.

    `seen` are the cards drawn together that were disclosed. A ruling that selects cards names their
    faces, because their order in the device's report is unknown. `meanwhile` runs once, during the
    thinking time for a ruling.
    """

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.script: list[Ruling] = []
        self.seen = ""
        self.meanwhile: Callable[[], object] | None = None
        self.asked: list[Choice] = []
        self.overlooks = 0  # attempts in which the cause of a fault is not found
        self.has_new_cards = True

    def disclosed(self, cards: Sequence[Card]) -> tuple[int, ...]:
        return tuple(
            number for number, card in enumerate(cards, start=1) if str(card) in self.seen.split()
        )

    def clear(self, fault: str, attempt: Attempt) -> int:
        if not self.overlooks:
            return super().clear(fault, attempt)
        self.overlooks -= 1
        return self.outside()

    def find_missing(self, attempt: Attempt) -> int:
        """Return the expected number; these people cannot find stolen cards."""
        return self.outside()

    def renew(self, decks: int, pack: int) -> bool:
        return self.has_new_cards and super().renew(decks, pack)

    def rule(self, round: Round, choice: Choice, machine_goes: bool) -> Ruling | None:
        self.asked.append(choice)
        if self.meanwhile is not None:
            happens, self.meanwhile = self.meanwhile, None
            happens()
            return None
        if self.script and _is_about(round, choice, self.script[0]):
            return _by_number(self.script.pop(0), choice)
        return super().rule(round, choice, machine_goes) if choice.required else None


class ChosenByFaces(Ruling):
    """A choice by faces; the actual ruling uses the numbers of the cards."""

    faces: Sequence[Card]

    def __init__(self, faces: Sequence[Card], by: str | None, player: str | None) -> None:
        super().__init__("choose", by=by, player=player)
        object.__setattr__(self, "faces", faces)  # a ruling is frozen

    def among(self, cards: Sequence[Card]) -> Ruling:
        chosen = tuple(cards.index(face) + 1 for face in self.faces)
        return Ruling("choose", by=self.by, player=self.player, chosen=chosen)


def choose(who: str, cards: str) -> Ruling:
    """Return a choice by faces, made by a player or a pit manager."""
    official = who == "pit-manager"
    by, player = (who, None) if official else (None, who)
    return ChosenByFaces(parse_cards(cards), by, player)


def _by_number(ruling: Ruling, choice: Choice) -> Ruling:
    if not isinstance(ruling, ChosenByFaces):
        return ruling
    return ruling.among(choice.irregularity.cards)


def _is_about(round: Round, choice: Choice, ruling: Ruling) -> bool:
    if all(option.ruling != ruling.kind for option in choice.options):
        return choice.required  # an invalid answer, to a question that requires one
    if choice.required or choice.holds or ruling.kind not in IN_TURN_ONLY:
        return True
    turn = hand_in_turn(round)
    return turn is not None and caller(round, turn.box, turn.hand) == ruling.player


class Evening:
    """One table of one rulebook at one machine, and its journal.

    An emulated board needs two minutes of its time to load four decks. There, `filled` is the
    machine that was filled before (elsewhere None), and the table resumes from the machine's
    journal as after a kill.
    """

    def __init__(
        self,
        bench: Bench,
        rulebook: str,
        folder: Path,
        decks: int = 4,
        variant: str = "",
        equip: Callable[[ReplayLog], Sequence[Jackpot]] = lambda memory: (),
        filled: Filled | None = None,
        key: bytes | None = None,  # of the device, if it differs from the bench's key
        **sign: Any,
    ) -> None:
        self.bench = bench
        self.path = folder / "table.journal"
        self.cases = folder / "cases"
        shoe = bench.machine.startswith("shoe")
        variant = variant or ("free-bet" if rulebook == "mbs-free-bet-3" else "blackjack")
        book = open_rulebook(rulebook, (variant,))
        shuffler = "shoe" if shoe else "continuous"
        table = Table(book, decks, shuffler, minimum=1000, maximum=100_000, **sign)
        kind: type[StagedShoe | StagedPointedShoe | StagedShuffler] = StagedShuffler
        if shoe:
            kind = StagedShoe if filled is None else StagedPointedShoe
        name = f"{rulebook} {variant} {decks} {sign}"
        journal = filled.get((bench.machine, name)) if filled is not None else None
        if journal is not None:
            bench.do("recall", name=name)
            self.path.write_bytes(journal)
        else:
            bench.put(decks, table.pack)
            bench.settle()
        self.journal = Journal(self.path)
        memory = ReplayLog(self.journal, table)
        self.device = kind.open(
            bench.port,
            key=key or bench.key,
            randomness=Random(1).randbytes,
            log=memory.log("cards"),
        )
        self.device.bench, self.device.coming = bench, []
        TableDevice(self.device, memory).fill(decks, table.pack)
        if filled is not None and journal is None:
            bench.settle()
            self.device.status()  # all earlier events have arrived
            bench.do("keep", name=name)
            filled[bench.machine, name] = self.path.read_bytes()
        self.floor = ScriptedFloor(bench)
        self.lines: list[str] = []
        self.acts: list[str] = []
        self.before_act: Callable[[], object] | None = None  # once, before the next decision
        self.live = LiveTable(
            table,
            self.device,
            memory,
            self.floor,
            self.lines.append,
            self._decide,
            equip(memory),
        )

    def _decide(self, round: Round, box: Box, hand: Hand) -> Act:
        if self.before_act is not None:
            happens, self.before_act = self.before_act, None
            happens()
        return Act(self.acts.pop(0))

    def play(
        self,
        cards: str,
        acts: str = "",
        rulings: Sequence[Ruling] = (),
        side: Sequence[Placed] = (),
        **boxes: int,
    ) -> dict[str, tuple[str, int]]:
        """Play one round; return each player's result and net amount in dollars.

        `cards` are dealt in this order, `acts` are the players' decisions. `boxes` are wagers such
        as Ana=10, $10 on the first box; `side` are the side wagers.
        """
        self.device.coming[:] = cards.split()
        self.acts[:] = acts.split()
        self.floor.script[:] = rulings
        wagers = boxes or {"Ana": 10, "Ben": 20}
        placed = [
            Placed(number, player, "main", dollars * 100)
            for number, (player, dollars) in enumerate(wagers.items(), start=1)
        ]
        self.outcome = self.live.play([*placed, *side])
        assert self.live.round.phase is Phase.VOID or not self.acts, "unused acts"
        assert not self.floor.script, "unused rulings"
        mains = [line for line in self.outcome if line.key.bet == "main"]
        return {line.key.player: (line.result, line.net // 100) for line in mains}

    def turn_next_card(self) -> None:
        """Turn the next card face up."""
        self.device.stage()
        self.bench.do("flip", where="stack" if self.device.KIND == "shoe" else "chute")
        self.bench.settle()

    def draw_unasked(self) -> None:
        """Draw the next card without a call."""
        self.device.stage()
        self.bench.do("draw", force=True)
        self.bench.settle()
        self.device.coming.pop(0)

    # The journal's content

    def records(self, kind: str) -> list[dict[str, Any]]:
        return [record.data for record in self._records() if record.kind == kind]

    def faults(self) -> list[tuple[str, str]]:
        return [(record["fault"], record["stage"]) for record in self.records("device")]

    def irregularities(self) -> list[str]:
        return [event["fault"] for event in self.records("event") if "fault" in event]

    def rules(self, player: str) -> set[str]:
        return {rule for line in self.outcome if line.key.player == player for rule in line.rules}

    def ruled(self) -> list[tuple[str | None, str | None]]:
        return [(ruled.irregularity, ruled.ruling) for ruled in self.live.round.rulings]

    def _records(self) -> list[Record]:
        return list(read(self.path))

    # The balance

    def check(self) -> None:
        """Check money, cards, the machine's state and the replay."""
        self._check_money(self.outcome)
        self._check_cards()
        self._check_machine()
        self._check_replay()

    def _check_money(self, outcome: list[WagerResult]) -> None:
        postings = self.live.round.postings
        assert balance(postings, LAYOUT) == 0
        players = sum(line.net for line in outcome)
        assert players + balance(postings, HOUSE) + balance(postings, METERS) == 0
        written = self.records("settled")[-1]["results"]
        assert sum(line["net"] * 100 for line in written) == players

    def _check_cards(self) -> None:
        """Check that bench, device and journal agree on the cards."""
        self.bench.settle()
        places, status = self.bench.cards(), self.device.status()
        inside = [
            card
            for name, row in places.items()
            for card in row
            if (name in ("chute", "stack", "exit") or name.startswith("bin"))
            and card["card"] != "cutting"
        ]
        assert status.inside == len(inside)
        if not self.live.machine.locked:
            assert status.inside + status.outside == status.pack
            assert status.outside == self.floor.outside() == self.live.machine.reported_outside
        if not self.records("returned"):
            self._check_faces(places)

    def _check_faces(self, places: dict[str, list[dict[str, Any]]]) -> None:
        """Check that each card drawn in the journal is on the table or, after a change of cards,
        removed."""
        gone = Counter(
            card["card"] for name in ("outside", "pocket") for card in places.get(name, ())
        )
        del gone["cutting"]
        in_journal = Counter(self._faces())
        assert in_journal <= gone
        changed = self.records("locked") or self.records("shuffled")
        if isinstance(self.device, Shoe) and not changed:
            assert in_journal == gone  # a shoe ejects no cards to count them

    def _faces(self) -> list[str]:
        """Return the faces of all cards that events report as drawn; rulings add no cards."""
        faces: list[str] = []
        for event in self.records("event"):
            if "deal" in event:
                faces.append(event["deal"])
            elif "fault" in event:
                faces += event.get("cards", event.get("card", "")).split()
        return faces

    def _check_machine(self) -> None:
        """Check that every fault ended in a verified count or a lock, and an unlocked machine can
        deal."""
        kinds = [record.kind for record in self._records()]
        assert kinds.count("device") == kinds.count("recovered") + kinds.count("locked")
        status = self.device.status()
        if self.live.machine.locked:
            assert status.mode in ("empty", "fault")
        else:
            assert (status.mode, status.fault) == ("ready", None)

    def _check_replay(self) -> None:
        count = write_cases(self.path, self.cases)
        assert count == len(self.records("round")) - len(self.records("not-begun"))
        for path in self.cases.glob("*.toml"):
            report = run_file(path)
            assert report.ok, (report.malformed, report.differences, path.read_text())

    def close(self) -> None:
        self.journal.close()
        self.device.close()
        assert self.bench.status()["crashes"] == 0, self.bench.do("stderr")["stderr"]
