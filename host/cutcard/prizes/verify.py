"""Checking draws with only the public key, as a third party can.

A valid signature proves that this controller drew this number for this press. The chain proves that
no draw is missing between two draws. With the text of the prizes, the amount of the number is
checked. None of these proves that the number was random: the certificate of the random source
covers that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from cutcard import untrusted
from cutcard.keys import public_half
from cutcard.prizes.draw import BadDrawError, Draw
from cutcard_firmware.core.jackpot import prize_table

MOST_BYTES = 64 * untrusted.MEBIBYTE  # about a hundred thousand draws
MOST_TABLE = untrusted.MEBIBYTE


class BadFileError(Exception):
    """Raised if a file of draws, a table or a public key cannot be parsed."""


@dataclass
class Findings:
    """The number of checked draws, and the problems found."""

    draws: int = 0
    first: int = 0
    last: int = 0
    priced: int = 0  # draws with a table of prizes to compare
    problems: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether there were draws, and all checks passed."""
        return bool(self.draws) and not self.problems


def read_draws(file: Path) -> list[Draw]:
    """Read draws from lines of JSON. Raises BadFileError, with the line."""
    found = []
    try:
        lines = untrusted.text_of(untrusted.content(file, MOST_BYTES)).splitlines()
    except (OSError, untrusted.BadContentError) as error:
        raise BadFileError(f"{file} cannot be read: {untrusted.why_unreadable(error)}") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append(Draw.from_json(untrusted.json_from(line)))
            except (untrusted.BadContentError, BadDrawError) as error:
                raise BadFileError(f"{file}, line {number}: {error}") from error
    if not found:
        raise BadFileError(f"{file} has no draws; run `cutcard prize export` to write them")
    return found


def read_public_key(given: str) -> bytes:
    """Return a public key from 64 hexadecimal digits, or from a file. Raises BadFileError."""
    try:
        return public_half.read_public_key(given)
    except public_half.BadPublicKeyError as error:
        raise BadFileError(str(error)) from None


def read_tables(files: Iterable[Path]) -> dict[bytes, bytes]:
    """Return prize tables by the digest of their text. Raises BadFileError."""
    found = {}
    for file in files:
        try:
            text = untrusted.content(file, MOST_TABLE)
            prize_table.rows(text)
        except OSError as error:
            raise BadFileError(f"{file} cannot be read: {error.strerror}") from error
        except untrusted.BadContentError as error:
            raise BadFileError(f"{file} cannot be read: {error}") from error
        except prize_table.BadPrizes as error:
            raise BadFileError(f"{file}, line {error.row}: this is not a prize table") from error
        found[sha256(text).digest()] = text
    return found


def verify(
    draws: Sequence[Draw], public_key: bytes, tables: dict[bytes, bytes] | None = None
) -> Findings:
    """Check every signature, every number, and the chain from the first draw to the last."""
    found = Findings(len(draws))
    once = sorted(set(draws), key=lambda draw: draw.counter)  # a draw may be reported again
    found.first, found.last = once[0].counter, once[-1].counter
    for draw in once:
        _check_signature(found, draw, public_key)
        _check_number(found, draw, tables or {})
    for before, after in pairwise(once):
        if after.counter == before.counter:
            found.problems.append(f"draw {after.counter}: two different draws have this number")
        elif after.counter > before.counter + 1:
            gap = f"{before.counter + 1} to {after.counter - 1}"
            found.problems.append(f"draw {after.counter}: earlier draws are missing ({gap})")
        elif after.previous != before.record_digest:
            found.problems.append(
                f"draw {after.counter}: it follows another record than draw {before.counter}"
            )
    if once[0].counter == 1 and once[0].previous != bytes(32):
        found.problems.append("draw 1: it refers to an earlier record")
    return found


def _check_signature(found: Findings, draw: Draw, public_key: bytes) -> None:
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(draw.signature, draw.message)
    except InvalidSignature:
        found.problems.append(f"draw {draw.counter}: the signature does not match this key")


def _check_number(found: Findings, draw: Draw, tables: dict[bytes, bytes]) -> None:
    if not 1 <= draw.prize <= draw.prizes:
        found.problems.append(f"draw {draw.counter}: {draw.prize} is not in 1 to {draw.prizes}")
        return
    text = tables.get(draw.digest)
    if text is None or draw.kind != "prize":
        return
    found.priced += 1
    total = prize_table.total(text)
    if draw.prizes != total:
        found.problems.append(f"draw {draw.counter}: the table has {total} prizes")
    elif draw.amount != prize_table.amount(text, draw.prize):
        found.problems.append(
            f"draw {draw.counter}: prize {draw.prize} is "
            f"${prize_table.amount(text, draw.prize)}, not ${draw.amount}"
        )
