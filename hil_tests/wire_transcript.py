"""Record the session in docs/reference/wire-protocol.md with the bench, for `make pages`.

Key, nonces, entropy and the device's own random bytes are fixed, so that each recording has the
same bytes. No other host may fix them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from cutcard.bench.client import Bench
from cutcard.devices import handshake, ports
from cutcard.devices.channel import Channel
from cutcard.devices.connection import Connection
from cutcard.devices.deadline import Deadline
from cutcard.devices.handshake import Randomness
from cutcard.devices.keys import DeviceKey, KeyStore
from cutcard.devices.shuffler import Shuffler
from cutcard_firmware.core.crypto import session_keys
from cutcard_firmware.core.crypto.mac import Mac
from cutcard_firmware.core.link import frame
from cutcard_firmware.core.schema import messages as m

KEY = DeviceKey(bytes(range(32)))
SECRET = b"\xa4" * 32  # the host's secret number: the fourth value of Fixed
SEED = 1
PATIENCE = 60.0  # no frame may be repeated because this computer is slow


@dataclass
class Spoken:
    by: str  # host or device
    data: bytes  # one frame, as it crossed the line


class Fixed:
    """Return other bytes at each request, but the same in each recording."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, size: int) -> bytes:
        self.asked += 1
        return bytes((0xA0 + self.asked,)) * size


class TappedLine(ports.Line):
    """A line that reads all frames of the device before the host sends one.

    Otherwise the order of two crossing frames would depend on the load of this computer.
    """

    def __init__(self, line: ports.Line, spoken: list[Spoken], settle: Callable[[], None]) -> None:
        self._line = line
        self._spoken = spoken
        self._settle = settle
        self._unfinished = b""
        self._unread = b""

    def read(self, timeout: float) -> bytes:
        if self._unread:
            data, self._unread = self._unread, b""
            return data
        return self._heard(timeout)

    def _heard(self, timeout: float) -> bytes:
        data = self._line.read(timeout)
        self._unfinished += data
        while (end := self._unfinished.find(b"\0", 1)) > 0:
            self._spoken.append(Spoken("device", self._unfinished[: end + 1]))
            self._unfinished = self._unfinished[end + 1 :]
        return data

    def write(self, data: bytes) -> None:
        self._settle()
        while heard := self._heard(0):
            self._unread += heard
        self._spoken.append(Spoken("host", data))
        self._line.write(data)

    def close(self) -> None:
        self._line.close()


class TappedPort(ports.Port):
    """A port that records every frame."""

    key = KEY

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench.port)
        self._bench = bench
        self.spoken: list[Spoken] = []
        self.line: TappedLine | None = None

    def connect(self) -> ports.Line:
        line = ports.parse(self.text).connect()
        self.line = TappedLine(line, self.spoken, self._settle)
        return self.line

    def _settle(self) -> None:
        self._bench.settle()


def record() -> list[Spoken]:
    """Record a session: a blank device gets its key, loads one deck and deals a card.

    The host then repeats the call for that card.
    """
    with Bench.start("carousel-38", seed=SEED, decks=1, provision=False) as bench:
        port = TappedPort(bench)
        randomness = Fixed()
        bench.do("chance", how="fixed")
        bench.settle()
        _give_key(port, randomness)
        connection = Connection(port, "shuffler", KeyStore(), None, None, randomness, PATIENCE)
        connection.open(PATIENCE)
        with Shuffler(connection) as shuffler:
            shuffler.load(1)
            bench.settle()
            shuffler.deal()
            bench.settle()
            _say_the_last_again(port)
            shuffler.status()
        return port.spoken


def _give_key(port: TappedPort, randomness: Randomness) -> None:
    channel = Channel(port.connect())
    allowed = Deadline(PATIENCE)
    handshake.identify(channel, port.text, allowed, randomness)
    handshake.give_key(channel, port.text, KEY, allowed)
    channel.close()


def _say_the_last_again(port: TappedPort) -> None:
    """Repeat the last command, as after a lost reply, and read the stored reply."""
    assert port.line is not None
    port.line.write([said.data for said in port.spoken if said.by == "host"][-1])
    while port.spoken[-1].by == "host":
        port.line.read(PATIENCE)


class Reader:
    """Describe each frame, using only the key and the recorded bytes."""

    def __init__(self) -> None:
        self.hello = self.welcome = b""
        self.said = b""  # digest that the host's proof covers
        self.sessions: dict[str, Any] = {}
        self.op = 0  # of the command that the next reply answers

    def describe(self, spoken: Spoken) -> list[str]:
        body: bytes = frame.decode(spoken.data.strip(b"\0"))
        if body[0] < m.COMMAND:
            return self._describe_clear(body[0], body[5:])
        kind, counter, payload = self.sessions[spoken.by].unseal(body)
        name, fields = m.FRAMES[kind]
        said = m.unpack(fields, payload)
        return [f"{name}, counter {counter}", f"payload {payload.hex()}", self._inner(said)]

    def _describe_clear(self, kind: int, payload: bytes) -> list[str]:
        name, fields = m.FRAMES[kind]
        said = m.unpack(fields, payload)
        if kind == m.HELLO:
            self.hello = payload
        elif kind == m.WELCOME:
            self.welcome = payload
            said["machine"] = said["machine"].decode()
        lines = [name, *(f"{field} {_text(value)}" for field, value in said.items())]
        if kind == m.AUTH:
            parts = (self.hello, self.welcome, said["entropy"], said["public"])
            self.said = session_keys.transcript(*parts)
            lines += [f"secret_h {SECRET.hex()}", f"asked {self.said.hex()}"]
        elif kind == m.ACCEPT:
            lines += self._derive(said["public"])
        return lines

    def _derive(self, public: bytes) -> list[str]:
        transcript = session_keys.transcript(self.said, public)
        own = X25519PrivateKey.from_private_bytes(SECRET)
        shared = own.exchange(X25519PublicKey.from_public_bytes(public))
        secret = session_keys.session_secret(KEY, transcript, shared)
        lines = [f"transcript {transcript.hex()}", f"shared {shared.hex()}", f"S {secret.hex()}"]
        for side in ("host", "device"):
            self.sessions[side] = session_keys.Session(secret, transcript, side.encode())
            for use in ("tag", "cipher"):
                label = f"{side} {use}"
                key = Mac(secret).digest(label.encode(), transcript)
                lines.append(f"{label} key {key.hex()}")
        return lines

    def _inner(self, said: dict[str, Any]) -> str:
        """Return the fields of a frame in a session, and of its command or event."""
        if "op" in said:
            self.op = said["op"]
            name, _, fields, _ = m.COMMANDS[self.op]
            said["op"] = f"{self.op} ({name})"
            said |= m.unpack(fields, said.pop("arguments"))
        elif "event" in said:
            name, fields = m.EVENTS[said["event"]]
            said["event"] = f"{said['event']} ({name})"
            said |= m.unpack(fields, said.pop("fields"))
        else:
            said |= m.unpack(m.COMMANDS[self.op][3], said.pop("result"))
        return ", ".join(f"{field} {_text(value)}" for field, value in said.items())


def _text(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def written(spoken: list[Spoken]) -> str:
    """Return the session as printed on the page."""
    reader = Reader()
    lines = []
    for said in spoken:
        arrow = "host ──►" if said.by == "host" else "◄── device"
        name, *more = reader.describe(said)
        lines.append(f"{arrow} {name}")
        text = said.data.hex()
        lines += ["    " + text[at : at + 88] for at in range(0, len(text), 88)]
        lines += ["      " + line for line in more]
        lines.append("")
    return "\n".join(["```", *lines[:-1], "```"])
