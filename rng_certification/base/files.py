"""Write files atomically."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that after a crash it has either the old or the new content.

    If the path is a link, the link is replaced; its target is not changed.
    """
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    with new.open("xb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
