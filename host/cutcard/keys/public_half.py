"""The public half of a key in the form in which people exchange it: digits, or a file with them."""

from __future__ import annotations

import re
from pathlib import Path

from cutcard import untrusted

MOST_BYTES = 16 * untrusted.KIBIBYTE
_DIGITS = re.compile("[0-9a-fA-F]{64}")


class BadPublicKeyError(ValueError):
    """Raised for an invalid public key, with the expected form."""


def read_public_key(given: str) -> bytes:
    """Read 64 hexadecimal digits, or a file written by `cutcard keys public NAME`.

    The file may be written with or without --json. Raises BadPublicKeyError.
    """
    text = given
    if not _DIGITS.fullmatch(given):
        try:
            text = untrusted.text_of(untrusted.content(Path(given), MOST_BYTES)).strip()
            text = str(untrusted.json_from(text)["raw"]) if text.startswith("{") else text
        except OSError as error:
            raise BadPublicKeyError(
                f"{untrusted.shown(given)!r} is not 64 hexadecimal digits, as `cutcard keys "
                f"public` prints them, and not a readable file: {error.strerror}"
            ) from None
        except (KeyError, TypeError, ValueError):
            text = ""
    if not _DIGITS.fullmatch(text):
        raise BadPublicKeyError(
            f"{untrusted.shown(given)} has no public key: it needs 64 hexadecimal digits, as "
            "`cutcard keys public` prints them"
        )
    return bytes.fromhex(text)
