"""Signed checkpoints of the ledger, and the ledger compared with checkpoints from elsewhere.

Each entry is a leaf of a Merkle tree. Without a checkpoint outside the database nobody notices that
entries are missing at the end: the shorter ledger is consistent.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cutcard.journal import TableKey
from cutcard.meters.errors import LedgerDamagedError
from cutcard.meters.ledger import LedgerEntry
from cutcard.transparency import (
    BadCheckpointError,
    Checkpoint,
    Leaves,
    VerifierKey,
    consistency_proof,
    cosignature_of,
    leaf_hash,
    parsed,
    signed_note,
)
from cutcard.transparency.submission import SubmissionError, add_checkpoint, archive, archived

_HINT = "Restore a copy of the database that has all entries; keep this one for whoever looks."


def key_of(public: str) -> VerifierKey:
    """Return the key of a ledger's checkpoints; its name is the origin of the tree."""
    return VerifierKey(f"cutcard/meters/{public}", bytes.fromhex(public))


def tree_of(entries: Sequence[LedgerEntry], begin: int = 0, end: int | None = None) -> Leaves:
    """Return the tree of the entries, or of some of them by their places."""
    tree = Leaves(begin)
    for entry in entries[begin:end]:
        tree.add(_leaf(entry))
    return tree


def _leaf(entry: LedgerEntry) -> bytes:
    """Return the hash of an entry's leaf; the entry's own hash covers all entries before it."""
    return leaf_hash(entry.hash.encode("ascii"))


def contradictions(entries: Sequence[LedgerEntry], notes: Sequence[str], public: str) -> list[str]:
    """Return what checkpoints of this key contradict in a ledger. Raises BadCheckpointError."""
    key = key_of(public)
    signed = [each for each in map(parsed, notes) if each.is_signed_by(key)]
    roots = {each.checkpoint.size: set[bytes]() for each in signed}
    tree, found = Leaves(), []
    for place in range(len(entries) + 1):
        if place in roots:
            roots[place].add(tree.root())
        if place < len(entries):
            tree.add(_leaf(entries[place]))
    for checkpoint in (each.checkpoint for each in signed if each.checkpoint.origin == key.name):
        size = checkpoint.size
        if size > len(entries):
            found.append(
                f"a checkpoint has {size} entries, and the ledger has {len(entries)}: entries "
                "were taken off its end"
            )
        elif checkpoint.root not in roots[size]:
            found.append(f"entries up to {size} are not those of a checkpoint: they were changed")
    return found


class LedgerCheckpoints:
    """The checkpoints that one key has signed. They are stored in a file beside the key."""

    def __init__(self, key: TableKey, path: Path) -> None:
        self.key = key
        self.path = path

    @property
    def notes(self) -> list[str]:
        return archived(self.path.read_text("utf-8")) if self.path.exists() else []

    def sign(self, entries: Sequence[LedgerEntry]) -> str:
        """Return the checkpoint of a ledger; it is stored before it is returned.

        Raises LedgerDamagedError if the ledger does not continue the one that was signed before:
        the key never signs two roots for one size.
        """
        if wrong := contradictions(entries, self.notes[-1:], self.key.public):
            raise LedgerDamagedError(wrong[0], _HINT)
        tree, owner = tree_of(entries), key_of(self.key.public)
        checkpoint = Checkpoint(owner.name, tree.end, tree.root())
        note = signed_note(checkpoint, owner, self.key.signature)
        if note not in self.notes[-1:]:
            archive(self.path, note)
        return note

    def send(self, note: str, witness: str, entries: Sequence[LedgerEntry]) -> str:
        """Return the note with the cosignature of a witness. Raises SubmissionError.

        `witness`: URL#KEY, or the URL alone, whose cosignature nobody checks here.
        """
        url, _, said = witness.partition("#")
        size = parsed(note).checkpoint.size
        try:
            key = VerifierKey.parse(said) if said else None
            lines = _answered(url, note, size, entries)
            return note + cosignature_of(note, lines, key)
        except BadCheckpointError as error:
            raise SubmissionError(str(error)) from error


def _answered(url: str, note: str, size: int, entries: Sequence[LedgerEntry]) -> str:
    try:
        return add_checkpoint(url, 0, (), note)
    except SubmissionError as error:
        if not error.known or error.known > size:
            raise
        known = error.known
    old, later = tree_of(entries, end=known), tree_of(entries, begin=known, end=size)
    return add_checkpoint(url, known, consistency_proof(old, later), note)
