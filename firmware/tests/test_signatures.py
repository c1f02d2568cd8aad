"""The device's Ed25519 and SHA-512 against `cryptography` and `hashlib`, in every interpreter."""

from __future__ import annotations

import hashlib
from random import Random

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given, settings
from hypothesis import strategies as st

from cutcard_firmware.core.crypto.ed25519 import public_key, sign, verify
from cutcard_firmware.core.crypto.sha512 import sha512
from firmware.tests.interpreters import INTERPRETERS, run

keys = st.binary(min_size=32, max_size=32)


@given(st.binary(max_size=600))
def test_sha512_equals_the_hash_of_hashlib(message: bytes) -> None:
    assert sha512(message) == hashlib.sha512(message).digest()


@settings(max_examples=15)
@given(keys, st.binary(max_size=200))
def test_signature_equals_the_signature_of_cryptography(seed: bytes, message: bytes) -> None:
    key = Ed25519PrivateKey.from_private_bytes(seed)
    assert public_key(seed) == key.public_key().public_bytes_raw()
    assert sign(seed, message) == key.sign(message)


@settings(max_examples=25)
@given(keys, st.binary(max_size=40), st.integers(0, 95), st.integers(0, 7))
def test_both_verifiers_agree_on_a_changed_bit(
    seed: bytes, message: bytes, at: int, bit: int
) -> None:
    key = Ed25519PrivateKey.from_private_bytes(seed)
    sent = bytearray(key.public_key().public_bytes_raw() + key.sign(message))
    sent[at] ^= 1 << bit
    public, signature = bytes(sent[:32]), bytes(sent[32:])
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
        held = True
    except (InvalidSignature, ValueError):
        held = False
    assert verify(public, message, signature) == held


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_device_signs_as_cryptography_does(interpreter: str) -> None:
    chance = Random(8032)
    lines = ["import sys; sys.path[:0] = ['.']; from core.crypto.ed25519 import sign"]
    for size in (0, 111, 112, 200):
        seed, message = chance.randbytes(32), chance.randbytes(size)
        signature = Ed25519PrivateKey.from_private_bytes(seed).sign(message)
        lines.append(f"assert sign({seed!r}, {message!r}) == {signature!r}")
    run(interpreter, "\n".join(lines))
