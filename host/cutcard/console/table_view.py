"""The state of a table for display after any record of its journal."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cutcard.cards import Card
from cutcard.console.choices import choices_of, foreseen
from cutcard.console.draws import LatestDraws
from cutcard.console.machine import MachineView
from cutcard.engine.round import owed
from cutcard.engine.state import Box, Hand, Round
from cutcard.engine.turn import hand_in_turn
from cutcard.journal import Record
from cutcard.table.display_names import words
from cutcard.table.reports.journal_text import JournalDescriber, StoryLine


@dataclass
class TableView:
    """The state of a table after a record of its journal: round, machine and money."""

    describer: JournalDescriber
    number: int = 0
    time: str = ""
    name: str = ""
    played: int = 0
    void: int = 0
    faults: int = 0
    closed: bool = False
    cents: dict[str, int] = field(default_factory=dict)
    unwitnessed: dict[str, str] = field(default_factory=dict)  # by witness: since this time
    settled: dict[str, Any] | None = None
    machine: MachineView = field(default_factory=MachineView)
    draws: LatestDraws = field(default_factory=LatestDraws)

    @classmethod
    def of(cls, path: Path) -> TableView:
        return cls(JournalDescriber(path))

    def copy(self) -> TableView:
        """Return a copy, to return to this moment later."""
        kept = copy(self)
        kept.describer, kept.machine = copy(self.describer), copy(self.machine)
        kept.cents, kept.unwitnessed = dict(self.cents), dict(self.unwitnessed)
        return kept

    def take(self, record: Record) -> list[StoryLine]:
        """Take the next record and return its lines."""
        self.number, self.time = record.number, record.time
        self.name = record.table or self.name
        self.closed = record.kind == "closed"
        self.machine.take(record)
        lines = list(self.describer.lines(record))
        if record.kind == "round":
            self.settled = None
        elif record.kind == "settled":
            self._settle(record.data)
        elif record.kind in ("device", "controller"):
            self.faults += 1
        elif record.kind == "unwitnessed":
            self.unwitnessed[record.data["witness"]] = record.data["since"]
        elif record.kind == "witnessed":
            self.unwitnessed.pop(record.data["witness"], None)
        elif record.kind in ("key", "draw"):
            self.draws = self.draws.with_record(record)
        return lines

    def _settle(self, data: dict[str, Any]) -> None:
        self.played += 1
        self.void += data["round"] == "void"
        self.settled = data
        for line in data["results"]:
            cents = _cents(line)
            self.cents[line["player"]] = self.cents.get(line["player"], 0) + cents

    def picture(self) -> dict[str, Any]:
        """Return all data for the page, as JSON."""
        round = self.describer.round
        return {
            "n": self.number,
            "time": self.time,
            "name": self.name,
            "closed": self.closed,
            "table": self._table(),
            "round": None if round is None else self._round(round),
            "results": None if self.settled is None else self._results(self.settled),
            "machine": self.machine.picture(),
            "cents": self.cents,
            "house": -sum(self.cents.values()),
            "played": self.played,
            "void": self.void,
            "faults": self.faults,
            "draws": list(self.draws.shown),
            "unwitnessed": [
                {"witness": witness, "since": since} for witness, since in self.unwitnessed.items()
            ],
        }

    def _table(self) -> dict[str, Any]:
        sign, table = self.describer.sign, self.describer.table
        return {
            "title": sign.get("rulebook", "") if table is None else table.book.title,
            "rulebook": sign.get("rulebook", ""),
            "game": " and ".join(map(words, sign.get("variant", ()))),
            "decks": sign.get("decks"),
            "shuffler": sign.get("shuffler", ""),
            "min": None if table is None else table.minimum,
            "max": None if table is None else table.maximum,
            "as_of": sign.get("as_of"),
            "version": sign.get("engine", ""),
            "roles": [] if table is None else list(table.book.roles),
        }

    def _round(self, round: Round) -> dict[str, Any]:
        turn = None if round.over or self.settled else hand_in_turn(round)
        phase = self.settled["round"] if self.settled else round.phase.value
        return {
            "number": self.describer.number or (self.settled or {}).get("number"),
            "phase": phase,
            "owed": None if self.settled else _owed(round),
            "dealer": [str(card) for card in round.dealer],
            "dealer_total": str(round.dealer_total) if round.dealer else "",
            "ahead": [str(card) for card in round.ahead],
            "boxes": [_box(round, box, turn and turn.hand) for box in round.boxes.values()],
            "choices": [] if self.settled else choices_of(round),
            "foreseen": self._foreseen(round),
            "rulings": [_ruled(each) for each in round.rulings],
            "meters": {name: round_up(amount) for name, amount in round.meters.items()},
        }

    def _foreseen(self, round: Round) -> dict[str, Any] | None:
        """Return the effect of the rules on a fault that is still being cleared."""
        fault = self.machine.fault
        if not fault or self.settled or round.choices:
            return None
        return foreseen(round, fault, self.machine.cards)

    def _results(self, settled: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {
                "box": line["box"],
                "player": line["player"],
                "bet": words(line["bet"]),
                "result": words(line["result"]),
                "cents": _cents(line),
                "rules": line["rules"],
            }
            for line in settled["results"]
        ]


def _cents(line: dict[str, Any]) -> int:
    """Return the result of a wager; 0 for a wager carried to the next round."""
    return 0 if line["net"] is None else round(line["net"] * 100)


def _owed(round: Round) -> str | None:
    """Return the awaited event of the round, without rulings, which are listed separately."""
    said = owed(round)
    return words(said.partition(":")[0]) if said and round.choices else said


def round_up(amount: Any) -> int:
    """Return a meter's amount in full cents, as it is paid."""
    return -int(-amount // 1)


def _box(round: Round, box: Box, turn: Hand | None) -> dict[str, Any]:
    hands = [_hand(box, hand, hand is turn) for hand in box.hands]
    sides = [wager for wager in round.wagers if wager.key.box == box.number]
    return {
        "number": box.number,
        "wagers": [{"player": main.player, "cents": main.amount} for main in box.mains],
        "hands": hands or [_undealt(box)],
        "sides": [
            {
                "player": wager.key.player,
                "bet": words(wager.key.bet),
                "cents": wager.amount,
                "open": wager.open,
            }
            for wager in sides
        ],
    }


def _undealt(box: Box) -> dict[str, Any]:
    stakes = [{"player": main.player, "cents": main.amount} for main in box.mains]
    return {"place": str(box.number), "cards": _cards(box.dealt), "total": "", "stakes": stakes}


def _hand(box: Box, hand: Hand, in_turn: bool) -> dict[str, Any]:
    return {
        "place": box.place_of(hand),
        "cards": _cards(hand.cards),
        "total": "Blackjack" if hand.is_blackjack else str(hand.total) if hand.cards else "",
        "stakes": [{"player": stake.player, "cents": stake.money} for stake in hand.stakes],
        "doubled": hand.doubled,
        "gone": hand.gone or not hand.has_open_stake,
        "turn": in_turn,
    }


def _cards(cards: list[Card]) -> list[str]:
    return [str(card) for card in cards]


def _ruled(each: Any) -> dict[str, Any]:
    return {
        "on": words(each.irregularity or "press"),
        "ruling": words(each.ruling) if each.ruling else "by rule",
        "rules": list(each.rules),
    }
