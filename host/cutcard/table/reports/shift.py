"""The shift report of a table: the result of every wager, as a table and as a page to sign."""

from __future__ import annotations

import json
import tempfile
from dataclasses import astuple, dataclass, fields
from decimal import Decimal
from importlib import resources
from pathlib import Path
from typing import Any, TextIO

from cutcard.journal import SETTLED, Record, read
from cutcard.journal.file import understood
from cutcard.spreadsheet import Sheet
from cutcard.table.display_names import words


@dataclass(frozen=True, slots=True)
class SettledRound:
    """One wager of one round, with its result in dollars."""

    table: str
    round: int
    time: str
    box: int
    player: str
    bet: str
    result: str
    net: str
    rules: str


class ShiftCounts:
    """The counts of a shift report. Pass the records of a journal to `take`."""

    def __init__(self) -> None:
        self.wagers: list[SettledRound] = []
        self.rounds = self.void = self.faults = 0
        self.opened = self.closed = self.hash = self.table = ""

    def take(self, record: Record) -> None:
        self.opened = self.opened or record.time
        self.closed, self.hash, self.table = record.time, record.hash, record.table or self.table
        if record.kind == "device":
            self.faults += 1
        elif record.kind == SETTLED:
            self._settle(record)

    def _settle(self, record: Record) -> None:
        self.rounds += 1
        self.void += record.data["round"] == "void"
        number = record.data.get("number", self.rounds)
        for line in record.data["results"]:
            net = "" if line["net"] is None else f"{Decimal(str(line['net'])):.2f}"  # still open
            who = (line["box"], line["player"], line["bet"], line["result"])
            rules = " ".join(line["rules"])
            self.wagers.append(SettledRound(record.table, number, record.time, *who, net, rules))

    def totals(self) -> dict[str, Decimal]:
        """Return each player's net amount, and the house's with the opposite sign."""
        totals: dict[str, Decimal] = {}
        for wager in self.wagers:
            totals[wager.player] = totals.get(wager.player, Decimal(0)) + Decimal(wager.net or 0)
        return totals

    def write_csv(self, file: TextIO) -> None:
        sheet = Sheet(file)
        sheet.write(field.name for field in fields(SettledRound))
        for wager in self.wagers:
            sheet.write(astuple(wager))

    def pdf(self) -> bytes:
        """Return a page to print and sign. Needs typst, which comes with `cutcard[certify]`."""
        import typst  # an extra: see cutcard.extras

        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            text = (resources.files("cutcard.table.reports") / "shift.typ").read_text("utf-8")
            (home / "shift.typ").write_text(text, "utf-8")
            (home / "shift.json").write_text(json.dumps(self._content()), "utf-8")
            fonts = typst.Fonts(include_system_fonts=False, include_embedded_fonts=True)
            compiler = typst.Compiler(str(home / "shift.typ"), root=str(home), font_paths=fonts)
            made = compiler.compile(format="pdf", pdf_standards=["ua-1"])
        assert isinstance(made, bytes)
        return made

    def _content(self) -> dict[str, Any]:
        totals = self.totals()
        return {
            "table": self.table,
            "opened": self.opened,
            "closed": self.closed,
            "hash": self.hash,
            "rounds": self.rounds,
            "void": self.void,
            "faults": self.faults,
            "totals": [[player, f"{net:,.2f}"] for player, net in totals.items()],
            "house": f"{-sum(totals.values(), Decimal(0)):,.2f}",
            "wagers": [_row(wager) for wager in self.wagers],
        }


def shift_of(path: Path) -> ShiftCounts:
    """Return the report of an entire journal. Raises JournalDamagedError if its chain breaks."""
    shift = ShiftCounts()
    for record in read(path):
        with understood(path, record):
            shift.take(record)
    return shift


def _row(wager: SettledRound) -> list[str]:
    """Return the wager as a row of the printed page."""
    time = wager.time[11:19]
    bet, result = words(wager.bet), words(wager.result)
    return [
        str(wager.round),
        time,
        str(wager.box),
        wager.player,
        bet,
        result,
        wager.net,
        wager.rules,
    ]
