"""Keys that sign: firmware images and certification reports. Ed25519, encrypted at rest."""

from cutcard.keys.errors import (
    BadKeyName,
    KeyDamaged,
    KeyExists,
    KeyReachable,
    KeyRevoked,
    NoPassphrase,
    NoSuchKey,
    SigningKeyError,
    WrongPassphrase,
)
from cutcard.keys.store import PURPOSES, KeyStore, PublicKey

__all__ = [
    "PURPOSES",
    "BadKeyName",
    "KeyDamaged",
    "KeyExists",
    "KeyReachable",
    "KeyRevoked",
    "KeyStore",
    "NoPassphrase",
    "NoSuchKey",
    "PublicKey",
    "SigningKeyError",
    "WrongPassphrase",
]
