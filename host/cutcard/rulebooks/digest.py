"""The digest of a rulebook, to detect a changed text when a round is replayed."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib import resources

from cutcard.rulebooks.book import Source
from cutcard.rulebooks.folder import RulebookFolder


@cache
def digest(source: Source) -> str:
    """Return the SHA-256 of a rulebook's files: layers, dated texts, readings, side wagers."""
    found = sha256()
    for name, text in source.texts if isinstance(source, RulebookFolder) else _texts(source):
        for part in (name.encode(), text.encode()):
            found.update(len(part).to_bytes(8, "big") + part)
    return found.hexdigest()


def _texts(name: str) -> list[tuple[str, str]]:
    package = resources.files("cutcard.rulebooks")
    layers = sorted((package / "data" / name).iterdir(), key=lambda file: file.name)
    shared = [package / "data" / "readings.toml", package / "side_wagers" / f"{name}.toml"]
    return [(file.name, file.read_text("utf-8")) for file in (*layers, *shared)]
