"""Prizes that a controller drew, and their verification by a third party.

    findings = verify(read_draws(Path("draws.jsonl")), read_public_key("published.hex"))
    findings.ok, findings.problems

The verification needs only a public key and no secret.
"""

from typing import TYPE_CHECKING

from cutcard.prizes.draw import BadDrawError, Draw
from cutcard.prizes.tables import rulebook_tables
from cutcard.prizes.verify import (
    BadFileError,
    Findings,
    read_draws,
    read_public_key,
    read_tables,
    verify,
)
from cutcard.renamed import renamed

__all__ = [
    "BadDrawError",
    "BadFileError",
    "Draw",
    "Findings",
    "read_draws",
    "read_public_key",
    "read_tables",
    "rulebook_tables",
    "verify",
]

if not TYPE_CHECKING:  # for programs written for version 0.1
    __getattr__ = renamed(
        __name__,
        {
            "BadDraw": "BadDrawError",
            "BadFile": "BadFileError",
        },
    )
