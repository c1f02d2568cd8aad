"""What is said of a file of a rulebook that is not made as the others are."""

from __future__ import annotations

from typing import Any

from cutcard import untrusted


class MalformedRulebookError(ValueError):
    """Raised for a rulebook's file that cannot be read; says where, and what should stand there."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}")
        self.where = where
        self.why = why


def parse(where: str, text: str) -> dict[str, Any]:
    """The file as TOML has it."""
    try:
        return untrusted.toml_from(text)
    except untrusted.BadContent as error:
        raise MalformedRulebookError(where, str(error)) from error
