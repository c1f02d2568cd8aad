"""Checkpoints of a table from outside its journal, compared with the journal's tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from cutcard.table.replay.witnessing import key_of
from cutcard.transparency import BadCheckpointError, Leaves, VerifierKey, parsed
from cutcard.transparency.checkpoint import Signed


class OutsideCheckpoints:
    """Checkpoints by size. `witnesses`: keys of witnesses, from outside the journal.

    Notes of other tables and notes without a signature of the table's key are not compared.
    """

    def __init__(self, notes: Iterable[str] = (), witnesses: Sequence[VerifierKey] = ()) -> None:
        """Parse the notes. Raises BadCheckpointError if a note is not a checkpoint."""
        self._notes: dict[int, list[Signed]] = {}
        for note in notes:
            signed = parsed(note)
            self._notes.setdefault(signed.checkpoint.size, []).append(signed)
        self._witnesses = witnesses
        self.compared: list[int] = []  # sizes of the checkpoints that agree with the journal
        self.cosigned: dict[str, tuple[int, int]] = {}  # witness name: records, time

    def __bool__(self) -> bool:
        """Return whether any checkpoint was given."""
        return bool(self._notes)

    def compare(self, tree: Leaves, public: str) -> str:
        """Return the contradiction between a checkpoint and the tree of the same size, or ""."""
        for signed in self._ours(tree.end, public):
            if signed.checkpoint.root != tree.root():
                return (
                    f"is not the record that a checkpoint of {tree.end} records was made for: "
                    f"records up to it were changed after {self._when(signed)}"
                )
            self.compared.append(tree.end)
            self.note(signed)
        return ""

    def beyond(self, tree: Leaves, public: str) -> str:
        """Return the contradiction if a checkpoint shows that last records were removed, or ""."""
        sizes = [size for size in self._notes if size > tree.end and self._ours(size, public)]
        if not sizes:
            return ""
        when = self._when(self._ours(max(sizes), public)[0])
        return (
            f"is the last of {tree.end} records of the table, and a checkpoint has {max(sizes)} "
            f"of them: records were taken off the end after {when}"
        )

    def note(self, signed: Signed) -> None:
        """Note the valid cosignatures of known witnesses on a checkpoint that agrees."""
        for key in self._witnesses:
            found = signed.cosignature(key)
            size = signed.checkpoint.size
            if found is not None and size >= self.cosigned.get(key.name, (0, 0))[0]:
                self.cosigned[key.name] = size, found.time

    def of_table(self, public: str) -> int:
        """Return the number of this table's checkpoints that the key `public` signed."""
        return sum(len(self._ours(size, public)) for size in self._notes)

    def _ours(self, size: int, public: str) -> list[Signed]:
        if size not in self._notes or not public:
            return []
        try:
            key = key_of(public)
        except ValueError:
            return []
        return [
            each
            for each in self._notes[size]
            if each.checkpoint.origin == key.name and each.is_signed_by(key)
        ]

    def _when(self, signed: Signed) -> str:
        """Return the time at which a known witness cosigned, or "it was signed" without one."""
        for key in self._witnesses:
            if (found := signed.cosignature(key)) is not None:
                return f"{utc(found.time)}, when {key.name} cosigned it"
        return "it was signed"


def utc(seconds: int) -> str:
    """Return the time of a cosignature in UTC; the number of seconds if it is out of range."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (OverflowError, OSError, ValueError):
        return str(seconds)


def own_problem(note: str, tree: Leaves, public: str) -> str:
    """Return why a note in the journal is not the checkpoint of its tree, or ""."""
    try:
        signed = parsed(note)
        key = key_of(public)
    except BadCheckpointError as error:
        return f"has a checkpoint that {error}"
    checkpoint = signed.checkpoint
    if checkpoint.origin != key.name or not signed.is_signed_by(key):
        return "has a checkpoint that the table's key did not sign"
    if (checkpoint.size, checkpoint.root) != (tree.end, tree.root()):
        return "has the checkpoint of other records than those before it"
    return ""
