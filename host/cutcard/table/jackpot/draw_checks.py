"""Verify the draws of a jackpot by the journal only, as a third party would."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from cutcard.journal import Record, read
from cutcard.prizes.draw import Draw
from cutcard.prizes.tables import rulebook_tables
from cutcard.prizes.verify import verify
from cutcard.table.replay.replay_log import REKEYED
from cutcard.table.replay.role_log import CONTROLLER, REPORTED


@dataclass
class ControllerDraws:
    """The draws of one controller with its public key, and the problems found in them."""

    public_key: bytes
    draws: list[Draw] = field(default_factory=list)
    # the lists from which wagers were picked
    texts: dict[bytes, bytes] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DrawFindings:
    """The draws of a journal: of each controller of the table, one after the other."""

    controllers: tuple[ControllerDraws, ...]
    restarts: int  # of the controller, by its events

    @property
    def draws(self) -> list[Draw]:
        return [draw for each in self.controllers for draw in each.draws]

    @property
    def problems(self) -> list[str]:
        return [problem for each in self.controllers for problem in each.problems]


def check_draws(journal: Path) -> DrawFindings:
    """Verify the signature, the chain and the prize table of every draw."""
    records = list(read(journal))
    found = _by_controller(records)
    tables = [text.encode() for text, _ in rulebook_tables().values()]
    known = {sha256(text).digest(): text for text in tables}
    for each in found:
        if each.draws:
            checked = verify(each.draws, each.public_key, known | each.texts)
            each.problems += checked.problems
            if checked.priced < len(each.draws):
                each.problems.append(f"{len(each.draws) - checked.priced} are of no known prizes")
    return DrawFindings(tuple(found), sum(map(_is_restart, records)))


def _by_controller(records: Iterable[Record]) -> list[ControllerDraws]:
    found: list[ControllerDraws] = []
    for record in records:
        if record.kind in ("key", REKEYED):
            public = bytes.fromhex(record.data["public"])
            if not found or found[-1].public_key != public:
                found.append(ControllerDraws(public))
        elif record.kind == "draw":
            found[-1].draws.append(Draw.from_json(record.data))
            if "list" in record.data:
                text = record.data["list"].encode()
                found[-1].texts[sha256(text).digest()] = text
    return found


def _is_restart(record: Record) -> bool:
    about = record.kind == REPORTED and record.device.get("role") == CONTROLLER
    return about and record.data["event"] == "Started" and record.data["boots"] > 1
