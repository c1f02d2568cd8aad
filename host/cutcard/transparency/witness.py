"""A witness: it cosigns a tree only if leaves were only appended, and stores the last checkpoint.

It answers requests of C2SP tlog-witness (`add-checkpoint`). For each known tree, its folder has a
file with the last cosigned note. An auditor compares that note with the journal.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from cutcard import private_files
from cutcard.transparency.checkpoint import (
    BadCheckpointError,
    Sign,
    Signed,
    VerifierKey,
    cosigned,
    parsed,
)
from cutcard.transparency.merkle import EMPTY, HASH, MOST_PROOF, is_consistent

MOST_BODY = 64 * 1024
SIZE_TYPE = "text/x.tlog.size"
_TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Reply:
    """The HTTP response to a request."""

    status: int
    body: str
    kind: str = _TEXT


class _RefusedError(Exception):
    def __init__(self, status: int, why: str, kind: str = _TEXT) -> None:
        super().__init__(why)
        self.reply = Reply(status, why + "\n", kind)


class Witness:
    """A witness with the last checkpoint of each tree in a folder. `logs`: keys of known trees."""

    def __init__(
        self,
        folder: Path,
        key: VerifierKey,
        sign: Sign,
        logs: Sequence[VerifierKey],
        clock: Callable[[], float],
    ) -> None:
        private_files.make_folder(folder)
        self.folder = folder
        self.key = key
        self._sign = sign
        self._logs = {log.name: log for log in logs}
        self._clock = clock

    def add_checkpoint(self, body: bytes) -> Reply:
        """Cosign a checkpoint that extends the last one of its tree; else return an error reply."""
        try:
            old_size, proof, note = _read(body)
            signed = parsed(note)
        except (BadCheckpointError, ValueError):
            return Reply(400, "this is not a request of tlog-witness\n")
        try:
            with private_files.locked(self.folder):
                return self._cosigned(old_size, proof, note, signed)
        except _RefusedError as refusal:
            return refusal.reply

    def _cosigned(self, old_size: int, proof: list[bytes], note: str, signed: Signed) -> Reply:
        new = signed.checkpoint
        log = self._logs.get(new.origin)
        if log is None:
            raise _RefusedError(404, f"this witness does not know the tree {new.origin}")
        if not signed.is_signed_by(log):
            raise _RefusedError(403, "the checkpoint is not signed by the key of its tree")
        if old_size > new.size:
            raise _RefusedError(400, "the old size is above that of the checkpoint")
        path = self.path_of(new.origin)
        last = parsed(path.read_text("utf-8")).checkpoint if path.exists() else None
        size, root = (0, EMPTY) if last is None else (last.size, last.root)
        if old_size != size or (new.size == size and last and new.root != root):
            raise _RefusedError(409, str(size), SIZE_TYPE)
        if not is_consistent(size, root, new.size, new.root, proof):
            raise _RefusedError(422, "the proof does not show that the tree only grew")
        line = cosigned(signed, self.key, int(self._clock()), self._sign)
        own = note[: note.rindex("\n\n") + 2]
        owners = "".join(
            each
            for each in note[len(own) :].splitlines(keepends=True)
            if each.startswith(f"— {log.name} ")
        )
        private_files.replace(path, own + owners + line)
        return Reply(200, line)

    def path_of(self, origin: str) -> Path:
        """Return the file with the last cosigned note of a tree."""
        return self.folder / f"{sha256(origin.encode()).hexdigest()}.checkpoint"


def _read(body: bytes) -> tuple[int, list[bytes], str]:
    """Return the old size, the proof and the note of a request. Raises ValueError if malformed."""
    if len(body) > MOST_BODY:
        raise ValueError("the request is too long")
    head, found, note = body.decode("utf-8").partition("\n\n")
    first, *lines = head.split("\n")
    size = first.removeprefix("old ")
    if not found or not first.startswith("old ") or not size.isdigit() or len(size) > 19:
        raise ValueError("the request has no old size")
    if str(int(size)) != size or len(lines) > MOST_PROOF:
        raise ValueError("the old size or the proof is malformed")
    proof = [b64decode(line, validate=True) for line in lines]
    if any(len(each) != HASH for each in proof):
        raise ValueError("a hash of the proof has another length")
    return int(size), proof, note
