"""Signing keys for firmware images and certification reports: Ed25519, encrypted at rest."""

from cutcard.keys.errors import (
    BadKeyNameError,
    KeyDamagedError,
    KeyExistsError,
    KeyReachableError,
    KeyRevokedError,
    NoPassphraseError,
    NoSuchKeyError,
    SigningKeyError,
    WrongPassphraseError,
)
from cutcard.keys.store import PURPOSES, PublicKey, SigningKeyStore

__all__ = [
    "PURPOSES",
    "BadKeyNameError",
    "KeyDamagedError",
    "KeyExistsError",
    "KeyReachableError",
    "KeyRevokedError",
    "NoPassphraseError",
    "NoSuchKeyError",
    "PublicKey",
    "SigningKeyError",
    "SigningKeyStore",
    "WrongPassphraseError",
]
