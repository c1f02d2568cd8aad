"""Secrets are compared in a time that does not depend on the position of the first difference.

The test searches the source code, so it also finds comparisons added later.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from cutcard_firmware.core.crypto.session_keys import equal

REPOSITORY = Path(__file__).parents[2]
ROOMS = (
    "firmware/cutcard_firmware/core",
    "firmware/cutcard_firmware/boards",
    "host/cutcard/attestation",
    "host/cutcard/devices",
    "host/cutcard/image",
    "host/cutcard/keys",
)
SECRETIVE = re.compile(
    r"\b_?(\w*key|keys|proof|tag|mac|secret|seed|digest\w*|signature|\w*frame)\b"
)
# Comparisons with == of a value with the name of a secret, and the reason that it is not secret.
NO_SECRETS = {
    "body == self.last_frame": "both have been on the line already, sealed",
    "sha256(out).digest() == unhexlify(_RETURNED_SHA256)": "a published answer",
    "curve.encoded() == signature[:32]": "a signature and its public key are public",
    "sha256(data[32:]).digest() == data[:32]": "a checksum of what the device itself wrote",
    "sha256(keys).digest()[:_CHECK] != data[2 * KEY:]": "a checksum of the device's own file",
    "(found[1]['digest'], found[1]['prizes']) != (digest, among)": "digests of public tables",
    "file.read() == signature": "an image and its signature are public",
    "sha256_of(self.path, most, self.begin) == self.digest": "hashes of a public image",
    "mf.sha256_of(self.root + name) != digest": "hashes of a public image",
    "mf.digest(self.manifest, self.head) != checked": "hashes of a public image",
    "mf.sha256_of(path, self.head.size) == mf.digest(self.manifest, self.head)": (
        "hashes of a public image"
    ),
    "sha256(content).digest() != digest": "hashes of a public image",
    "self.signature != bytes(mf.SIGNATURE)": "whether an image is signed at all",
    "signature == bytes(mf.SIGNATURE)": "whether an image is signed at all",
    "number == key.number": "the number of a key, which is public",
    "public == key.raw": "public keys, on this computer",
    "private.public_key().public_bytes_raw() != public.raw": "public keys, on this computer",
    "key.purpose == purpose": "what a key is for, by name",
    "said['error'] == messages.ERROR['old-frame']": "the number of an error, which is public",
    "crc8(frame, count + 1) == byte": "a checksum on a wire inside the machine",
    "crc8(frame, _SIZE - 1) != frame[-1]": "a checksum on a wire inside the machine",
}


def comparisons() -> Iterator[tuple[str, str]]:
    """Yield file and text of each == and != with a name that suggests a secret."""
    for room in ROOMS:
        for file in sorted((REPOSITORY / room).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq):
                    text = ast.unparse(node)
                    if SECRETIVE.search(text) and not _harmless(node):
                        yield str(file.relative_to(REPOSITORY)), text


def _harmless(node: ast.Compare) -> bool:
    """Return whether it compares a length or a constant, which an attacker knows."""
    sides = [node.left, *node.comparators]
    return any(isinstance(side, ast.Constant) for side in sides) or any(
        isinstance(side, ast.Call) and ast.unparse(side.func) == "len" for side in sides
    )


def test_every_comparison_of_a_secret_takes_constant_time() -> None:
    uneven = [f"{file}: {text}" for file, text in comparisons() if text not in NO_SECRETS]
    assert not uneven, "use core.crypto.session_keys.equal or hmac.compare_digest"


def test_every_listed_comparison_exists() -> None:
    assert set(NO_SECRETS) <= {text for _, text in comparisons()}


def steps(a: bytes, b: bytes) -> int:
    """Return the number of lines that a comparison executes."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        equal(a, b)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("at", [0, 15, 31])
def test_comparison_takes_equal_steps_for_a_difference_at_any_place(at: int) -> None:
    secret = bytes(range(32))
    other = bytearray(secret)
    other[at] ^= 1
    assert not equal(secret, other)
    assert steps(secret, bytes(other)) == steps(secret, secret)
