"""Send checkpoints to a witness (C2SP tlog-witness), or append them to a file elsewhere."""

from __future__ import annotations

import http.client
import os
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

from cutcard.transparency.witness import MOST_BODY

TIMEOUT = 10.0  # seconds for a witness to answer


class SubmissionError(Exception):
    """Raised if a witness did not accept a checkpoint. `known`: its last cosigned size, or None."""

    def __init__(self, why: str, known: int | None = None) -> None:
        super().__init__(why)
        self.known = known


def add_checkpoint(url: str, old_size: int, proof: Sequence[bytes], note: str) -> str:
    """Send a checkpoint to a witness and return the lines of its cosignatures.

    Raises SubmissionError if the witness refuses the checkpoint or does not answer.
    """
    lines = "".join(f"{b64encode(each).decode()}\n" for each in proof)
    request = urllib.request.Request(
        f"{url.rstrip('/')}/add-checkpoint",
        data=f"old {old_size}\n{lines}\n{note}".encode(),
        headers={"Content-Type": "text/plain; charset=utf-8"},
        method="POST",
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return str(answer.read(MOST_BODY).decode("utf-8"))
    except urllib.error.HTTPError as error:
        with error:
            said = error.read(MOST_BODY).decode("utf-8", "replace").strip()
        known = int(said[:19]) if error.code == 409 and said.isdigit() else None
        raise SubmissionError(f"answers {error.code}: {said[:200]}", known) from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise SubmissionError(f"does not answer ({reason})") from error


def archive(path: Path, note: str) -> None:
    """Append a note to a file and sync it. Raises SubmissionError if that fails."""
    try:
        with path.open("ab") as file:
            file.write(f"{note}\n".encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise SubmissionError(f"cannot be written ({error.strerror})") from error


def archived(text: str) -> list[str]:
    """Return the notes of an archive, or of a witness's file."""
    found: list[str] = []
    current = ""
    for line in text.splitlines(keepends=True):
        if line == "\n" and current.rpartition("\n\n")[2].startswith("— "):
            found.append(current)
            current = ""
        else:
            current += line
    return found + [current] * bool(current.strip())
