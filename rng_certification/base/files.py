"""Writes files that appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that after a crash it is the old one or the new one.

    What a link leads to is not touched: the link is replaced.
    """
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    with new.open("xb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
