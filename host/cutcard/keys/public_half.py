"""The public half of a key as people hand it on: its digits, or a file that holds them."""

from __future__ import annotations

import re
from pathlib import Path

from cutcard import untrusted

MOST_BYTES = 16 * untrusted.KIBIBYTE
_DIGITS = re.compile("[0-9a-fA-F]{64}")


class BadPublicKeyError(ValueError):
    """Raised for what is no public key; says what one looks like."""


def read_public_key(given: str) -> bytes:
    """From 64 hexadecimal digits, or from a file as `cutcard keys public NAME` writes it, with
    --json or without. Raises BadPublicKeyError."""
    text = given
    if not _DIGITS.fullmatch(given):
        try:
            text = untrusted.text_of(untrusted.content(Path(given), MOST_BYTES)).strip()
            text = str(untrusted.json_from(text)["raw"]) if text.startswith("{") else text
        except OSError as error:
            raise BadPublicKeyError(
                f"{untrusted.shown(given)!r} is neither 64 hexadecimal digits, as `cutcard keys "
                f"public` prints them, nor a file that can be read: {error.strerror}"
            ) from None
        except (KeyError, TypeError, ValueError):
            text = ""
    if not _DIGITS.fullmatch(text):
        raise BadPublicKeyError(
            f"{untrusted.shown(given)} holds no public key: 64 hexadecimal digits, as `cutcard "
            "keys public` prints"
        )
    return bytes.fromhex(text)
