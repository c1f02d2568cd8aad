"""Records of a table since the last settled round: written at once, replayed after a kill.

A table is a program that asks devices, people and meters, and acts on their answers. Each answer is
on the disk before the table acts on it. A restarted table runs the open round from its beginning
with the answers in its journal, and reports and sends nothing until it reaches the point where the
earlier program was killed. There it continues: it sends a command without a recorded outcome again
under its old number, and repeats a question without a recorded answer.

Each record that the table reaches on the way must equal the record in the journal. If one differs,
the table does not continue.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from cutcard.coded_error import CodedError
from cutcard.devices.errors import CommandRefusedError, DeviceError, InFaultError
from cutcard.devices.events import Event, FaultRaised
from cutcard.engine.state import Table
from cutcard.journal import CLOSED, SETTLED, SIGNED, TREE, Journal, Record
from cutcard.journal.file import understood
from cutcard.meters import MeterError
from cutcard.table.people.manager import Manager
from cutcard.table.replay.opening_record import differences, sign_of
from cutcard.table.replay.role_log import (
    ACKNOWLEDGED,
    CARDS,
    CHANGES,
    CLOSING,
    CONTROLLER,
    EPOCH,
    EXCHANGED,
    REPORTED,
    STATEMENT,
    CannotResumeError,
    DeviceExchangedError,
    RoleLog,
)
from cutcard.table.replay.table_tree import TreeFile
from cutcard.table.replay.witnessing import CHECKPOINT, UNWITNESSED, WITNESSED, Witnessing

# Kinds of records outside the course of the round, at any position in the journal.
REQUEST = "request"  # of a person at a console
REFUSED_REQUEST = "request-refused"
REKEYED = "rekeyed"  # another controller has the table's prizes; includes its public key
NOTES = ("pressed", REKEYED)
BESIDE = (
    REPORTED,
    "opened",
    "resumed",
    "disarmed",
    "torn",
    CLOSED,
    EPOCH,
    SIGNED,
    STATEMENT,
    TREE,
    CHECKPOINT,
    WITNESSED,
    UNWITNESSED,
    REQUEST,
    REFUSED_REQUEST,
    *CHANGES,
    *NOTES,
)

T = TypeVar("T")


class ReplayLog:
    """The journal of a table, and the progress of an earlier program in it.

    `kept` is the state stored with the last settled round; it is empty for a new journal.
    """

    def __init__(
        self,
        journal: Journal,
        table: Table,
        tree_file: TreeFile | None = None,
        witnessing: Witnessing | None = None,
    ) -> None:
        self.journal = journal
        self._tree_file = tree_file
        self._witnessing = witnessing
        self.key = "" if journal.key is None else journal.key.public
        self.changed: set[str] = set()  # roles changed since the last settled round
        self.sign = sign_of(table, self.key)
        past = list(journal.tail)
        settled = past.pop(0) if past and past[0].kind == SETTLED else None
        self.kept: dict[str, Any] = self._state_of(settled)
        self._check_sign(past)
        self._roles = {
            role: RoleLog(journal, role, self.kept.get("devices", {}).get(role, {}))
            for role in (CARDS, CONTROLLER)
        }
        for record in past:
            if record.device:
                with understood(journal.path, record):
                    self._roles[record.device["role"]].learn(record)
                    if record.kind in CHANGES:
                        self._changed(record.device["role"])
        self._past = deque(_course(past))
        self.noted = {record.kind: record.data for record in past if record.kind in NOTES}
        self._looks = self._requests = 0
        if self.kept or self._past:
            journal.append("resumed", {"records": len(self._past)})
        if not self.kept:
            self.write("table", self.sign)

    # Exchanged and acknowledged devices

    def exchange(self, role: str, other: DeviceExchangedError, manager: Manager) -> None:
        """Record that another device deals or draws from now on, with an empty history.

        Only between rounds: raises `other` if a round is open.
        """
        if self._is_round_open:
            raise other
        about = {"role": role, "serial": other.found}
        said = {"from": other.known, "to": other.found, **manager.as_json()}
        self.journal.append(EXCHANGED, said, about)
        self._begin_anew(role)

    def acknowledge(self, role: str, manager: Manager, why: str) -> None:
        """Record that a manager answers for a difference between the device and the journal.

        The device continues with an empty history. Raises CannotResumeError if a round is open.
        """
        if self._is_round_open:
            raise CannotResumeError(
                f"{why} A round is open, and nobody can say how it went on: have it ruled on by "
                f"its record (`cutcard journal show {self.journal.path}`), and open a new journal."
            )
        about = {"role": role, "serial": self._roles[role].serial}
        self.journal.append(ACKNOWLEDGED, {**manager.as_json(), "of": why}, about)
        self._begin_anew(role)

    @property
    def _is_round_open(self) -> bool:
        """Return whether a round is open, or another device has no settled round to start from."""
        return not self.kept or any(record.kind == "round" for record in self._past)

    def _begin_anew(self, role: str) -> None:
        """Discard the history of a device; for a machine, also the records since the last round."""
        if role == CARDS:
            self._past.clear()
        self._roles[role].begin_anew()
        self._changed(role)

    def _changed(self, role: str) -> None:
        """Mark a device as changed. A machine has uncounted cards, and must be filled again.

        A changed controller has neither the table's prizes nor its key.
        """
        self.changed.add(role)
        if role == CARDS and "machine" in self.kept:
            _, pack, _, boots, *_ = self.kept["machine"]
            self.kept["machine"] = [True, pack, 0, boots, 0]

    def _check_sign(self, past: Sequence[Record]) -> None:
        written = self.kept.get("table") or next((r.data for r in past if r.kind == "table"), None)
        if written is None and any(record.kind != TREE for record in past):
            raise CannotResumeError(f"{self.journal.path} is not the journal of a table.")
        if written is not None and (others := differences(written, self.sign)):
            raise CannotResumeError(
                f"{self.journal.path} cannot be gone on with: {'; '.join(others)}. Go on as it "
                "was, or open a new journal: this one stays readable, and each round of it replays."
            )

    def _state_of(self, settled: Record | None) -> dict[str, Any]:
        if settled is None:
            return {}
        if "state" not in settled.data:
            raise CannotResumeError(
                f"{self.journal.path} was written by an older cutcard, which kept nothing to go "
                "on from. It stays readable; open a new journal for the next round."
            )
        kept: dict[str, Any] = settled.data["state"]
        return kept

    @property
    def resuming(self) -> bool:
        """Return whether the table is repeating recorded steps."""
        return bool(self._past)

    def log(self, role: str) -> RoleLog:
        """Return the log for opening the device of this role."""
        return self._roles[role]

    def close(self) -> None:
        """Close the journal at the normal end of the program."""
        if self._witnessing is not None:
            self._witnessing.finish(self.store_tree)
        self.journal.append(CLOSED, {})
        self.store_tree()

    def store_tree(self) -> None:
        """Store the tree of all records signed so far, outside the journal's folder."""
        if self._tree_file is not None and self.journal.tree is not None:
            links = None if self._witnessing is None else self._witnessing.to_json()
            self._tree_file.store(self.journal.tree, links)

    # Records and questions

    def write(self, kind: str, data: dict[str, Any]) -> None:
        """Write a record that follows from all answers so far.

        While resuming, compare it with the existing record instead. Raises CannotResumeError if
        they differ.
        """
        if not self._past:
            self.journal.append(kind, data)
            return
        written = self._next(kind)
        if written.data != json.loads(json.dumps(data)):
            raise self._another_course(written, f"{kind} {json.dumps(data)}")

    def settled(self, data: dict[str, Any], state: dict[str, Any]) -> None:
        """Record the end of a round, with the state that makes all earlier records unnecessary."""
        state = state | {
            "table": self.sign,
            "devices": {role: log.kept() for role, log in self._roles.items()},
        }
        if self.journal.tree is not None:
            state["tree"] = self.journal.tree.to_json()
        self.journal.append(SETTLED, {**data, "state": state})
        self.store_tree()
        if self._witnessing is not None:
            self._witnessing.checkpoint(self.store_tree)
        self.changed.clear()
        self._looks = self._requests = 0

    def ask(
        self,
        kind: str,
        asked: str,
        ask: Callable[[], T],
        write: Callable[[T], Any] = lambda said: said,
        read: Callable[[Any], T] = lambda said: said,
    ) -> T:
        """Return the answer of a person or a device: the recorded one, or a new one.

        Raises CannotResumeError if the journal has another question here.
        """
        self._requests += 1
        if self._past:
            found = self._next(kind)
            if (found.data["request"], found.data["asked"]) != (self._requests, asked):
                raise self._another_course(found, f"request {self._requests}: {asked}")
            return read(found.data["said"])
        answer = ask()
        said = {"request": self._requests, "asked": asked, "said": write(answer)}
        self.journal.append(kind, said)
        return answer

    # Devices

    def command(self, role: str, send: Callable[[], Event | None]) -> Event | None:
        """Send a command to a device and return the event that it leads to.

        The driver records the command before it sends it; this method records the outcome. While
        resuming, return or raise the outcome on record, if there is one, without sending.
        """
        log = self._roles[role]
        if self._past:
            self._next("command")
            while self._past and self._past[0].kind == "command":
                self._past.popleft()  # withdrawn at the end of a program, and sent again
            if self._past:
                return self._outcome(log, self._next("outcome").data)
        try:
            event = send()
        except (InFaultError, CommandRefusedError) as error:
            self._conclude(log, _failure(error))
            raise
        self._conclude(log, {} if event is None else {"handled": [event.number]})
        return event

    def _conclude(self, log: RoleLog, outcome: dict[str, Any]) -> None:
        self.journal.append("outcome", outcome | log.mark, log.device)
        log.concluded(outcome)

    def leave_head(self, role: str, send: Callable[[], None]) -> None:
        """Store the head of the journal in a device, outside the course of the table.

        A device that is in a fault or refuses the command has not taken in the head.
        """
        log = self._roles[role]
        log.closing = True
        try:
            self._conclude(log, _outcome_of(send))
        finally:
            log.closing = log.closing_begun = False

    def is_leaving_head(self, role: str) -> bool:
        """Return whether an earlier program began `leave_head` without a recorded outcome."""
        return self._roles[role].closing_begun

    def _outcome(self, log: RoleLog, outcome: Mapping[str, Any]) -> Event | None:
        event = log.reported[outcome["handled"][0]] if outcome.get("handled") else None
        if "error" in outcome:
            raise _raised(outcome["error"], event)
        return event

    def look(self, role: str, look: Callable[[], Sequence[Event]]) -> Sequence[Event]:
        """Return the events that a device has sent unprompted so far; each is returned once."""
        self._looks += 1
        return self._looked("heard", {"look": self._looks}, role, look)

    def leave(self, role: str, look: Callable[[], Sequence[Event]]) -> None:
        """Ignore all events that a device has sent so far.

        This does not count as a look: earlier versions of cutcard did not look here, and their
        journals must still resume.
        """
        self._looked("left", {}, role, look)

    def _looked(
        self, kind: str, which: dict[str, int], role: str, look: Callable[[], Sequence[Event]]
    ) -> Sequence[Event]:
        log = self._roles[role]
        if self._past:
            if self._past[0].kind != kind or not which.items() <= self._past[0].data.items():
                return ()
            found = self._next(kind).data
            if "error" in found:
                raise _raised(found["error"], None)
            return [log.reported[number] for number in found["handled"]]
        try:
            events = look()
        except DeviceError as error:
            self.journal.append(kind, {**which, **_failure(error)}, log.device)
            raise
        if events:
            handled = [event.number for event in events]
            self.journal.append(kind, {**which, "handled": handled}, log.device)
            log.handled(handled)
        return events

    def notice(self, what: str, look: Callable[[], str | None]) -> str | None:
        """Return the problem that `look` finds, or None. Only a problem is recorded."""
        self._looks += 1
        if self._past:
            first = self._past[0]
            if first.kind != "noticed" or first.data["look"] != self._looks:
                return None
            said: str = self._next("noticed").data["said"]
            return said
        seen = look()
        if seen is not None:
            self.journal.append("noticed", {"look": self._looks, "what": what, "said": seen})
        return seen

    # Meters and draws

    def effect(
        self,
        what: str,
        key: dict[str, Any],
        do: Callable[[], T],
        write: Callable[[T], Any] | None = None,
        read: Callable[[Any], T] | None = None,
        no_answer: tuple[type[Exception], ...] = (),
    ) -> T:
        """Perform a repeatable action and return its answer: the same key has the same answer.

        The key is on the disk before the action begins, and the answer before the table acts on it.
        Without `write`, a resumed table requests the answer again from the system that stores it.
        An error in `no_answer` ends the program, and the next program repeats the request.
        """
        intent = {"what": what, **key}
        number = self._begun(intent)
        if self._past:
            while (done := self._past.popleft()).kind != "done" or done.data["of"] != number:
                pass  # skip the records between the intent and its answer
            self._requests, self._looks = done.data["counted"]
            if "error" in done.data:
                raise _raised(done.data["error"], None)
            return do() if read is None else read(done.data["said"])
        try:
            answer = do()
        except no_answer:
            raise
        except (DeviceError, MeterError) as error:
            self._done(number, _failure(error))
            raise
        self._done(number, {} if write is None else {"said": write(answer)})
        return answer

    def _begun(self, intent: dict[str, Any]) -> int:
        """Return the number of the intent's record. An intent that was not done is begun again."""
        if not self._past:
            return self.journal.append("intent", intent).number
        found = self._next("intent")
        if found.data != json.loads(json.dumps(intent)):
            raise self._another_course(found, f"intent {json.dumps(intent)}")
        if not any(r.kind == "done" and r.data["of"] == found.number for r in self._past):
            self._past.clear()
        return found.number

    def _done(self, number: int, said: dict[str, Any]) -> None:
        counted = [self._requests, self._looks]
        self.journal.append("done", {"of": number, "counted": counted, **said})

    def note(self, kind: str, data: dict[str, Any]) -> None:
        """Write a record that leads to an effect, and store its data in `noted`."""
        self.journal.append(kind, data)
        self.noted[kind] = data

    # The journal, record by record

    def _next(self, kind: str) -> Record:
        if self._past[0].kind != kind:
            raise self._another_course(self._past[0], kind)
        return self._past.popleft()

    def _another_course(self, found: Record, now: str) -> CannotResumeError:
        return CannotResumeError(
            f"{self.journal.path}: record {found.number} is {found.kind} {json.dumps(found.data)}, "
            f"and this program comes to {now}. The round cannot be gone on with: keep the journal, "
            "count the cards, and have the round ruled on by its record (`cutcard journal show`)."
        )


def _course(past: Sequence[Record]) -> Iterator[Record]:
    """Yield the course of the table since the last settled round, or a later change of machine.

    Skip the setup of another controller: the records between its change and its new key.
    """
    of_cards = [
        at
        for at, record in enumerate(past)
        if record.kind in CHANGES and record.device["role"] == CARDS
    ]
    is_set_up = True
    for record in past[max(of_cards, default=0) :]:
        if record.kind in CHANGES:
            is_set_up = record.device["role"] == CARDS
        elif record.kind == REKEYED:
            is_set_up = True
        elif is_set_up and record.kind not in BESIDE and CLOSING not in record.data:
            yield record


def _outcome_of(send: Callable[[], None]) -> dict[str, Any]:
    try:
        send()
    except (InFaultError, CommandRefusedError) as error:
        return {"error": _failure(error)["error"]}
    return {}


def _failure(error: CodedError) -> dict[str, Any]:
    """Return the error as the data of an outcome. It marks the event of the error as handled."""
    if isinstance(error, InFaultError):
        of = {"fault": error.fault, "detail": error.detail, "where": error.where}
        if error.came_out:
            of["came_out"] = error.came_out
        said: dict[str, Any] = {"error": of}
        return said | ({"handled": [error.event.number]} if error.event is not None else {})
    if isinstance(error, CommandRefusedError):
        refused = {"refused": error.error, "a": error.a, "b": error.b, "where": error.where}
        return {"error": refused}
    return {"error": {"raised": error.code, "text": str(error)}}


def _raised(said: Mapping[str, Any], event: Event | None) -> Exception:
    if "refused" in said:
        return CommandRefusedError(said["where"], said["refused"], said["a"], said["b"])
    if "raised" in said:
        kind = _KINDS[said["raised"]]
        error = kind.__new__(kind)
        Exception.__init__(error, said["text"])
        return error
    assert event is None or isinstance(event, FaultRaised)
    return InFaultError(
        said["where"], said["fault"], said["detail"], event, said.get("came_out", 0)
    )


def _errors(kind: type[CodedError]) -> dict[str, type[CodedError]]:
    """Return all errors of a family by their codes."""
    found = {kind.code: kind}
    for each in kind.__subclasses__():
        found |= _errors(each)
    return found


_KINDS = _errors(DeviceError) | _errors(MeterError)
