"""The socket through which a table communicates with consoles: a private socket in its folder.

A thread reads requests, and the table itself answers them, between two cards or while it waits for
an answer, so that they never run concurrently. Each change is first written to the journal, with
its id and the person: the same id counts once, also after a restart.
"""

from __future__ import annotations

import json
import os
import queue
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from cutcard import untrusted
from cutcard.journal.file import CLOSED
from cutcard.table.display_names import job
from cutcard.table.play.wagering import BadWagerError, Wagering
from cutcard.table.replay.replay_log import REFUSED_REQUEST, REQUEST, ReplayLog

SOCKET = "console.sock"
MOST_LINE = 64 * 1024
LOOK_EVERY = 0.5  # seconds between two checks of the machine while people think
LONGEST = 64  # characters of any value in a request
SAYS = {
    "id": str,
    "on": int,
    "title": str,
    "ruling": str,
    "chosen": int,
    "hands": str,
    "dealer": str,
    "count": int,
    "cause": str,
    "confirm": str,
    "act": str,
    "begin": bool,
    "close": bool,
    "wager": dict,
}
MAY_BE_NULL = (
    "on",
    "title",
    "chosen",
    "hands",
    "dealer",
    "ruling",
)  # no ruling: that is an answer, too
ONE_OF = ("count", "ruling", "cause", "confirm", "act", "begin", "close", "wager")
KEPT = (*(name for name in SAYS if name != "confirm"), "person", "titles", "session", "confirmed")


class TableClosedError(Exception):
    """Raised by a question that waits for wagers if the table is closed."""


class DeskRefusalError(Exception):
    """Raised for a request that changes nothing; the status is an HTTP status."""

    def __init__(self, status: int, why: str, **more: Any) -> None:
        super().__init__(why)
        self.said = {"status": status, "why": why, **more}


@dataclass
class Question:
    """An open question of the table. `answered` converts a request, or raises DeskRefusalError."""

    kind: str
    asked: str
    answered: Callable[[Mapping[str, Any]], Any]
    more: dict[str, Any] = field(default_factory=dict)
    title_for: Callable[[str, Sequence[str]], str | None] = lambda ruling, titles: None
    after: int = 0  # the record after which it was asked
    proposed: dict[str, Any] | None = None  # the request that a second person must confirm

    def as_json(self) -> dict[str, Any]:
        said = {"n": self.after, "kind": self.kind, "asked": self.asked, **self.more}
        if self.proposed is None:
            return said
        ruling = self.proposed["ruling"].replace("-", " ")
        for name, words in (("hands", "hands"), ("dealer", "the dealer keeps")):
            if detail := self.proposed.get(name):
                ruling += f", {words} {detail}"
        shown = {"id": self.proposed["id"], "by": self.proposed["person"], "words": ruling}
        return said | {"proposed": shown}


@dataclass
class _Request:
    said: dict[str, Any]
    reply: Callable[[dict[str, Any]], None]


class Desk:
    """The socket of a table, as a context manager. Only the table's own thread calls it."""

    def __init__(
        self,
        folder: Path,
        memory: ReplayLog,
        *,
        roles: Sequence[str],
        causes: Mapping[str, tuple[str, Callable[[], None]]] | None = None,
        second: frozenset[str] = frozenset(),
        look: Callable[[], dict[str, Any]] = dict,
        wagering: Wagering | None = None,
    ) -> None:
        self._folder = folder
        self._memory = memory
        self._roles = roles  # the titles of the table's own rulebook
        self._causes = causes or {}
        self._second = second
        self._look = look
        self.wagering = wagering  # None: wagers cannot be placed at a console
        self._requests: queue.Queue[_Request] = queue.Queue(64)
        self._question: Question | None = None
        self._status: dict[str, Any] = {}
        self._lines: set[socket.socket] = set()
        self._lock = threading.Lock()  # of the lines: two threads write to them
        self._counted, self.left_over, self._proposal, self.closing = _past(memory)

    # The socket

    def __enter__(self) -> Self:
        path = self._folder / SOCKET
        path.unlink(missing_ok=True)  # of a killed program: the journal has one writer
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            # Through the open folder, because the path of a socket has a hundred bytes at most.
            self._server.bind(f"/proc/self/fd/{folder}/{SOCKET}")
        finally:
            os.close(folder)
        path.chmod(0o600)
        self._server.listen(8)
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        (self._folder / SOCKET).unlink(missing_ok=True)
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        with self._lock:
            for line in self._lines:
                with suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self._server.accept()
            except OSError:
                return
            line.settimeout(10)
            with self._lock:
                self._lines.add(line)
            self._send(line, self._state())
            threading.Thread(target=self._read, args=(line,), daemon=True).start()

    def _read(self, line: socket.socket) -> None:
        with suppress(OSError, untrusted.BadContentError), line.makefile("rb") as file:
            line.settimeout(None)
            while text := file.readline(MOST_LINE):
                said = untrusted.json_from(text)
                if not isinstance(said, dict):
                    break
                number = said.get("number")

                def reply(answer: dict[str, Any], number: object = number) -> None:
                    self._send(line, {"number": number, "answer": answer})

                self._requests.put(_Request(said, reply))
        with self._lock:
            self._lines.discard(line)
        line.close()

    def _send(self, line: socket.socket, message: dict[str, Any]) -> None:
        """Send a message, or disconnect a console that does not read; it connects again.

        A table never waits for a console.
        """
        text = json.dumps(message).encode() + b"\n"
        with self._lock, suppress(OSError):
            try:
                sent = line.send(text, socket.MSG_DONTWAIT)
            except BlockingIOError:
                sent = 0
            if sent < len(text):
                line.shutdown(socket.SHUT_RDWR)

    def _state(self) -> dict[str, Any]:
        question = self._question
        causes = [[name, words] for name, (words, _) in self._causes.items()]
        return {
            "question": question.as_json() if question else None,
            "bench": causes,
            "status": self._status,
            "wagers": self.wagering.as_json() if self.wagering else None,
            "closing": self.closing,
        }

    def _send_state(self) -> None:
        for line in list(self._lines):
            self._send(line, self._state())

    # Methods for the table

    def ask(self, question: Question) -> Any:
        """Wait for the answer of an entitled person.

        Raise TableClosedError if the question waits for wagers and the table is closed.
        """
        question.after = self._memory.journal.number
        left, self.left_over = self.left_over, None
        if left is not None and left["asked"] == question.asked:
            with suppress(DeskRefusalError):  # an answer that is no longer valid is requested again
                return question.answered(left)  # on the disk before the last program was killed
        self._propose_again(question)
        self._question = question
        self._send_state()
        try:
            while True:
                with suppress(queue.Empty):
                    found = self._take(self._requests.get(timeout=LOOK_EVERY))
                    if found is not None:
                        return found[0]
                if self.closing and question.kind == "begin":
                    raise TableClosedError
                self._look_at_machine()
        finally:
            self._question = None
            self._send_state()

    def attend(self, seconds: float) -> None:
        """Serve the console between two cards, for this time."""
        self._look_at_machine()
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 or not self._requests.empty():
            with suppress(queue.Empty):
                self._take(self._requests.get(timeout=max(left, 0.001)))

    def _look_at_machine(self) -> None:
        """Read the machine's line, also while people think, and send its status to the consoles."""
        status = self._look()
        if status != self._status:
            self._status = status
            self._send_state()

    def _take(self, request: _Request) -> tuple[Any] | None:
        """Answer a request; return the decision if it decided the question."""
        try:
            answer, decided = self._judged(request.said)
        except DeskRefusalError as refusal:
            answer, decided = refusal.said, None
            self._log_refusal(request.said, refusal)
        request.reply(answer)
        return decided

    def _log_refusal(self, said: Mapping[str, Any], refusal: DeskRefusalError) -> None:
        """Log the refused request of a person. A malformed request cannot be logged unchanged."""
        if refusal.said["status"] != 400 and said.get("person"):
            record = {name: said[name] for name in (*KEPT, "confirm") if name in said}
            self._memory.journal.append(REFUSED_REQUEST, record | refusal.said)

    def _judged(self, said: dict[str, Any]) -> tuple[dict[str, Any], tuple[Any] | None]:
        _check_shape(said)
        key = said["id"]
        if key in self._counted:
            there = {"status": 200, "n": self._counted[key], "said": "This was counted already."}
            return there, None
        if not any(title in self._roles for title in said.get("titles", ())):
            held = ", ".join(job(title) for title in said.get("titles", ()))
            raise DeskRefusalError(
                403,
                f"Your title ({held or 'no title'}) belongs to another rulebook. This table plays "
                f"{self._memory.sign['rulebook']}: you can only read here.",
            )
        if "cause" in said:
            return self._cause(said), None
        if "wager" in said:
            return self._wager(said), None
        if "close" in said:
            return self._close(said), None
        question = self._current(said)
        if "confirm" in said:
            said = self._confirmed(question, said)
        decided = question.answered(said)
        if said.get("ruling") in self._second and "confirmed" not in said:
            return self._propose(question, said), None
        number = self._write(said, {"asked": question.asked})
        return {"status": 200, "n": number, "said": "It is decided."}, (decided,)

    def _current(self, said: Mapping[str, Any]) -> Question:
        question = self._question
        if question is None:
            raise DeskRefusalError(409, "No question is open any more.")
        on = said.get("on")
        if type(on) is not int or on < question.after:
            raise DeskRefusalError(
                409, "The table has changed since then. Check the page again.", n=question.after
            )
        if on > self._memory.journal.number:
            raise DeskRefusalError(
                409, "The record to decide on does not exist yet.", n=question.after
            )
        return question

    def _write(self, said: Mapping[str, Any], more: Mapping[str, Any]) -> int:
        record = {name: said[name] for name in KEPT if name in said} | dict(more)
        number = self._memory.journal.append(REQUEST, record).number
        self._counted[said["id"]] = number
        return number

    def _cause(self, said: Mapping[str, Any]) -> dict[str, Any]:
        words, cause = self._causes.get(said["cause"], ("", None))
        if cause is None:
            raise DeskRefusalError(409, "This cannot be caused at this machine.")
        number = self._write(said, {})
        cause()
        return {"status": 200, "n": number, "said": words}

    def _close(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Close the table when its round is settled, or now if it waits for wagers."""
        if not any(title in self._roles[1:] for title in said["titles"]):
            least = job(self._roles[1])
            raise DeskRefusalError(403, f"{least} or above may close the table.")
        if self.closing:
            raise DeskRefusalError(409, "The table is closing already.")
        number = self._write(said, {})
        self.closing = True
        self._send_state()
        return {"status": 200, "n": number, "said": "The table closes after this round."}

    def _wager(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Place a wager for the next round, or refuse it with the rule."""
        wagering = self.wagering
        if wagering is None:
            raise DeskRefusalError(409, "This table accepts no wagers from a console.")
        on = said.get("on")
        if type(on) is not int or on <= wagering.began_after:
            raise DeskRefusalError(
                409,
                "A round has begun since then. Check the page again.",
                n=wagering.began_after + 1,
            )
        if on > self._memory.journal.number:
            raise DeskRefusalError(409, "The record to decide on does not exist yet.")
        try:
            words, rules = wagering.looked_at(said["wager"])
        except BadWagerError as bad:
            raise DeskRefusalError(422, str(bad), rules=list(bad.rules)) from bad
        number = self._write(said, {})
        wagering.put(said["wager"])
        self._send_state()
        return {"status": 200, "n": number, "said": words, "rules": list(rules)}

    # A second person

    def _propose(self, question: Question, said: dict[str, Any]) -> dict[str, Any]:
        """Record a proposal and show it. An earlier proposal is dropped; otherwise it would block
        others."""
        number = self._write(said, {"proposed": question.asked})
        question.proposed = said
        self._send_state()
        waits = "Proposed. A second person has to confirm it."
        return {"status": 202, "n": number, "said": waits}

    def _propose_again(self, question: Question) -> None:
        """Restore a proposal that waited when the last program was killed, if it is still
        allowed."""
        waited, self._proposal = self._proposal, None
        if waited is not None and waited["proposed"] == question.asked:
            with suppress(DeskRefusalError):
                question.answered(waited)
                question.proposed = waited

    def _confirmed(self, question: Question, said: Mapping[str, Any]) -> dict[str, Any]:
        """Return the request that a second person confirms, unchanged, with a new id."""
        proposed = question.proposed
        if proposed is None or proposed["id"] != said["confirm"]:
            raise DeskRefusalError(409, "This proposal does not exist any more.")
        if proposed["person"] == said["person"]:
            raise DeskRefusalError(403, "A second person must confirm, not the proposer.")
        if not said.get("session") or proposed.get("session") == said["session"]:
            raise DeskRefusalError(403, "Confirm it in another session than the proposal's.")
        title = question.title_for(proposed["ruling"], said["titles"])
        if title is None:
            raise DeskRefusalError(403, "Your titles do not allow this ruling.")
        as_it_was = {name: value for name, value in proposed.items() if name != "proposed"}
        return as_it_was | {"id": said["id"], "confirmed": said["person"], "on": said["on"]}


def _check_shape(said: Mapping[str, Any]) -> None:
    """Check a request before it is used and stored: the journal must remain readable."""
    for name, kind in SAYS.items():
        value = said.get(name)
        is_missing = value is None and (name in MAY_BE_NULL or name not in said)
        if not is_missing and type(value) is not kind:
            raise DeskRefusalError(400, f"`{name}` has an invalid value.")
        if isinstance(value, str) and len(value) > LONGEST:
            raise DeskRefusalError(400, f"`{name}` is longer than {LONGEST} characters.")
    if sum(name in said for name in ONE_OF) != 1:
        raise DeskRefusalError(
            400, f"A request has exactly one of:  {', '.join(ONE_OF[:-1])} or {ONE_OF[-1]}."
        )
    if len(said.get("id") or "") < 8:
        raise DeskRefusalError(400, f"The id of a request has 8 to {LONGEST} characters.")


Said = dict[str, Any] | None


def _past(memory: ReplayLog) -> tuple[dict[str, int], Said, Said, bool]:
    """Return the state of the console since the last settled round.

    It contains the requests by their ids, an unused answer, an unconfirmed proposal, and whether
    the table was being closed when its program was killed.
    """
    closing = False
    counted: dict[str, int] = {}
    left: Said = None
    proposal: Said = None
    for record in memory.journal.tail:
        if record.kind == REQUEST:
            counted[record.data["id"]] = record.number
            closing = closing or "close" in record.data
            if "asked" in record.data:
                left, proposal = record.data, None
            elif "proposed" in record.data:
                proposal = record.data
        elif record.kind == "answer":
            left = proposal = None
        elif record.kind == CLOSED:  # the table was closed, and is opened again now
            closing = False
    return counted, left, proposal, closing
