"""The errors of signing keys, each with the next step."""

from __future__ import annotations


class SigningKeyError(Exception):
    """The base class of all errors of this package; never raised itself."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(f"{problem} {hint}")
        self.problem = problem
        self.hint = hint


class BadKeyNameError(SigningKeyError):
    """Raised if a name or a purpose is not valid for a key."""


class KeyExistsError(SigningKeyError):
    """Raised if a key of that name already exists: keys are never overwritten."""


class NoSuchKeyError(SigningKeyError):
    """Raised if no key has that name, or it is for another purpose."""


class NoPassphraseError(SigningKeyError):
    """Raised if no passphrase was given, or one that is too short to protect the key."""


class WrongPassphraseError(SigningKeyError):
    """Raised if the passphrase does not open the key."""


class KeyDamagedError(SigningKeyError):
    """Raised if a key's file cannot be parsed, or its public data was changed."""


class KeyReachableError(SigningKeyError):
    """Raised if other users than the owner could read or replace a key's file."""


class KeyRevokedError(SigningKeyError):
    """Raised if a key was revoked, or its history cannot take another link."""
