"""The handshake: identify a device, authenticate both sides, and give a new device its key."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from cutcard.devices.channel import Channel, clear, read_clear
from cutcard.devices.deadline import Deadline
from cutcard.devices.errors import (
    AuthenticationFailedError,
    CommandRefusedError,
    NoAnswerError,
    SchemaMismatchError,
)
from cutcard.devices.hints import refusal_name
from cutcard.devices.session import Session, SessionLostError
from cutcard_firmware.core.crypto import session_keys
from cutcard_firmware.core.schema import messages

# The source of nonces and entropy. Only a test that reproduces a session replaces it.
Randomness = Callable[[int], bytes]

RETRY_SECONDS = 0.5
# Refusals of a frame of an older session, not of the handshake.
_LATECOMERS = ("no-session", "old-frame")
_SAME_BUILD = (
    "Flash the firmware that came with this driver, or install the driver of that firmware."
)
_BY_CABLE = (
    "Its firmware is too old for this driver: use the driver of that version, or flash it "
    "by cable (docs/how-to/flashing.md, A new main.py)."
)


@dataclass(frozen=True, slots=True)
class Welcome:
    """The identity of a device, which it sends without a key."""

    version: int
    schema: bytes  # the fingerprint of its message schema
    kind: str
    provisioned: bool
    serial: bytes
    firmware: int
    machine: str
    hello: bytes  # payloads as sent: both proofs cover them
    payload: bytes

    @property
    def fits(self) -> bool:
        """Return whether both sides have the same message schema, or one has only additions at its
        end."""
        same_version = self.version == messages.VERSION
        return same_version and bool(messages.is_compatible(self.schema))


def identify(
    channel: Channel,
    where: str,
    deadline: Deadline,
    randomness: Randomness = secrets.token_bytes,
    retry: float = RETRY_SECONDS,
    schema: bytes | None = None,
) -> Welcome:
    """Send hello and return the device's identity. Changes nothing in the device.

    `schema` is the fingerprint of our message schema; `messages.ANY_SCHEMA` opens a session only
    for a new image, with firmware of any schema.
    """
    nonce = randomness(16)
    hello = messages.pack(_fields(messages.HELLO), (messages.VERSION, schema or _schema(), nonce))
    payload = _exchange(
        channel, where, messages.HELLO, hello, messages.WELCOME, deadline=deadline, retry=retry
    )
    try:
        said = messages.unpack(_fields(messages.WELCOME), payload)
        kind = messages.KINDS[said["kind"]]
        machine = said["machine"].decode("ascii")
        if not machine.isprintable():  # it is displayed on terminals before any authentication
            raise ValueError(machine)
    except (ValueError, IndexError):
        raise SchemaMismatchError(
            f"{where}: the device's welcome cannot be read.",
            _SAME_BUILD,
        ) from None
    return Welcome(
        version=said["version"],
        schema=said["table"],
        kind=kind,
        provisioned=bool(said["provisioned"]),
        serial=said["serial"],
        firmware=said["firmware"],
        machine=machine,
        hello=bytes(hello),
        payload=payload,
    )


def check_schema(welcome: Welcome, where: str) -> None:
    if not welcome.fits:
        raise SchemaMismatchError(
            f"{where}: the device has version {welcome.version}, schema {welcome.schema.hex()}; "
            f"this driver has version {messages.VERSION}, schema {messages.fingerprint().hex()}.",
            _SAME_BUILD,
        )


def authenticate(
    channel: Channel,
    where: str,
    key: bytes,
    welcome: Welcome,
    deadline: Deadline,
    randomness: Randomness = secrets.token_bytes,
    retry: float = RETRY_SECONDS,
) -> Session:
    """Prove the key to the device, verify the device's proof, and agree on the session's keys.

    The keys are derived from numbers that are used once (X25519): a later holder of the device's
    key cannot compute them.
    """
    entropy = randomness(32)
    secret = X25519PrivateKey.from_private_bytes(randomness(32))
    public = secret.public_key().public_bytes_raw()
    said = session_keys.transcript(welcome.hello, welcome.payload, entropy, public)
    proof = session_keys.proof(key, b"host", said)
    auth = messages.pack(_fields(messages.AUTH), (entropy, public, proof))
    answer = _exchange(
        channel, where, messages.AUTH, auth, messages.ACCEPT, deadline=deadline, retry=retry
    )
    try:
        accept = messages.unpack(_fields(messages.ACCEPT), answer)
        shared = secret.exchange(X25519PublicKey.from_public_bytes(accept["public"]))
    except ValueError:  # wrong length, or a point without a shared secret
        raise _not_proven(where) from None
    said = session_keys.transcript(said, accept["public"])
    session_secret = session_keys.session_secret(key, said, shared)
    if not session_keys.equal(accept["proof"], session_keys.proof(session_secret, b"device", said)):
        raise _not_proven(where)
    return Session(session_secret, said)


def _not_proven(where: str) -> AuthenticationFailedError:
    return AuthenticationFailedError(
        f"{where}: the device did not prove that it knows its key.",
        "It may be another device with a copied serial number: do not use it.",
    )


def give_key(channel: Channel, where: str, key: bytes, deadline: Deadline) -> None:
    """Give an unprovisioned device its key. Only this frame carries a key over the line."""
    payload = messages.pack(_fields(messages.PROVISION), (key,))
    _exchange(channel, where, messages.PROVISION, payload, messages.PROVISIONED, deadline=deadline)


def _exchange(
    channel: Channel,
    where: str,
    kind: int,
    payload: bytes,
    wanted: int,
    deadline: Deadline,
    retry: float = RETRY_SECONDS,
) -> bytes:
    """Repeat the same frame until a frame of the wanted kind arrives."""
    body = clear(kind, payload)
    while True:
        channel.send(body)
        pause = deadline.within(retry)
        while (answer := channel.receive(pause)) is not None:
            found = read_clear(answer)
            if found is None:
                continue
            if found[0] == wanted:
                return found[1]
            if found[0] == messages.REFUSE:
                _refused(where, kind, found[1])
        if deadline.over:
            raise NoAnswerError(
                f"{where}: no {messages.FRAMES[wanted][0]} within {deadline.seconds:.3g} s.",
                "Check that a cutcard device is at this port and has power; "
                "`cutcard devices` lists the boards on this computer.",
            )


def _refused(where: str, kind: int, payload: bytes) -> None:
    try:
        said: dict[str, Any] = messages.unpack(_fields(messages.REFUSE), payload)
    except ValueError:
        return
    error = refusal_name(said["error"])
    if (error == "malformed" and said["a"] != kind) or (
        error == "already-provisioned" and kind != messages.PROVISION
    ):
        return  # a frame of another host on the line
    if error in _LATECOMERS:
        if kind == messages.AUTH:
            # the device was reset since its welcome: send hello again
            raise SessionLostError(error)
        return
    if error == "wrong-proof":
        raise AuthenticationFailedError(
            f"{where}: the device did not accept this computer's key.",
            "Check that the key file belongs to this serial number; copy the right one over.",
        )
    if error == "wrong-table":
        hint = _SAME_BUILD if said["a"] >= messages.VERSION else _BY_CABLE
        raise SchemaMismatchError(
            f"{where}: the device has version {said['a']} of the wire protocol, or another message "
            f"schema than this driver (version {messages.VERSION}, schema "
            f"{messages.fingerprint().hex()}).",
            hint,
        )
    raise CommandRefusedError(where, error, said["a"], said["b"])


def _fields(kind: int) -> str:
    fields: str = messages.FRAMES[kind][1]
    return fields


def _schema() -> bytes:
    schema: bytes = messages.fingerprint()
    return schema
