"""What a journal proves by itself, and what it comes to that its device must have witnessed."""

from __future__ import annotations

from dataclasses import dataclass, field

from cutcard.devices.card_device import Witness
from cutcard.journal import SETTLED, SIGNED, Record
from cutcard.table.replay.role_log import CARDS, CHANGES, CONTROLLER, EPOCH, RolePast, difference
from cutcard.table.replay.round_signatures import problem_of

EACH_SIGNED = 3  # the first format in which each record is signed
WORDS = {CARDS: "machine", CONTROLLER: "controller"}


@dataclass(frozen=True, slots=True)
class Epoch:
    """From which record on which device is the witness, and what it had witnessed before."""

    record: int
    serial: str
    before: int
    why: str  # it is not the first one


@dataclass
class Proof:
    """A journal, record by record. Feed it with `take` in the order of the chain."""

    records: int = 0
    last: str = ""  # the hash of the last record
    rounds: int = 0
    signatures: int = 0
    key: str = ""  # of the table, as the journal has it
    signed: int = 0  # the record up to which it is signed
    unsigned: int | None = None  # the record of a settled round behind which no signature stands
    epochs: list[Epoch] = field(default_factory=list)
    witness: Witness | None = None  # what the device must have come to
    begun: Witness | None = None  # or this: a round that began when a program was killed
    problems: list[str] = field(default_factory=list)
    _settled: Record | None = None
    _last: Record | None = None
    _before_any: list[str] = field(default_factory=list)  # what is wrong if it is signed later
    _change: str = ""
    _heads: set[str] = field(default_factory=set)
    _pasts: dict[str, RolePast] = field(
        default_factory=lambda: {role: RolePast(role, {}) for role in (CARDS, CONTROLLER)}
    )

    def take(self, record: Record) -> None:
        """The next record. What is in it may have been written by anybody."""
        try:
            self._take(record)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            self.problems.append(f"record {record.number} is not what a table writes")
        self.records, self.last = record.number, record.hash
        self._heads.add(record.hash)

    def _take(self, record: Record) -> None:
        past = self._pasts.get(record.device.get("role", ""))
        if past is not None:
            past.learn(record)
        if record.version >= EACH_SIGNED:
            self._check_line(record)
        if record.kind == SETTLED:
            self._settle(record)
        elif record.kind == SIGNED:
            self._check_signature(record)
        elif record.kind == EPOCH:
            self._begin_epoch(record)
        elif record.device and record.device.get("role") != CARDS:
            return  # a controller witnesses nothing
        elif record.kind in CHANGES:
            self.witness = self.begun = None
            by = f" by {record.data['by']}" if "by" in record.data else ""
            self._change = f"{record.kind}{by}"
        elif record.kind == "command":
            self._command(record)
        elif record.kind == "outcome":
            if self.begun is not None and "error" not in record.data:
                self.witness = self.begun
            self.begun = None

    def _check_line(self, record: Record) -> None:
        """Check one signature a round: it covers all records before it. `end` checks the last."""
        if record.kind == "table" and not self.key:
            self.key = str(record.data.get("key", ""))
        if not self.key:
            return
        if not record.signature:
            self.problems.append(f"record {record.number} is not signed, and others are")
        elif record.kind == SETTLED:
            self._check_own_signature(record)
        self._last = record

    def _check_own_signature(self, record: Record) -> None:
        if record.is_signed_by(self.key):
            self.signatures += record.kind == SETTLED
            self.signed = record.number
        else:
            self.problems.append(f"record {record.number} is not signed by the key {self.key}")

    def end(self) -> None:
        """There are no more records."""
        if self._last and self._last.signature and self._last.number != self.signed:
            self._check_own_signature(self._last)
        if self.unsigned is not None and self.key:
            self.problems.append(
                f"record {self.unsigned} settles the last round, and nobody signed it: the power "
                "went there, and the table settles it once more when it goes on; or somebody else "
                "wrote it"
            )

    def _settle(self, record: Record) -> None:
        if self.unsigned is not None:
            problem = f"record {self.unsigned} settles a round that nobody signed"
            (self.problems if self.key else self._before_any).append(problem)
        self.rounds += 1
        self._settled = record
        self.unsigned = record.number if record.version < EACH_SIGNED else None
        come_to = {role: past.kept() for role, past in self._pasts.items()}
        for role, kept in record.data.get("state", {}).get("devices", {}).items():
            if kept != come_to[role]:
                self.problems.append(
                    f"record {record.number} goes on from another state of its {WORDS[role]} than "
                    "the records before it come to"
                )

    def _check_signature(self, record: Record) -> None:
        wrong = problem_of(record.data, self._settled)
        if not wrong and self.key not in ("", record.data["key"]):
            wrong = "is signed by another key than those before it"
        if wrong:
            self.problems.append(f"record {record.number} {wrong}")
            return
        if not self.key:  # a table signs from its first round on, or never
            self.problems += self._before_any
        self.key = record.data["key"]
        self.signatures += 1
        self.signed = record.number
        self.unsigned = None

    def _begin_epoch(self, record: Record) -> None:
        """Another than the first has its reason right before it: else whoever takes rounds off the
        end could let the journal go on from what the device has witnessed of them."""
        count, value = record.data["witness"]
        serial = record.device["serial"]
        if self.epochs and not self._change:
            self.problems.append(
                f"record {record.number} goes on from another past of the device, and nobody "
                "exchanged it or answered for it: rounds may have been taken out before it"
            )
        self.witness, self.begun = Witness(count, bytes.fromhex(value)), None
        self.epochs.append(Epoch(record.number, serial, count, self._change))
        self._change = ""

    def _command(self, record: Record) -> None:
        """The command that begins a round gives the head of the journal to the device."""
        said = record.data
        if said["name"] != "round" or len(said["arguments"]) < 2 or self.witness is None:
            return
        head = str(said["arguments"][1])
        if head not in self._heads:
            self.problems.append(f"record {record.number} gave a head that is not in this journal")
        self.begun = self.witness.after(bytes.fromhex(head)) if head else None
        self._heads = {self.last}

    def against_device(self, serial: str, device: Witness) -> str:
        """What is wrong between this journal and what its device says now, or nothing."""
        if self.witness is None:
            return "no device is the witness of this journal: it cannot say whether it is whole."
        if serial != self.epochs[-1].serial:
            return (
                f"the device there is {serial}, and the witness of this journal is "
                f"{self.epochs[-1].serial}: ask that one."
            )
        return "" if device in (self.witness, self.begun) else difference(self.witness, device)


@dataclass
class Balances:
    """The balances of a table as its rounds come to them, beside those it went on from."""

    rounds: int = 0
    cents: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def take(self, record: Record) -> None:
        """The next record of the journal. Older ones keep no balance, and none is missed there."""
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
