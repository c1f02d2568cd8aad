"""Verification of a journal by its own records, and the witness value expected of its device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from cutcard.devices.card_device import Chains, Sent, Statement, Witness
from cutcard.devices.event_codec import plain
from cutcard.devices.events import decode
from cutcard.journal import EACH_SIGNED, SETTLED, SIGNED, TREE, Record, grown
from cutcard.table.replay.outside import OutsideCheckpoints, own_problem
from cutcard.table.replay.role_log import (
    CARDS,
    CHANGES,
    CLOSING,
    CONTROLLER,
    EPOCH,
    EVENTS_DIFFER,
    REPORTED,
    STATEMENT,
    RolePast,
    difference,
)
from cutcard.table.replay.round_signatures import problem_of
from cutcard.table.replay.witnessing import CHECKPOINT, WITNESSED
from cutcard.transparency import BadCheckpointError, Leaves, parsed

WORDS = {CARDS: "machine", CONTROLLER: "controller"}
LACKING = {
    1: "format 1 has neither times nor signatures nor a machine as its witness",
    2: "format 2 has a signature of each settled round only: nothing signs an open round",
    3: "format 3 has no chain of events, and the machine took in one head in each round only",
    4: "format 4 has no Merkle tree: nothing shows that a whole journal of the table is missing",
}
_OF_TREE = (SETTLED, TREE, CHECKPOINT, WITNESSED)
_NOTES = 8  # earlier checkpoints that can still receive cosignatures
HAS_TREE = 5  # the first format in which each signed record is a leaf of the table's tree


@dataclass(slots=True)
class Epoch:
    """Rounds with one device as their witness, and the witness value expected of the device."""

    record: int
    serial: str
    before: Witness  # the witness value of the device at the start, from other use
    why: str  # empty for the first epoch
    witness: Witness
    covered: int  # the last record that the device has witnessed
    begun: Witness | None = None  # the witness value if the device carried out the last command
    begun_covers: int = 0
    sent: Sent | None = None  # None: the device witnessed only the heads of rounds
    stated: int = 0  # the last record that a signed statement of the device covers
    key: str = ""  # the public key of those statements, according to the journal
    ended: str = ""  # the reason why another epoch follows

    @property
    def heads(self) -> int:
        return self.witness.count - self.before.count


@dataclass(frozen=True, slots=True)
class SettledRound:
    """A settled round, with the epoch in which it was dealt (None: no device was its witness)."""

    number: int
    record: int
    epoch: int | None


@dataclass(frozen=True, slots=True)
class Problem:
    """A contradiction at a record."""

    record: int
    text: str

    def __str__(self) -> str:
        return f"record {self.record} {self.text}"


@dataclass
class Proof:
    """The checks of one journal. Call `take` for each record in order of the chain, then `end`."""

    records: int = 0
    last: str = ""  # the hash of the last record
    signatures: int = 0
    key: str = ""  # of the table, according to the journal
    signed: int = 0  # the last record that a verified signature covers
    unsigned: int | None = None  # the record of a settled round without a signature after it
    epochs: list[Epoch] = field(default_factory=list)
    settled: list[SettledRound] = field(default_factory=list)
    found: list[Problem] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)  # warnings, not contradictions
    formats: set[int] = field(default_factory=set)
    tree: Leaves | None = None  # of the table, across its journals
    before: int = 0  # records of the table in earlier journals
    outside: OutsideCheckpoints = field(default_factory=OutsideCheckpoints)
    witnessed: dict[str, int] = field(default_factory=dict)  # sizes by witness, unverified
    _notes: dict[int, str] = field(default_factory=dict)  # the last checkpoints, by size
    _last_settled: Record | None = None
    _last: Record | None = None
    _time: str = ""
    _version: int = 0
    _before_any: list[Problem] = field(default_factory=list)  # wrong if a later round is signed
    _change: str = ""
    _witnessed: bool = False  # a device is the witness of the current records
    _began: bool = False  # a command has begun a round since the last settled round
    _begins: bool = False  # the last command begins a round if the device carries it out
    _heads: dict[str, int] = field(default_factory=dict)
    _cards: _Cards = field(default_factory=lambda: _Cards())
    _pasts: dict[str, RolePast] = field(
        default_factory=lambda: {role: RolePast(role, {}) for role in (CARDS, CONTROLLER)}
    )

    @property
    def rounds(self) -> int:
        return len(self.settled)

    @property
    def problems(self) -> list[str]:
        """Return the contradictions as text."""
        return [str(each) for each in self.found]

    @property
    def witness(self) -> Witness | None:
        """Return the witness value expected of the current device; None without a device."""
        return self.epochs[-1].witness if self._witnessed else None

    @property
    def lacking(self) -> list[str]:
        """Return the guarantees that the formats of this journal do not give."""
        return [LACKING[each] for each in sorted(self.formats) if each in LACKING]

    def take(self, record: Record) -> None:
        """Check the next record, whose contents are untrusted."""
        try:
            self._take(record)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            self._complain(record, "is not what a table writes")
        self.records, self.last = record.number, record.hash
        self._heads[record.hash] = record.number

    def _complain(self, record: Record, text: str) -> None:
        self.found.append(Problem(record.number, text))

    def _take(self, record: Record) -> None:
        self.formats.add(record.version)
        self._check_time(record)
        self._grow(record)
        self._learn(record)
        if record.version < self._version:
            self._complain(record, f"has format {record.version} after format {self._version}")
        self._version = record.version
        if record.version >= EACH_SIGNED:
            self._check_line(record)
        self._cards.take(record)
        if record.kind == SETTLED:
            self._settle(record)
        elif record.kind == SIGNED:
            self._check_signature(record)
        elif record.kind == EPOCH:
            self._begin_epoch(record)
        elif record.device and record.device.get("role") != CARDS:
            return  # a controller witnesses nothing
        elif record.kind in CHANGES:
            self._change = _change(record)
            self._end_epoch(self._change)
        elif record.kind == STATEMENT:
            self._check_statement(record)
        elif record.kind == "command":
            self._command(record)
        elif record.kind in ("outcome", "disarmed", REPORTED):
            self._conclude(record)

    def _learn(self, record: Record) -> None:
        past = self._pasts.get(record.device.get("role", ""))
        if past is None:
            return
        last = past.after
        past.learn(record)
        if record.kind == REPORTED and "sent" in record.device:
            self._check_event(record, last)

    def _check_event(self, record: Record, last: int | None) -> None:
        """Check that the device sent this event, and that the event before it is not missing."""
        number = record.device["event"]
        if last is not None and number != last + 1:
            self._complain(record, f"has the event {number}, and the one before it is {last}")
        payload = number.to_bytes(4, "little") + bytes.fromhex(record.device["sent"])
        if plain(decode(payload)) != record.data:
            self._complain(record, "has another event than its device sent")

    def _grow(self, record: Record) -> None:
        """Add the record to the table's tree, and check the trees and checkpoints on record."""
        if record.version < HAS_TREE:
            return
        if record.number == 1:
            self.tree = Leaves()
        if record.kind in _OF_TREE:
            self._check_tree(record)
        self.tree = grown(self.tree, record)
        if self.tree is not None and self.outside:
            self._compare(record, self.tree)

    def _check_tree(self, record: Record) -> None:
        """Compare the tree or checkpoint in a record with the tree of the records before it."""
        size = 0 if self.tree is None else self.tree.end
        if record.kind == SETTLED and self.tree is not None:
            stored = record.data.get("state", {}).get("tree")
            if record.leaf and stored is not None and stored != self.tree.to_json():
                self._complain(record, "continues from another tree than the records before it")
        elif record.kind == TREE:
            self._check_gap(record, size)
            self._compare(record, Leaves.from_json(record.data))
        elif record.kind == CHECKPOINT and self.tree is not None:
            if problem := own_problem(record.data["note"], self.tree, self.key):
                self._complain(record, problem)
            self._notes = {size: record.data["note"], **dict(list(self._notes.items())[:_NOTES])}
        elif record.kind == WITNESSED:
            self._note_witness(record.data)

    def _compare(self, record: Record, tree: Leaves) -> None:
        if problem := self.outside.compare(tree, self.key):
            self._complain(record, problem)

    def _note_witness(self, data: Mapping[str, Any]) -> None:
        """Note a cosignature; `outside` verifies it if it has the key of the witness."""
        self.witnessed[data["witness"]] = data["size"]
        if data["cosignature"] and data["size"] in self._notes:
            with suppress(BadCheckpointError):
                self.outside.note(parsed(self._notes[data["size"]] + data["cosignature"]))

    def _check_gap(self, record: Record, size: int) -> None:
        """Note the records that a stored tree counts but this journal lacks.

        They are in earlier journals if the tree is in the first record, and missing otherwise. A
        stored tree with fewer records than the journal is a contradiction.
        """
        missing = record.data["size"] - size
        if missing < 0:
            self._complain(record, f"sets the table's tree back by {-missing} records")
        elif record.number == 1:
            self.before = missing
        else:
            self.flags.append(
                f"{missing} records of the table are missing before record {record.number}"
                f"{_answered(record.data)}"
            )

    def _check_time(self, record: Record) -> None:
        if record.time < self._time:
            self.flags.append(
                f"record {record.number} has the time {record.time}, which is before that of the "
                f"record before it ({self._time}): the computer's clock was set back"
            )
        self._time = record.time

    # Signatures of the table

    def _check_line(self, record: Record) -> None:
        """Check that a record of a signed journal is signed, and verify that of a settled round.

        A signature covers all earlier records, so one in each round is enough. `end` verifies the
        signature of the last record.
        """
        if record.kind == "table" and not self.key:
            self.key = str(record.data.get("key", ""))
        if not self.key:
            return
        if not record.signature:
            self._complain(record, "is not signed, and others are")
        elif record.kind == SETTLED:
            self._check_own_signature(record)
        self._last = record

    def _check_own_signature(self, record: Record) -> None:
        if record.is_signed_by(self.key):
            self.signatures += record.kind == SETTLED
            self.signed = record.number
        else:
            self._complain(record, f"is not signed by the key {self.key}")

    def end(self) -> None:
        """Check the end of the journal, after the last record.

        Verify the last signature, and note removed records and a last round without a signature.
        """
        if self._last and self._last.signature and self._last.number != self.signed:
            self._check_own_signature(self._last)
        if self.tree is not None and (beyond := self.outside.beyond(self.tree, self.key)):
            self.found.append(Problem(self.records, beyond))
        if self.unsigned is not None and self.key:
            text = (
                "settles the last round, and nobody signed it: the power went there, and the table "
                "settles it once more when it resumes; or somebody else wrote it"
            )
            self.found.append(Problem(self.unsigned, text))

    def _check_signature(self, record: Record) -> None:
        wrong = problem_of(record.data, self._last_settled)
        if not wrong and self.key not in ("", record.data["key"]):
            wrong = "is signed by another key than those before it"
        if wrong:
            self._complain(record, wrong)
            return
        if not self.key:  # a table signs all its rounds or none
            self.found += self._before_any
        self.key = record.data["key"]
        self.signatures += 1
        self.signed = record.number
        self.unsigned = None

    # Rounds

    def _settle(self, record: Record) -> None:
        if self.unsigned is not None:
            problem = Problem(self.unsigned, "settles a round that nobody signed")
            (self.found if self.key else self._before_any).append(problem)
        number = record.data.get("number", self.rounds + 1)
        epoch = len(self.epochs) - 1 if self._witnessed else None
        if epoch is not None and not self._began:
            self._complain(record, f"settles round {number}: no command began it on the machine")
        if self.settled and number <= self.settled[-1].number:
            self._complain(record, f"settles round {number} after {self.settled[-1].number}")
        self.settled.append(SettledRound(number, record.number, epoch))
        self._began = False
        self._last_settled = record
        self.unsigned = record.number if record.version < EACH_SIGNED else None
        for card in self._cards.from_nowhere() if epoch is not None else ():
            self._complain(record, f"settles a round with {card}, which no machine dealt in it")
        state = record.data.get("state", {})
        if state.get("played", self.rounds) != self.rounds:
            self._complain(
                record, f"counts {state['played']} rounds, and the journal has {self.rounds}"
            )
        come_to = {role: past.kept() for role, past in self._pasts.items()}
        for role, kept in state.get("devices", {}).items():
            if kept != come_to[role]:
                self._complain(
                    record,
                    f"continues from another state of its {WORDS[role]} than the records before "
                    "it come to",
                )

    # The device as the witness

    def _begin_epoch(self, record: Record) -> None:
        """Begin an epoch, and complain unless it is the first or the reason is recorded before it.

        Without this check, an attacker could remove rounds from the end and let the journal
        continue from the device's witness value, which includes the removed rounds.
        """
        count, value = record.data["witness"]
        if self.epochs and not self._change:
            self._complain(
                record,
                "continues from another past of the device, and nobody exchanged it or answered "
                "for it: rounds may have been taken out before it",
            )
        self._end_epoch("a new epoch without a reason")
        before = Witness(count, bytes.fromhex(value))
        serial, number = record.device["serial"], record.number
        self.epochs.append(
            Epoch(
                number,
                serial,
                before,
                why=self._change,
                witness=before,
                covered=number,
                sent=self._pasts[CARDS].sent,
            )
        )
        self._witnessed, self._change = True, ""

    def _end_epoch(self, why: str) -> None:
        if self._witnessed:
            self.epochs[-1].ended = why
        self._witnessed = False

    def _command(self, record: Record) -> None:
        """Note the witness value and the records that the device covers if it obeys a command.

        A command sends the device a head: of its own record, or of a record before a round.
        """
        if not self._witnessed:
            return
        said, epoch, past = record.data, self.epochs[-1], self._pasts[CARDS]
        after = past.after_pending()
        epoch.begun = None if after == epoch.witness else after
        self._begins = said["name"] == "round" and said["arguments"][0] == 1
        if past.sent is not None:
            epoch.begun_covers = record.number
            return
        if epoch.begun is None:
            return
        head = str(said["arguments"][1])
        if head not in self._heads:
            self._complain(record, "gave a head that is not in this journal")
        epoch.begun_covers = self._heads.get(head, 0)
        self._heads = {self.last: self.records}

    def _conclude(self, record: Record) -> None:
        if not self._witnessed:
            return
        epoch, past = self.epochs[-1], self._pasts[CARDS]
        epoch.sent = past.sent
        if record.kind == REPORTED:
            return
        if epoch.begun is not None and past.witness == epoch.begun:
            epoch.witness, epoch.covered = epoch.begun, epoch.begun_covers
            self._began = self._began or (self._begins and CLOSING not in record.data)
        epoch.begun = None

    def _check_statement(self, record: Record) -> None:
        """Compare a machine's signed statement with the journal up to this record."""
        if not self._witnessed:
            return
        epoch = self.epochs[-1]
        statement = Statement.from_json(epoch.serial, record.data)
        if not statement.holds():
            self._complain(record, "has a statement of the machine whose signature does not hold")
        elif epoch.key not in ("", statement.key.hex()):
            self._complain(record, "has a statement that is signed by another key of the machine")
        elif statement.witness != epoch.witness:
            self._complain(
                record, f"has a statement: {difference(epoch.witness, statement.witness)}"
            )
        elif statement.sent != self._pasts[CARDS].sent_at(statement.sent.event):
            self._complain(record, "has a statement about other events than the journal's")
        elif statement.head.hex() != self.last:
            self._complain(record, "has a statement that was made for another record")
        else:
            epoch.key, epoch.stated = statement.key.hex(), epoch.covered

    def against_device(
        self, serial: str, device: Chains, payload: Callable[[int], bytes | None] = lambda _: None
    ) -> str:
        """Return the contradiction between this journal and its device's answer, or an empty text.

        `payload` returns an event that the device still stores. A table that was killed may not
        have received that event.
        """
        if not self._witnessed:
            return "no device is the witness of this journal: it cannot say whether it is whole."
        epoch = self.epochs[-1]
        if serial != epoch.serial:
            return (
                f"the device there is {serial}, and the witness of this journal is "
                f"{epoch.serial}: ask that one."
            )
        if device.witness not in (epoch.witness, epoch.begun):
            return difference(epoch.witness, device.witness)
        if epoch.sent is not None and not _leads_to(epoch.sent, device.sent, payload):
            return EVENTS_DIFFER.format(epoch.sent.event)
        return ""


def _leads_to(sent: Sent, device: Sent | None, payload: Callable[[int], bytes | None]) -> bool:
    """Return whether the events that the device still stores extend `sent` to `device`."""
    while device is not None and sent.event < device.event:
        kept = payload(sent.event + 1)
        if kept is None:
            return False
        sent = sent.after(kept)
    return sent == device


def _change(record: Record) -> str:
    """Return why the device has another history after this record, and the responsible person."""
    return f"{record.kind}{_answered(record.data)}"


def _answered(data: Mapping[str, Any]) -> str:
    """Return the person responsible for a difference, as the record claims (unverified)."""
    by = data.get("by")
    title = f", {data['title']}" if "title" in data else ""
    reason = f": {data['reason']}" if "reason" in data else ""
    return f" by {by}{title} (claimed){reason}" if by else ""


class _Cards:
    """A comparison of the cards in the rounds with the cards that the machine reported.

    A card in a round without a report by the machine or a person is an inserted card.
    """

    def __init__(self) -> None:
        self._named: Counter[str] = Counter()
        self._dealt: set[str] = set()  # in the open round

    def take(self, record: Record) -> None:
        data = record.data
        if record.kind == REPORTED and record.device.get("role") == CARDS:
            self._named.update(_reported(data))
        elif record.kind == "answer" and data.get("asked") == "read card" and data["said"]:
            self._named[data["said"]] += 1
        elif record.kind == "event" and "deal" in data:
            self._named[data["deal"]] -= 1
            self._dealt.add(data["deal"])
        elif record.kind == "event" and "fault" in data:
            named: str = data.get("cards") or data.get("card") or ""
            for card in named.split():
                self._named[card] -= self._named[card] > 0  # not below 0: people name them, too

    def from_nowhere(self) -> list[str]:
        """Return the dealt cards without a report by the machine or a person, and clear them."""
        found = sorted(card for card in self._dealt if self._named[card] < 0)
        self._dealt.clear()
        for card in found:
            self._named[card] = 0
        return found


def _reported(data: Mapping[str, Any]) -> list[str]:
    if data["event"] == "CardDealt":
        return [data["card"]] if data["card"] else []
    return [card for card in data.get("cards", ()) if card] if "fault" in data else []


@dataclass
class Balances:
    """The balances computed from a table's rounds, compared with the balances that it stored."""

    rounds: int = 0
    cents: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def take(self, record: Record) -> None:
        """Add the next record of the journal. Records of older formats may lack balances."""
        if record.kind != SETTLED:
            return
        self.rounds += 1
        for line in record.data["results"]:
            player = line["player"]
            self.cents[player] = self.cents.get(player, 0) + round((line["net"] or 0) * 100)
        kept = record.data.get("state")
        if kept is not None and (kept["played"], kept["cents"]) != (self.rounds, self.cents):
            self.problems.append(
                f"record {record.number} goes on from {kept['played']} rounds and the balances "
                f"{kept['cents']} in cents, and its rounds come to {self.rounds} and {self.cents}"
            )
