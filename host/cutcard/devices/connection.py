"""A connection to one device that survives lost sessions, pulled cables and resets.

There is one thread and no background reader: the line is read while a call waits. A lost reply, an
unplugged cable or a reset is recovered within the call's deadline: first the same frame again, then
a new line, then a new session in which the same command id gets the stored reply instead of a
second card.
"""

from __future__ import annotations

import secrets
import struct
from collections.abc import Callable
from contextlib import suppress
from hmac import compare_digest
from typing import Any

from cutcard.devices import events, handshake, wire
from cutcard.devices.channel import Channel, read_clear
from cutcard.devices.deadline import Deadline
from cutcard.devices.errors import (
    AuthenticationFailedError,
    BadArgumentError,
    CommandRefusedError,
    DeviceClosedError,
    DeviceError,
    InFaultError,
    KeyMissingError,
    NoAnswerError,
    NotProvisionedError,
    OutOfStepError,
    PortBusyError,
    PortLostError,
    PortNotFoundError,
    SchemaMismatchError,
    StateLostError,
    WrongDeviceError,
)
from cutcard.devices.handshake import Randomness, Welcome
from cutcard.devices.hints import refusal_name
from cutcard.devices.inbox import Inbox
from cutcard.devices.keys import DeviceKey, KeyStore
from cutcard.devices.log import DeviceLog, Intent
from cutcard.devices.ports import Port
from cutcard.devices.session import Session, SessionLostError
from cutcard.faults import fault_name
from cutcard_firmware.core.schema import messages

RECONNECT_SECONDS = 0.05  # between two checks whether a port has returned
HEARTBEAT_SECONDS = 1.0  # without a frame before a status request checks the device
GRACE_SECONDS = 1.0  # for a status request already sent when the waiting call times out
HANDSHAKE_SECONDS = 5.0  # the same for a new session: a board computes for a second or two
ACKNOWLEDGE_SECONDS = 0.2  # without a frame before taken events are acknowledged
ACKNOWLEDGE_EVENTS = messages.EVENT_STORE // 3  # or after this number of events

_WITNESSED = "witnessed"  # a numbered command inside another one, which sends a head
_NUMBER = 4  # bytes of an event's number, in front of its payload
_SENT = 3 * messages.EVENT_STORE  # payloads that are stored


class Connection:
    """`ask` for questions, `command` for changes, `next_event` for the device's events."""

    def __init__(
        self,
        port: Port,
        kind: str | None,  # None: any kind of device
        keys: KeyStore,
        after: int | None = None,
        record: Callable[[events.Event], None] | None = None,
        randomness: Randomness = secrets.token_bytes,
        retry: float = handshake.RETRY_SECONDS,
        tap: wire.Tap | None = None,
        acknowledge: bool = True,
        log: DeviceLog | None = None,
    ) -> None:
        self.port = port
        self.welcome: Welcome | None = None
        self.reconnections = 0
        self._kind = kind
        self._keys = keys
        self._randomness = randomness
        self._retry = retry
        self._tap = tap
        self._log = log
        # no session yet: the device is in the state left by an earlier program
        self.welcome_back = True
        self._carried_out = log.carried_out if log is not None else None
        self._sent: dict[int, bytes] = {}  # payloads of the last events, by number
        self._inbox = Inbox(after, record) if log is None else Inbox(log.after, self._record)
        self._pending = log.pending if log is not None else None
        self._lets_forget = acknowledge
        self._channel: Channel | None = None
        self._session: Session | None = None
        self._last_command: int | None = log.last_command if log is not None else None
        self._unanswered = 0  # id of the command with an unknown outcome, or 0
        if log is not None:
            self._inbox.feed(log.again)
        if self._pending is not None:
            self._last_command = self._pending.id - 1
            self._unanswered = self._pending.id
        self._last_event = 0  # number of the device's last event, by its last status
        self._acknowledged = 0
        self._closed = False

    def _record(self, event: events.Event) -> None:
        assert self._log is not None
        self._log.record(event, self._sent[event.number])

    def sent(self, number: int) -> bytes | None:
        """Return the payload of one of the last events, without its number."""
        return self._sent.get(number)

    # Opening and closing

    def open(self, seconds: float) -> None:
        """Open a session within the given number of the device's seconds."""
        try:
            self.port.start()
            self._establish(Deadline(seconds))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Acknowledge the taken events, if the device responds, and close the port."""
        try:
            if self._session and self._to_acknowledge > self._acknowledged:
                self._exchange("acknowledge", 0, (), Deadline(self._retry * 2))
        except (DeviceError, SessionLostError):
            pass  # the device will send those events again: the next host drops duplicates
        finally:
            self._closed = True
            self._hang_up()
            self.port.release()

    def _refuse_if_closed(self) -> None:
        """Raise DeviceClosedError after `close`, because a new session would hold the port
        unused."""
        if self._closed:
            raise DeviceClosedError(
                f"{self.port.text}: this device object was closed.",
                "Open the device again, and use the new object.",
            )

    def _hang_up(self) -> None:
        self._session = None
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    @property
    def is_logged(self) -> bool:
        return self._log is not None

    def last_word(self, name: str, deadline: Deadline) -> dict[str, Any]:
        """Cancel all calls although the log cannot be written any more; return the status.

        Later events are not taken and not acknowledged, so the device sends them again.
        """
        self._log = None
        self._lets_forget = False
        self._inbox.deafen()
        self._refuse_if_closed()
        if self._session is None:
            self._channel = self._channel or Channel(self.port.connect(), self._tap)
            self._shake_hands(self._channel, deadline)
        status = self._exchange("status", 0, (), deadline)
        if not status["armed"]:
            # There is no call to cancel. Another command would reuse the number of a command that
            # was never sent but is on the disk, although the disk reported a failure.
            return status
        with suppress(CommandRefusedError, InFaultError):
            self._exchange(name, status["last_command"] + 1, (), deadline)
        return self._exchange("status", 0, (), deadline)

    # Questions and commands

    def ask(self, name: str, *arguments: int | bytes, deadline: Deadline) -> dict[str, Any]:
        """Send a question. It changes nothing, and is repeated after a reset."""
        return self._carry_out(name, arguments, deadline)

    def command(
        self, name: str, *arguments: int | bytes, deadline: Deadline, after: int | None = None
    ) -> None:
        """Send a numbered command; the device executes it once, however often it is sent.

        `after` is the last event before it, for the log.
        """
        self._carry_out(name, arguments, deadline, after)

    @property
    def pending(self) -> Intent | None:
        """Return the unfinished command of an earlier program: the first that this one may send."""
        return self._pending

    @property
    def carried_out(self) -> Intent | None:
        """Return the command of an earlier program that then disarmed the device and ended."""
        return self._carried_out

    def forget_carried_out(self) -> None:
        """Forget that command: its call was cancelled, so it must be given again."""
        self._carried_out = None

    def _number(self, name: str, arguments: tuple[int | bytes, ...], after: int | None) -> int:
        """Return the number of the next command, recorded in the log."""
        pending, self._pending = self._pending, None
        if pending is not None and pending.name:
            if (pending.name, pending.arguments) != (name, arguments):
                raise OutOfStepError(
                    f"{self.port.text}: command {pending.id} was begun as {pending.name} "
                    f"{pending.arguments}, and now {name} {arguments} is to be sent.",
                    "The table's record does not lead where it led before: keep it, and look "
                    "at `status` before anything moves.",
                )
            return pending.id
        number = (self._last_command or 0) + 1
        if self._log is not None:
            last = self._inbox.acknowledged if after is None else after
            self._log.begin(Intent(number, name, arguments, last))
        return number

    def _carry_out(
        self,
        name: str,
        arguments: tuple[int | bytes, ...],
        deadline: Deadline,
        after: int | None = None,
    ) -> dict[str, Any]:
        numbered = not messages.is_question(messages.OP[name])
        identity, head = 0, None
        if numbered and (before := self._carried_out) is not None and before.name == name:
            self._carried_out = None
            return {}  # an earlier program has sent it
        while True:
            try:
                self._be_in_session(deadline)
                self._fill_gaps(deadline)
                if not identity:
                    identity = self._number(name, arguments, after) if numbered else 0
                    self._unanswered = identity
                if identity and self._log is not None:
                    head = self._log.command_head
                result = self._exchange(name, identity, arguments, deadline, head)
            except (SessionLostError, PortLostError) as error:
                self._broken(error, deadline)
                continue
            except (CommandRefusedError, InFaultError, BadArgumentError):
                self._unanswered = 0
                raise
            if numbered:
                self._last_command = identity
                self._unanswered = 0
            self._fill_gaps_if_possible(deadline)
            return result

    def _broken(self, error: Exception, deadline: Deadline) -> None:
        """Start a new session if time remains; else raise an error with the cause."""
        self._session = None
        if isinstance(error, PortLostError):
            self._hang_up()
        if deadline.over:
            if isinstance(error, DeviceError):
                raise error
            raise self._no_answer("session", deadline) from error

    def _no_answer(self, what: str, deadline: Deadline) -> NoAnswerError:
        done = (
            " The command may have been carried out: check `status` and `events()`."
            if self._unanswered
            else ""
        )
        return NoAnswerError(
            f"{self.port.text}: no answer to {what} within {deadline.seconds:.3g} s.",
            f"Check cable and power, then try again.{done}",
        )

    def _packed(self, name: str, arguments: tuple[int | bytes, ...]) -> bytes:
        """Encode the arguments. Raises BadArgumentError for a value outside its field's range."""
        packed = b""
        fields = messages.fields(messages.COMMANDS[messages.OP[name]][2])
        for (field, form), value in zip(fields, arguments, strict=True):
            size = 0 if form == "*" else struct.calcsize("<" + form)
            try:
                if size and isinstance(value, bytes) and len(value) != size:
                    raise struct.error  # struct would pad or truncate it
                packed += messages.pack(f"{field}:{form}", (value,))
            except struct.error:
                takes = f"{size} bytes" if form.endswith("s") else f"0 to {256**size - 1}"
                raise BadArgumentError(
                    f"{self.port.text}: {name}: {field} cannot be {value!r}.",
                    f"It takes {takes}; the command was not sent.",
                ) from None
        return packed

    def _exchange(
        self,
        name: str,
        identity: int,
        arguments: tuple[int | bytes, ...],
        deadline: Deadline,
        head: bytes | None = None,
    ) -> dict[str, Any]:
        """Send one command, and repeat the same frame until its reply.

        With a `head`, the device takes it in together with the command.
        """
        session, channel = self._live()
        op = messages.OP[name]
        result = messages.COMMANDS[op][3]
        acknowledge = self._to_acknowledge
        packed = self._packed(name, arguments)
        if head is not None:
            packed = self._packed(_WITNESSED, (head, op, packed))
            op = messages.OP[_WITNESSED]
        payload = messages.pack(
            messages.FRAMES[messages.COMMAND][1], (identity, op, acknowledge, packed)
        )
        try:
            body = session.seal(messages.COMMAND, payload)
            while True:
                channel.send(body)
                if self._tap is not None:
                    self._tap(wire.command(payload))
                pause = deadline.within(self._retry)
                while (answer := channel.receive(pause)) is not None:
                    reply = self._understand(answer, name)
                    if reply is not None and reply["id"] == identity:
                        self._acknowledged = acknowledge
                        return self._result(name, reply, result)
                if deadline.over:
                    raise self._no_answer(name, deadline)
        except (CommandRefusedError, InFaultError):
            raise
        except BaseException:
            # A late reply may still arrive; only in a new session it cannot be mistaken for
            # another.
            self._session = None
            raise

    def _result(self, name: str, reply: dict[str, Any], fields: str) -> dict[str, Any]:
        where = f"{self.port.text}: {name}"
        try:
            if reply["error"] == 0:
                found: dict[str, Any] = messages.unpack(fields, reply["result"])
                return found
            numbers = messages.unpack("a:I b:I", reply["result"])
            error = refusal_name(reply["error"])
            if error == "in-fault":
                fault = fault_name(numbers["a"])
                raise InFaultError(where, fault, numbers["b"], kind=self._kind_of_device)
        except ValueError:
            raise self.unreadable(f"reply to {name}") from None
        raise CommandRefusedError(where, error, numbers["a"], numbers["b"], self._kind_of_device)

    @property
    def _kind_of_device(self) -> str:
        return self.welcome.kind if self.welcome else self._kind or ""

    def unreadable(self, what: str) -> SchemaMismatchError:
        """Return the error for a frame that the message schema cannot decode."""
        return SchemaMismatchError(
            f"{self.port.text}: the {what} does not fit the message schema.",
            "Report it: firmware and driver have compatible schemas.",
        )

    def _understand(self, body: bytes, asked: str = "") -> dict[str, Any] | None:
        """Process one frame: put events into the inbox, and return the reply to `asked`."""
        session, _ = self._live()
        if (plain := read_clear(body)) is not None:
            self._refused(*plain)
            return None
        opened = session.unseal(body)
        if opened is None:
            return None
        kind, payload = opened
        try:
            if kind == messages.EVENT:
                event = self._event(payload)
                if event is not None:
                    self._keep_sent(event.number, payload[_NUMBER:])
                if self._tap is not None:
                    self._tap(wire.event(payload))
            elif kind == messages.REPLY:
                reply: dict[str, Any] = messages.unpack(messages.FRAMES[kind][1], payload)
                if self._tap is not None:
                    self._tap(wire.reply(asked, reply))
                return reply
            else:
                return None
        except ValueError:
            raise self.unreadable(messages.FRAMES[kind][0]) from None
        if event is not None:
            self._inbox.put(event)
        return None

    def _keep_sent(self, number: int, payload: bytes) -> None:
        self._sent[number] = payload
        if len(self._sent) > _SENT:
            del self._sent[next(iter(self._sent))]

    def _event(self, payload: bytes) -> events.Event | None:
        return events.decode(payload)

    def _refused(self, kind: int, payload: bytes) -> None:
        """Process an unencrypted refusal.

        It does not prove that it comes from the device, so its only effect is a new handshake,
        which does. It has no effect if it refers to another frame on the line: an auth of another
        host, or a replayed old frame of ours.
        """
        session, _ = self._live()
        try:
            said = messages.unpack(messages.FRAMES[messages.REFUSE][1], payload)
        except ValueError:
            return
        if kind != messages.REFUSE:
            return
        if said["error"] == messages.ERROR["no-session"] and said["a"] != messages.AUTH:
            raise SessionLostError("no-session")
        if said["error"] == messages.ERROR["old-frame"] and not session.is_in_step(said["a"]):
            raise SessionLostError("old-frame")

    def _live(self) -> tuple[Session, Channel]:
        if self._session is None or self._channel is None:
            raise SessionLostError("no session")
        return self._session, self._channel

    # Events

    def next_event(
        self,
        deadline: Deadline,
        wanted: Callable[[events.Event], bool] = lambda event: True,
        after: int | None = None,
    ) -> events.Event | None:
        """Return the oldest wanted event that was not returned yet; None when the deadline is over.

        With `after`, only events with a higher number count. Other events remain queued. Work that
        keeps the session alive (acknowledging, requesting lost events) gets a second even if the
        deadline is shorter, a handshake five.
        """
        while True:
            event = self._inbox.pop(wanted, after)
            if event is not None:
                return event
            grace = deadline.at_least(GRACE_SECONDS)
            try:
                self._be_in_session(deadline.at_least(HANDSHAKE_SECONDS))
                self._fill_gaps(grace)
                if (event := self._inbox.pop(wanted, after)) is not None:
                    return event
                if not self._listen(deadline) and deadline.over:
                    return None
            except (SessionLostError, PortLostError) as error:
                self._broken(error, grace)

    def has_event(self, wanted: Callable[[events.Event], bool]) -> bool:
        """Return whether a wanted event has arrived and was not returned yet."""
        return self._inbox.has(wanted)

    @property
    def _to_acknowledge(self) -> int:
        """Return the last event that the device may forget; 0 for a host that only watches."""
        return self._inbox.acknowledged if self._lets_forget else 0

    @property
    def last_taken(self) -> int | None:
        return self._inbox.last

    def _listen(self, deadline: Deadline) -> bool:
        """Wait for one frame; after a silence, acknowledge events or request the status."""
        _, channel = self._live()
        unacknowledged = self._to_acknowledge - self._acknowledged
        silence = ACKNOWLEDGE_SECONDS if unacknowledged else HEARTBEAT_SECONDS
        if unacknowledged < ACKNOWLEDGE_EVENTS:
            pause = deadline.within(silence)
            if (body := channel.receive(pause)) is not None:
                self._understand(body)
                return True
            if deadline.over:
                return False
        grace = deadline.at_least(GRACE_SECONDS)
        if unacknowledged:
            self._exchange("acknowledge", 0, (), grace)
        else:
            self._last_event = self._exchange("status", 0, (), grace)["last_event"]
        return True

    def _fill_gaps(self, deadline: Deadline) -> None:
        """Request events that were lost on the line, until all have arrived."""
        while True:
            session, _ = self._live()
            if self._inbox.last is None and not session.missing:
                self._inbox.begin()
            behind = self._inbox.last is not None and self._inbox.last < self._last_event
            if not (session.missing or self._inbox.waiting or behind):
                return
            before = session.heard
            self._exchange("resend", 0, (self._inbox.acknowledged,), deadline)
            if session.missing_after(before):
                continue
            session.give_up_missing(session.heard)
            self._inbox.begin()
            last = self._inbox.last
            if self._inbox.waiting or (last is not None and last < self._last_event):
                raise OutOfStepError(
                    f"{self.port.text}: the device no longer has the event after {last}.",
                    "Another host has acknowledged it: read that host's journal, then "
                    "open the device again.",
                )

    def _fill_gaps_if_possible(self, deadline: Deadline) -> None:
        """Fill gaps after a reply. The command is done, so a broken line is left to the next
        call."""
        try:
            self._fill_gaps(deadline)
        except (SessionLostError, PortLostError) as error:
            self._session = None
            if isinstance(error, PortLostError):
                self._hang_up()

    # Sessions

    def _be_in_session(self, deadline: Deadline) -> None:
        self._refuse_if_closed()
        if self._session is None:
            self._establish(deadline)

    def _establish(self, deadline: Deadline) -> None:
        """Open line, session and status; start again when a step fails."""
        again = self.welcome is not None
        while True:
            try:
                if self._channel is None:
                    self._channel = Channel(self.port.connect(), self._tap)
                self._shake_hands(self._channel, deadline)
                self._resynchronise(deadline)
                self.reconnections += again
                return
            except SessionLostError as error:
                self._broken(error, deadline)
            except (PortLostError, PortNotFoundError, PortBusyError) as error:
                self._hang_up()
                if not again:
                    raise
                if deadline.over:
                    if isinstance(error, PortNotFoundError):
                        raise self.port.lost(f"and is still away: {error.problem}") from error
                    raise
                deadline.pause(RECONNECT_SECONDS)

    def _greet(self, channel: Channel, deadline: Deadline) -> Welcome:
        where = self.port.text
        welcome = handshake.identify(channel, where, deadline, self._randomness, self._retry)
        handshake.check_schema(welcome, where)
        return welcome

    def _shake_hands(self, channel: Channel, deadline: Deadline) -> None:
        where = self.port.text
        welcome = self._greet(channel, deadline)
        self._check_identity(welcome)
        if self._log is not None:
            self._log.greeted(welcome)
        if not welcome.provisioned:
            raise self._without_key(welcome)
        candidates = self._candidates(welcome)
        # The first frame is sent twice: a repeated hello gets a second welcome, and only the last
        # one counts.
        for key in (candidates[0], *candidates):
            try:
                self._session = handshake.authenticate(
                    channel,
                    where,
                    key,
                    welcome,
                    deadline=deadline,
                    randomness=self._randomness,
                    retry=self._retry,
                )
                break
            except AuthenticationFailedError as error:
                failure = error
                channel.drain(deadline)
                welcome = self._greet(channel, deadline)
        else:
            raise failure
        pending = self._keys.pending(welcome.serial) if self.port.key is None else None
        if pending is not None and compare_digest(key, pending):
            self._keys.confirm(welcome.serial)
        self.welcome = welcome

    def _check_identity(self, welcome: Welcome) -> None:
        if self._kind is not None and welcome.kind != self._kind:
            raise WrongDeviceError(
                f"{self.port.text}: this is a {welcome.kind} ({welcome.machine}), not a "
                f"{self._kind}.",
                f"Open it as a {welcome.kind}, or pass the port of the {self._kind}; "
                "`cutcard devices` lists them.",
            )
        if self.welcome is not None and welcome.serial != self.welcome.serial:
            raise WrongDeviceError(
                f"{self.port.text}: the device there is now {welcome.serial.hex()}; it was "
                f"{self.welcome.serial.hex()}.",
                "Plug the right device in, or close this one and open the other.",
            )

    def _candidates(self, welcome: Welcome) -> list[DeviceKey]:
        """Return the device's stored key, and the key of an interrupted provisioning."""
        serial = welcome.serial
        if self.port.key is not None:
            return [self.port.key]
        found = [key for key in (self._keys.get(serial), self._keys.pending(serial)) if key]
        if not found:
            raise KeyMissingError(
                f"{self.port.text}: the device {serial.hex()} holds a key that is not in "
                f"{self._keys.folder}.",
                "Copy the key file from the computer that provisioned it, or point CUTCARD_KEYS "
                "to its folder.",
            )
        return found

    def _without_key(self, welcome: Welcome) -> DeviceError:
        if self.port.key or self.welcome or self._keys.get(welcome.serial):
            return StateLostError(
                f"{self.port.text}: the device {welcome.serial.hex()} had a key and has none now: "
                "its storage was erased, including the positions of its cards.",
                "Take all cards out and count them by hand, find out why, then run "
                f"`cutcard provision --again {self.port.text}`.",
            )
        return NotProvisionedError(
            f"{self.port.text}: the device {welcome.serial.hex()} holds no key yet.",
            f"Run `cutcard provision {self.port.text}` once.",
        )

    def _take_back_disarm(self, last: int) -> None:
        """Detect a disarm command of an earlier program that is not in the log.

        The device has one command more than the log, and no card is called for: the program could
        not write any more, and disarmed the device as its last action.
        """
        assert self._log is not None
        begun = self._unanswered or self._last_command
        if begun is None or last != begun + 1:
            return
        self._carried_out, self._pending = self._pending, None
        self._last_command, self._unanswered = last, 0
        self._log.disarmed(last)

    def _resynchronise(self, deadline: Deadline) -> None:
        """Check that the device's counts of commands and events continue ours."""
        # Events that arrive now do not count here: a lost reply is repeated unchanged, so it is
        # older than events that overtook it.
        taken = self._inbox.acknowledged
        status = self._exchange("status", 0, (), deadline)
        self._last_event = status["last_event"]
        if self._last_event < taken:
            raise StateLostError(
                f"{self.port.text}: the device's last event is number {self._last_event}, "
                f"this host has taken number {taken} already.",
                "Its storage was set back or erased: take all cards out and count them by hand.",
            )
        last = status["last_command"]
        if self._log is not None and self.welcome_back and not status["armed"]:
            self._take_back_disarm(last)
        self.welcome_back = False
        known = (self._last_command, self._unanswered or self._last_command)
        if self._last_command is not None and last not in known:
            raise OutOfStepError(
                f"{self.port.text}: the device has carried out command {last}, this host's last "
                f"was {self._last_command}.",
                "Another host has commanded it: check `status`, then open the device again.",
            )
        self._last_command = last
        self._fill_gaps(deadline)
