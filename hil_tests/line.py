"""A host that sends arbitrary frames, valid or invalid."""

from __future__ import annotations

import struct
from typing import Any

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from cutcard.bench.client import Bench
from cutcard.devices.channel import clear, read_clear
from cutcard.devices.deadline import Deadline
from cutcard.devices.errors import PortLostError
from cutcard.devices.keys import KeyStore
from cutcard.devices.ports import parse
from cutcard_firmware.core.crypto import session_keys
from cutcard_firmware.core.link import frame as frames
from cutcard_firmware.core.schema import messages

ANSWER_SECONDS = 2.0
ERRORS = {code: name for name, code in messages.ERROR.items()}
SILENCE_SECONDS = 0.15  # a reply that takes longer counts as missing


class RawLine:
    """Send raw bytes to a device and read its frames, without following the protocol by itself."""

    def __init__(self, port: str, key: bytes | None = None, bench: Bench | None = None) -> None:
        self.bench = bench
        self._port = port
        self._connect()
        self.key = key
        self.own: Any = None
        self.device: Any = None
        self.sent = 0
        self.events: list[bytes] = []
        self.last_frame = b""
        welcome = self.hello()
        if key is None:
            self.key = KeyStore().get(welcome["serial"])

    @classmethod
    def to_bench(cls, bench: Bench) -> RawLine:
        return cls(bench.port, bench.key, bench)

    def _connect(self) -> None:
        self._line = parse(self._port).connect()
        self._splitter = frames.Splitter()
        self._bodies: list[bytes] = []

    def close(self) -> None:
        self._line.close()

    # bytes

    def write(self, data: bytes) -> None:
        """Write to the current port; a board's port disappears with its power and returns later."""
        try:
            self._line.write(data)
        except PortLostError:
            self._line.close()
            self._connect()
            self._line.write(data)

    def body(self, seconds: float = ANSWER_SECONDS) -> bytes | None:
        """Return the body of the next frame, or None after a timeout."""
        deadline = Deadline(seconds)
        while not self._bodies:
            data = self._line.read(deadline.left)
            if not data and deadline.over:
                return None
            self._bodies.extend(self._splitter.feed(data))
        return self._bodies.pop(0)

    def silent(self) -> bool:
        return self.body(SILENCE_SECONDS) is None

    # in the clear

    def say(self, kind: int, payload: bytes) -> None:
        self.write(frames.encode(clear(kind, payload)))

    def answer(self, seconds: float = ANSWER_SECONDS) -> tuple[str, dict[str, Any]]:
        """Return the name and fields of the next unencrypted frame."""
        while True:
            body = self.body(seconds)
            assert body is not None, "the device does not respond"
            plain = read_clear(body)
            if plain is not None:
                name, fields = messages.FRAMES[plain[0]]
                return name, messages.unpack(fields, plain[1])

    def refusal(self) -> str:
        name, fields = self.answer()
        assert name == "refuse"
        error: str = ERRORS[fields["error"]]
        return error

    def hello(self, nonce: bytes = bytes(16), table: bytes = b"") -> dict[str, Any]:
        self._hello = messages.pack(
            messages.FRAMES[messages.HELLO][1],
            (messages.VERSION, table or messages.fingerprint(), nonce),
        )
        self.say(messages.HELLO, self._hello)
        name, fields = self.answer()
        assert name == "welcome", fields
        self._welcome = messages.pack(messages.FRAMES[messages.WELCOME][1], list(fields.values()))
        return fields

    def auth(self, key: bytes, entropy: bytes = bytes(32)) -> None:
        """Claim to have the key; the device's reply shows whether it accepts the proof.

        The host's numbers are always the same; only the device's numbers are new in each session.
        """
        self._secret = X25519PrivateKey.from_private_bytes(bytes(range(32)))
        public = self.said_public = self._secret.public_key().public_bytes_raw()
        self._said = session_keys.transcript(self._hello, self._welcome, entropy, public)
        proof = session_keys.proof(key, b"host", self._said)
        self.said_auth = frames.encode(clear(messages.AUTH, entropy + public + proof))
        self.write(self.said_auth)

    def begin(self) -> None:
        """Open a new session."""
        assert self.key
        self.hello()
        self.auth(self.key)
        name, fields = self.answer()
        assert name == "accept"
        self.accept = fields
        self.said = session_keys.transcript(self._said, fields["public"])
        self.shared = self._secret.exchange(X25519PublicKey.from_public_bytes(fields["public"]))
        self.secret = session_keys.session_secret(self.key, self.said, self.shared)
        assert fields["proof"] == session_keys.proof(self.secret, b"device", self.said)
        self.own = session_keys.Session(self.secret, self.said, b"host")
        self.device = session_keys.Session(self.secret, self.said, b"device")
        self.sent = 0

    # in a session

    def seal(self, name: str, *arguments: int | bytes, identity: int = 0, ack: int = 0) -> bytes:
        """Return the bytes of the next frame of this session, without sending them."""
        op = messages.OP[name]
        payload = struct.pack("<IBI", identity, op, ack)
        payload += messages.pack(messages.COMMANDS[op][2], arguments)
        self.sent += 1
        return bytes(frames.encode(self.own.seal(messages.COMMAND, self.sent, payload)))

    def reply(self, seconds: float = ANSWER_SECONDS) -> tuple[str, bytes]:
        """Return (error, result) of the next reply, and store the events that arrive before it."""
        while True:
            body = self.body(seconds)
            assert body is not None, "the device does not respond"
            if read_clear(body) is not None:
                continue
            opened = self.device.unseal(body)
            assert opened is not None, "a frame that is not the device's"
            self.last_frame = body
            kind, _, payload = opened
            if kind == messages.EVENT:
                self.events.append(payload)
            else:
                return ERRORS[payload[4]], payload[5:]

    def ask(
        self, name: str, *arguments: int | bytes, identity: int = 0, ack: int = 0
    ) -> dict[str, Any]:
        self.write(self.seal(name, *arguments, identity=identity, ack=ack))
        error, result = self.reply()
        assert error == "ok", error
        found: dict[str, Any] = messages.unpack(messages.COMMANDS[messages.OP[name]][3], result)
        return found

    def next_id(self) -> int:
        return int(self.ask("status")["last_command"]) + 1

    def check(self) -> None:
        """Check that the device still replies and has not crashed."""
        if self.bench is not None:
            status = self.bench.status()
            assert status["crashes"] == 0, self.bench.do("stderr")["stderr"]
            if status["power"] == "off":
                return
        self.write(b"\0")
        while self.body(0) is not None:
            pass
        self.hello()
