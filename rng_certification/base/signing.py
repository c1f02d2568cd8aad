"""Signatures of reports and of evidence: Ed25519 over the canonical bytes of the content.

The signature also covers the signer's key. It proves authenticity only to a reader who received
that key from elsewhere: anyone can change a file and sign it with another key. So `verify` requires
a key that the reader supplies.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from cutcard.keys import NoSuchKeyError, PublicKey, SigningKeyStore
from cutcard.keys.passphrase import passphrase
from rng_certification.base.canonical import canonical

ALGORITHM = "Ed25519"
PURPOSE = "report"
# The signed bytes begin with one of these: no signature is valid for content of another kind.
REPORT = b"cutcard certification report 1\n"
EVIDENCE = b"cutcard certification evidence 1\n"


@dataclass(frozen=True)
class ReportSigner:
    """An opened key that signs reports and evidence."""

    public: PublicKey
    private: Ed25519PrivateKey

    @property
    def described(self) -> dict[str, Any]:
        return describe(self.public)


def describe(key: PublicKey) -> dict[str, Any]:
    return {
        "name": key.name,
        "number": key.number,
        "development": key.development,
        "public": key.raw.hex(),
    }


def open_signer(name: str, passphrase_file: Path | None) -> ReportSigner:
    """Open the key of this name. Raises a SigningKeyError with a hint."""
    store = SigningKeyStore()
    public = store.public(name)
    if public.purpose != PURPOSE:
        raise NoSuchKeyError(
            f"the key {name!r} is for signing an {public.purpose}, not a report.",
            f"`cutcard keys make NAME --purpose {PURPOSE}` makes a key for reports.",
        )
    return ReportSigner(public, store.open(name, passphrase(passphrase_file, name)))


def signed(
    content: dict[str, Any], signer: ReportSigner | None, domain: bytes = REPORT
) -> dict[str, Any]:
    """Return the content with its signature block, which is None without a signer."""
    if signer is None:
        return {**content, "signature": None}
    block = {"algorithm": ALGORITHM, "key": signer.described}
    value = signer.private.sign(_bytes({**content, "signature": block}, domain))
    return {**content, "signature": {**block, "value": value.hex()}}


def holds(content: dict[str, Any], public: bytes, domain: bytes = REPORT) -> bool:
    """Return whether this key signed exactly this content."""
    block = content["signature"]
    unsigned = {**content, "signature": {k: v for k, v in block.items() if k != "value"}}
    try:
        value = bytes.fromhex(block["value"])
        Ed25519PublicKey.from_public_bytes(public).verify(value, _bytes(unsigned, domain))
    except (InvalidSignature, KeyError, TypeError, ValueError):
        return False
    return True


def _bytes(content: dict[str, Any], domain: bytes) -> bytes:
    return domain + canonical(content).encode()
