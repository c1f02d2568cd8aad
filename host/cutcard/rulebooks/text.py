"""Reading a file of a rulebook, and reporting its mistakes."""

from __future__ import annotations

from typing import Any, NamedTuple

from cutcard import untrusted


class Mistake(NamedTuple):
    """One mistake in a rulebook: its place, the reason, and a suggested correction."""

    file: str
    key: str
    why: str
    suggestion: str = ""

    def __str__(self) -> str:
        where = f"{self.file}: {self.key}" if self.key else self.file
        said = f"{where}: {self.why}"
        return f"{said}; did you mean {self.suggestion!r}?" if self.suggestion else said


class MalformedRulebookError(ValueError):
    """Raised for a rulebook that cannot be read, with all its mistakes, one on each line."""

    def __init__(self, *mistakes: Mistake) -> None:
        super().__init__("\n".join(map(str, mistakes)))
        self.mistakes = mistakes


def parse(file: str, text: str) -> dict[str, Any]:
    """Parse the file's contents as TOML. Raises MalformedRulebookError."""
    try:
        return untrusted.toml_from(text)
    except untrusted.BadContentError as error:
        raise MalformedRulebookError(Mistake(file, "", str(error))) from error
