"""A case as the runner uses it: a table, wagers, steps and the expected outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from cutcard.engine.events import Event
from cutcard.engine.ledger import Key
from cutcard.engine.state import Placed, Round, Table


class MalformedCaseError(Exception):
    """Raised if a file is not a valid case, with the key and the expected value."""

    def __init__(self, key: str, why: str) -> None:
        super().__init__(f"{key}: {why}")
        self.key = key


class UnfinishedCaseError(MalformedCaseError):
    """Raised if the steps end before the round is complete."""

    def __init__(self, round: Round, why: str) -> None:
        super().__init__("steps", why)
        self.round = round


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a file, as the events that it describes.

    `refused_under` is set for an event that the engine must refuse: the rule, or "".
    """

    key: str
    events: tuple[Event, ...]
    refused_under: str | None = None


@dataclass(frozen=True, slots=True)
class Expected:
    """One entry of `expect`; net in cents."""

    key: Key
    result: str
    net: int
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    path: Path
    title: str
    table: Table
    placed: tuple[Placed, ...]
    steps: tuple[Step, ...] = ()
    deal_order: tuple[str, ...] = ()
    round: str = "complete"
    cites: tuple[str, ...] = ()
    expect: tuple[Expected, ...] = field(default_factory=tuple)
    invalid: str | None = None
