"""Prizes that a controller drew: what was signed, and how a third party checks it.

    findings = verify(read_draws(Path("draws.jsonl")), read_public_key("published.hex"))
    findings.ok, findings.problems

It needs a public key and nothing secret.
"""

from cutcard.prizes.draw import BadDraw, Draw
from cutcard.prizes.tables import rulebook_tables
from cutcard.prizes.verify import (
    BadFile,
    Findings,
    read_draws,
    read_public_key,
    read_tables,
    verify,
)

__all__ = [
    "BadDraw",
    "BadFile",
    "Draw",
    "Findings",
    "read_draws",
    "read_public_key",
    "read_tables",
    "rulebook_tables",
    "verify",
]
