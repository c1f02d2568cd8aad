"""The errors of signing keys: one family, each with what to do next."""

from __future__ import annotations


class SigningKeyError(Exception):
    """Never raised itself: the base of all errors of this package."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(f"{problem} {hint}")
        self.problem = problem
        self.hint = hint


class BadKeyNameError(SigningKeyError):
    """Raised when a name or a purpose is not one that a key can have."""


class KeyExistsError(SigningKeyError):
    """Raised when a key of that name is there already: none is ever overwritten."""


class NoSuchKeyError(SigningKeyError):
    """Raised when there is no key of that name, or it is for another purpose."""


class NoPassphraseError(SigningKeyError):
    """Raised when nobody gave a passphrase, or one that is too short to protect anything."""


class WrongPassphraseError(SigningKeyError):
    """Raised when the passphrase does not open the key."""


class KeyDamagedError(SigningKeyError):
    """Raised when a key's file cannot be read as one, or what it says of itself was changed."""


class KeyReachableError(SigningKeyError):
    """Raised when others than its owner could read or replace a key's file."""


class KeyRevokedError(SigningKeyError):
    """Raised when a key was revoked, or its history takes no further link."""
