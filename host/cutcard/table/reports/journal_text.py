"""A journal as text: one line for each event, in order, as a floor manager would describe it.

The rounds are replayed in the process, so that each card is described with its box, and each fault
with its ruling and rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from cutcard.cases.case import MalformedCaseError
from cutcard.cases.codec import exact
from cutcard.cases.explain import came_out
from cutcard.cases.loader import read_table, read_wagers
from cutcard.cases.reading import Fields
from cutcard.cases.steps import Setting, read_event
from cutcard.cases.writing import case_of
from cutcard.engine.events import Act, Deal, Event, Irregularity, Press, Ruling
from cutcard.engine.ledger import dollars
from cutcard.engine.refusal import EngineError
from cutcard.engine.round import start, step
from cutcard.engine.state import DEALER, Placed, Round, Table
from cutcard.engine.turn import next_card_goes_to
from cutcard.journal import Record, read
from cutcard.journal.file import understood
from cutcard.rulebooks.book import Rules
from cutcard.table.display_names import job, words
from cutcard.table.replay.role_log import CHANGES

FAULTS = (
    "device",
    "unverified",
    "locked",
    "controller",
    "readings",
    "disarmed",
    "torn",
    "resumed",
    *CHANGES,
)


@dataclass(frozen=True, slots=True)
class StoryLine:
    """A line of the journal as text. `fault`: it is about a fault or a ruling."""

    record: int
    time: str
    table: str
    round: int | None
    text: str
    rules: Rules = ()
    fault: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "n": self.record,
            "time": self.time,
            "table": self.table,
            "round": self.round,
            "text": self.text,
            "rules": list(self.rules),
            "fault": self.fault,
        }


def journal_lines(path: Path) -> Iterator[StoryLine]:
    """Yield the lines of a journal.

    Raises JournalDamagedError if its chain breaks or a record does not have the form of its kind.
    """
    describer = JournalDescriber(path)
    for record in read(path):
        with understood(path, record):
            lines = list(describer.lines(record))
        yield from lines


@dataclass
class JournalDescriber:
    """Describes the records of a journal in order; `round` is the round after the last one."""

    path: Path
    table: Table | None = None
    sign: dict[str, Any] = field(default_factory=dict)
    number: int | None = None
    rounds: int = 0
    placed: tuple[Placed, ...] = ()
    round: Round | None = None  # None: it cannot be replayed here, and is described without places

    def lines(self, record: Record) -> Iterator[StoryLine]:
        said = SAID.get(record.kind)
        if record.kind == "table":
            self._open(record.data)
            yield self._line(record, self._about_table())
        elif record.kind in ("round", "entered"):
            yield from self._begin(record)
        elif record.kind == "event":
            yield from self._event(record)
        elif record.kind == "settled":
            yield from self._settled(record)
            self.number = None
        elif said is not None:
            rules = tuple(record.data.get("rules", ()))
            yield self._line(record, said(record.data), rules, fault=record.kind in FAULTS)

    def _line(self, record: Record, text: str, rules: Rules = (), fault: bool = False) -> StoryLine:
        return StoryLine(
            record=record.number,
            time=record.time,
            table=record.table,
            round=self.number,
            text=text,
            rules=tuple(dict.fromkeys(rules)),
            fault=fault,
        )

    def _open(self, sign: dict[str, Any]) -> None:
        self.sign = sign
        case = case_of("", {key: sign[key] for key in sign}, [])
        try:
            self.table = read_table(self.path, Fields(exact(case), ""))
        except MalformedCaseError:
            self.table = None

    def _about_table(self) -> str:
        name = self.sign["rulebook"] if self.table is None else self.table.book.title
        as_of = self.sign.get("as_of")
        day = f", as of {date.fromisoformat(as_of):%-d %B %Y}" if as_of else ""
        games = " and ".join(map(words, self.sign["variant"]))
        return f"The table opens: {name}{day}; {games}; {self.sign['decks']} decks."

    def _begin(self, record: Record) -> Iterator[StoryLine]:
        if record.kind == "round":
            self.rounds += 1
        self.number = record.data.get("number", self.rounds)
        self.round = None
        if self.table is not None:
            wagers = Fields({"wagers": exact(record.data["wagers"])}, "")
            try:
                self.placed = read_wagers(wagers, self.table)
                self.round = start(self.table, self.placed)
            except MalformedCaseError:
                pass
        who = "; ".join(map(_wager, record.data["wagers"]))
        what = "begins" if record.kind == "round" else "has its jackpot wagers entered"
        yield self._line(record, f"Round {self.number} {what}: {who}.")

    def _event(self, record: Record) -> Iterator[StoryLine]:
        event = self._read(record.data)
        if event is None or self.round is None or self.table is None:
            yield self._line(record, _plain(record.data), fault="fault" in record.data)
            return
        fault = isinstance(event, Irregularity | Ruling)
        text = _happened(event, self.round)
        try:
            after = step(self.round, event)
        except (EngineError, LookupError, ValueError):
            self.round = None
            yield self._line(record, text, fault=fault)
            return
        notes = after.story[len(self.round.story) :]
        self.round = after
        if isinstance(event, Ruling):
            notes = [note for note in notes if not note.text.startswith("On ")]
        if text and not _is_described(event, [note.text for note in notes]):
            yield self._line(record, text, fault=fault)
        for note in notes:
            yield self._line(record, note.text, note.rules, fault)

    def _read(self, data: dict[str, Any]) -> Event | None:
        if self.table is None:
            return None
        try:
            return read_event(exact(data), Setting(self.table, self.placed))
        except (MalformedCaseError, ValueError):
            return None

    def _settled(self, record: Record) -> Iterator[StoryLine]:
        for line in record.data["results"]:
            who = f"{line['player']} on box {line['box']}, {words(line['bet'])}"
            came = came_out(line["result"], round((line["net"] or 0) * 100))
            yield self._line(record, f"{who}: {came}.", tuple(line["rules"]))
        yield self._line(record, f"Round {self.number} is {record.data['round']}.")


def _wager(wager: dict[str, Any]) -> str:
    bet = "" if wager["bet"] == "main" else f" on {words(wager['bet'])}"
    amount = dollars(round(wager["amount"] * 100))
    return f"{wager['player']} on box {wager['box']} with {amount}{bet}"


def _happened(event: Event, round: Round) -> str:
    if isinstance(event, Deal):
        due = event.to or next_card_goes_to(round)
        return f"{_place(due)}: {event.card}."
    if isinstance(event, Act):
        return f"{event.player or 'The hand in turn'}: {words(event.kind)}."
    if isinstance(event, Press):
        return f"{event.player or 'The staff'} presses: ${event.prize:,} for each $1."
    if isinstance(event, Irregularity):
        cards = " ".join(map(str, event.cards))
        return f"Reported: {words(event.kind)}{' ' + cards if cards else ''}."
    if isinstance(event, Ruling):
        by = event.player if event.by is None else job(event.by)
        return f"{by} rules: {words(event.kind)}."
    return ""


def _is_described(event: Event, notes: list[str]) -> bool:
    """Return whether the notes of the rules already describe the event."""
    if isinstance(event, Deal):
        return any(str(event.card) in note for note in notes)
    return isinstance(event, Act) and bool(notes)


def _place(due: str | None) -> str:
    if due == DEALER:
        return "Dealer"
    return "A card" if due is None else f"Box {due}"


def _asked_for(data: dict[str, Any]) -> str:
    """Describe the request of a person at a console, and its confirmation."""
    if "cause" in data:
        return f"{data['person']} at the console causes: {words(data['cause'])}."
    if "count" in data:
        return f"{data['person']} at the console has cleared the machine: {data['count']} outside."
    if "wager" in data:
        return f"{data['person']} at the console, for the next round: {_put_down(data['wager'])}."
    if "begin" in data:
        return f"{data['person']} at the console: no more wagers."
    if "close" in data:
        return f"{data['person']} closes the table after this round."
    if "act" in data:
        return f"{data['person']} at the console, for {data['asked']}: {words(data['act'])}."
    what = words(data.get("ruling") or "no ruling")
    who = f"{data['person']} ({job(data['title'])})" if data.get("title") else data["person"]
    if "confirmed" in data:
        return f"{data['confirmed']} confirms at the console what {who} proposed: {what}."
    return f"{who} {'proposes' if data.get('proposed') else 'decides'} at the console: {what}."


def _requested(data: dict[str, Any]) -> str:
    """Return the refused request in a few words."""
    for name in ("ruling", "cause", "act"):
        if data.get(name):
            title = f" as {job(data['title'])}" if data.get("title") else ""
            return f"{words(data[name])}{title}"
    if "wager" in data:
        return f"wager {_put_down(data['wager'])}"
    if "count" in data:
        return f"count of {data['count']}"
    return "close the table" if "close" in data else "deal" if "begin" in data else "confirm"


def _put_down(wager: dict[str, Any]) -> str:
    bet = "" if wager["bet"] == "main" else f" on {words(wager['bet'])}"
    amount = dollars(wager["cents"]) if wager["cents"] else "nothing"
    return f"{wager['player']} on box {wager['box']}, {amount}{bet}"


def _tried(data: dict[str, Any]) -> str:
    """Describe a ruling, or a late wager, that was tried."""
    if "ruling" in data:
        by = data.get("player") if data.get("by") is None else job(data["by"])
        return f"{words(data['ruling'])}, by {by}"
    what = "" if data.get("bet") is None else f" on {words(data['bet'])}"
    return f"{data.get('player')} with {dollars(round(data['amount'] * 100))}{what}"


def _answering(data: dict[str, Any]) -> str:
    """Describe the person who acknowledges a machine; the name is claimed. Old records have name
    and title."""
    if "by" not in data:
        return ""
    title = f", {job(data['title'])}" if "title" in data else ""
    reason = f": {data['reason']}" if "reason" in data else ""
    return f"; {data['by']}{title} (claimed) acknowledges it{reason}"


def _plain(data: dict[str, Any]) -> str:
    return "; ".join(f"{words(key)} {value}" for key, value in data.items()) + "."


# The texts of the other records, by their kinds. The remaining kinds are internal, and shown by
# --all.
SAID: dict[str, Callable[[dict[str, Any]], str]] = {
    "device": lambda d: (
        f"The machine stops: {words(d['fault'])}"
        f"{' ' + ' '.join(d['cards']) if d.get('cards') else ''} ({d['stage']})."
    ),
    "started": lambda d: f"The machine comes up again ({words(d['cause'])}).",
    "unverified": lambda d: f"The count does not match: {words(d['fault'])}.",
    "recovered": lambda d: f"Counted: {d['inside']} inside, {d['outside']} outside.",
    "locked": lambda d: f"The machine is locked: {d['why']}.",
    "unloaded": lambda d: f"All cards are out: {d['cards']}; found {d['found'] or 'no error'}.",
    "loaded": lambda d: f"Filled anew: {d['cards']} cards.",
    "shuffled": lambda d: f"{d['cards']} cards are shuffled, and back in the shoe.",
    "refilled": lambda d: f"{d['cards']} discards are shuffled, cut, and in the shoe.",
    "returned": lambda d: f"{d['cards']} discards are back in the machine.",
    "request": lambda d: _asked_for(d),
    "request-refused": lambda d: (
        f"Refused to {d['person']} at the console: {_requested(d)}. {d['why']}"
    ),
    "refused": lambda d: f"Refused: {_tried(d)}: {d['why']}.",
    "unagreed": lambda d: (
        f"No insurance for {d['for']} on box {d['box']}: equal claims without an agreement."
    ),
    "draw": lambda d: f"The controller draws number {d['counter']}.",
    "readings": lambda d: f"Meter shows {d['meter']}, panel {d['panel']}.",
    "idle-press": lambda d: f"The button of table {d['place']} was pressed without an offer.",
    "controller": lambda d: f"The controller fails: {words(d['fault'])}.",
    "not-begun": lambda d: f"Round {d['number']} does not begin: {d['why']}",
    "mishap": lambda d: f"On the bench: {d['asked']}.",
    "resumed": lambda d: "The program was started again, and resumes.",
    "disarmed": lambda d: (
        "The previous program could not write any more, and disarmed the machine."
    ),
    "torn": lambda d: f"{d['bytes']} bytes of an incomplete record were kept.",
    "closed": lambda d: "The table closes.",
    "unwitnessed": lambda d: (
        f"No checkpoint since {d['since'][11:16]} is at the witness {d['witness']}: {d['why']}."
    ),
    "tree": lambda d: (
        f"{d['missing']} records of the table are missing{_answering(d)}."
        if "missing" in d
        else f"{d['size']} records of the table are in journals before this one."
    ),
    "exchanged": lambda d: f"The device {d['from']} was exchanged for {d['to']}{_answering(d)}.",
    "acknowledged": lambda d: f"The table continues{_answering(d)}. The difference: {d['of']}",
}
