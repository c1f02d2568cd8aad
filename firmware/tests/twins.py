"""Two devices that differ only in their secrets.

The second one has other noise and therefore another generator. Its cards have other faces until
each is drawn, and are in other bins, at the other side of a shelf, or in another order of slots.
Both must send a host the same frames: then no frame reveals a difference. The host is the
strongest one possible: it has the key.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from cutcard.bench.plant.cards import PlayingCard
from cutcard.machines import Machine
from cutcard_firmware.core.crypto import session_keys
from cutcard_firmware.core.crypto.x25519 import BASE
from cutcard_firmware.core.link import frame
from cutcard_firmware.core.schema import messages as m
from cutcard_firmware.core.storage import state as st
from firmware.tests.rig import Board, Reply, Rig

KEY = bytes(32)
NONCE = slice(9, 25)  # in a welcome: new for each one


class Frame(NamedTuple):
    """A received frame: decrypted, and its length on the line. `op` is the command answered."""

    kind: int
    length: int
    payload: bytes
    op: int = 0


class Tape:
    """The draws and cards of the first twin, for the second to follow."""

    def __init__(self) -> None:
        self.bins: list[int] = []
        self.faces: list[int] = []


class TwinBoard(Board):
    """A board with the same random bytes in both twins, for nonces and the signing key only."""

    def fresh(self, size: int) -> bytes:
        return bytes(size)


class Twin(Rig):
    """`first` is None in the first twin, and the first twin's tape in the second."""

    board_type = TwinBoard

    def __init__(
        self,
        root: Path,
        machine: str | Machine,
        follows: Tape | None = None,
        other_bins: bool = True,
    ) -> None:
        self.tape = Tape()
        self.follows = follows
        self.other_bins = other_bins
        self.hidden: list[Any] = []
        super().__init__(root, machine, seed=1)
        self._watch_the_mouth()

    def power_on(self, cause: str = "power") -> None:
        if self.follows is not None:
            self.noise = Random(repr(self.noise.getstate()))  # other noise from the first bit on
        super().power_on(cause)
        if not self.plant.is_shoe:
            self._watch_the_mechanism()

    def _watch_the_mechanism(self) -> None:
        """Let the second twin draw other bins for the bins that the first drew."""
        mechanism = self.device.mechanism
        name = {"carousel": "_draw", "shelves": "choose"}.get(self.machine.mechanism)
        if name is None:
            return  # slots differ in their order, and each holds one card
        draw = getattr(mechanism, name)

        def drawn(*limits: int) -> int:
            own: int = draw(*limits)
            chosen = own if self.follows is None else self.renamed(self.follows.bins.pop(0))
            self.tape.bins.append(chosen)
            return chosen

        setattr(mechanism, name, drawn)

    def renamed(self, chosen: int) -> int:
        if not self.other_bins:
            return chosen
        if self.machine.mechanism == "shelves":
            return chosen ^ 1  # the same shelf, the other side
        count: int = self.device.mechanism.positions
        return (chosen + 3) % count

    def _watch_the_mouth(self) -> None:
        supply = self.plant.supply
        take = supply.take

        def taken(index: int = 0) -> PlayingCard:
            card = take(index)
            if self.follows is not None and not card.cutting:
                self.show(card, self.follows.faces.pop(0))
            if not card.cutting:
                self.tape.faces.append(card.code)
            return card

        supply.take = taken  # type: ignore[method-assign]

    def show(self, card: PlayingCard, code: int) -> None:
        """Give the drawn card the face of the first twin's card."""
        for other in self.plant.printer.cards:
            if other.code == code and other not in self.plant.mouth.outside:
                other.code, card.code = card.code, other.code
                return
        card.code = code

    def put(self, decks: int, pack: int = 52) -> None:
        cards = [card for _ in range(decks) for card in self.plant.printer.deck(pack)]
        if self.follows is not None:
            codes = [card.code for card in cards]
            for card, code in zip(cards, reversed(codes), strict=True):
                card.code = code
        self.plant.put(cards)

    def command(self, name: str, **arguments: int | bytes) -> Reply:
        """Send a command; also record the secrets, so that a test can check that they differ."""
        source = self.device.source
        rows = [[card.code for card in row] for row in (*self.plant.bins.cells, self.plant.tray)]
        bins = list(self.device.state.numbers[st.BIN :])
        self.hidden.append((rows, bins, bytes(source._drbg._v)))
        return super().command(name, **arguments)


class Host:
    """A host with the key that records every frame decrypted, in order, with its length."""

    def __init__(self, twin: Twin) -> None:
        self.twin = twin
        self.heard: list[Frame] = []
        self.op = 0
        self.welcome = self.said = b""
        self.session: Any = None
        self.device: Any = None
        self.sent = 0

    def clear(self, kind: int, payload: bytes) -> None:
        self._send(struct.pack("<BI", kind, 0) + payload)

    def begin(self) -> None:
        self.ask_for_session()
        while self.twin.device.link.go_on():
            pass
        self.listen()

    def ask_for_session(self) -> None:
        """Send hello and auth. The device has not computed its part yet."""
        hello = m.pack(m.FRAMES[m.HELLO][1], (m.VERSION, m.fingerprint(), bytes(16)))
        self.clear(m.HELLO, hello)
        # The host's public number is the base point, so the device's is the shared secret.
        self.said = session_keys.transcript(hello, self.welcome, bytes(32), BASE)
        self.sent = 0
        self.clear(m.AUTH, bytes(32) + BASE + session_keys.proof(KEY, b"host", self.said))

    def command(self, op: int, arguments: bytes) -> None:
        last = self.twin.device.state.get(st.LAST_COMMAND)
        identity = 0 if m.is_question(op) else last + 1
        payload = struct.pack("<IBI", identity, op, self.twin.seen) + arguments
        self.sent += 1
        self.op = op
        self._send(self.session.seal(m.COMMAND, self.sent, payload))

    def _send(self, body: bytes) -> None:
        self.twin.device.receive(frame.encode(body))
        self.listen()

    def listen(self) -> None:
        for data in self.twin.board.said:
            self.heard.append(self._opened(data))
        self.twin.board.said.clear()
        self.twin._collect()

    def _opened(self, data: bytes) -> Frame:
        body = frame.decode(data[1:-1])
        kind, payload = body[0], body[5:]
        if kind >= m.COMMAND:
            payload = self.device.unseal(body)[2]
        elif kind == m.WELCOME:
            self.welcome = payload
            payload = payload[: NONCE.start] + bytes(16) + payload[NONCE.stop :]
        elif kind == m.ACCEPT:
            self._accepted(payload[:32])
            payload = bytes(64)  # a single-use number, and a proof over it and the nonces
        return Frame(kind, len(data), payload, self.op if kind == m.REPLY else 0)

    def _accepted(self, public: bytes) -> None:
        said = session_keys.transcript(self.said, public)
        secret = session_keys.session_secret(KEY, said, public)
        self.device = session_keys.Session(secret, said, b"device")
        self.session = session_keys.Session(secret, said, b"host")


def arguments(op: int) -> list[bytes]:
    """Return payloads for a command: a valid one, the extremes, and ones of a wrong length."""
    fields = m.fields(m.COMMANDS[op][2]) if op in m.COMMANDS else []
    usual = {"decks": 1, "pack": 52, "cards": 2, "depth": 20, "low": 10, "high": 40, "begins": 1}
    usual["op"] = m.OP["disarm"]  # in a command that contains a head

    def packed(value: Callable[[str, str], int | bytes]) -> bytes:
        text = m.COMMANDS[op][2] if op in m.COMMANDS else ""
        done: bytes = m.pack(text, [value(name, form) for name, form in fields])
        return done

    def fitting(name: str, form: str) -> int | bytes:
        return bytes(_size(form)) if form[-1] in "s*" else usual.get(name, 0)

    def extreme(name: str, form: str) -> int | bytes:
        return b"\xff" * _size(form) if form[-1] in "s*" else (1 << 8 * _size(form)) - 1

    return [packed(fitting), packed(extreme), packed(fitting) + b"!"]


def _size(form: str) -> int:
    return 4 if form == "*" else struct.calcsize("<" + form)
