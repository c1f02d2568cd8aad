"""Signatures of settled rounds in journals up to format 2, which have no other signatures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutcard.journal import Record
from cutcard.journal.table_key import is_signed


def problem_of(signed: Mapping[str, Any], settled: Record | None) -> str:
    """Return the defect of a record `signed`, or an empty text."""
    if settled is None or (signed.get("of"), signed.get("head")) != (settled.number, settled.hash):
        return "signs something else than the settled round before it"
    message = f"cutcard journal\nrecord {settled.number}\n{settled.hash}\n".encode("ascii")
    if not is_signed(str(signed.get("key")), message, str(signed.get("signature"))):
        return "has a signature that does not hold"
    return ""
