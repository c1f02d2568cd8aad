"""Checkpoints of a table's tree, sent to witnesses outside the building while play continues.

After each settled round the table signs its tree, records the checkpoint in the journal, and sends
it to each witness from a thread. A missing answer does not stop the table: a record in the journal
has the time since which it is unwitnessed, and the next checkpoint covers all records since then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

from cutcard.journal import Journal, JournalDamagedError, TableKey, grown, read
from cutcard.transparency import (
    BadCheckpointError,
    Checkpoint,
    Leaves,
    VerifierKey,
    consistency_proof,
    cosignature_of,
    signed_note,
)
from cutcard.transparency.submission import SubmissionError, add_checkpoint, archive

CHECKPOINT = "checkpoint"
WITNESSED = "witnessed"
UNWITNESSED = "unwitnessed"
PATIENCE = 60.0  # seconds after which a request without an answer is abandoned
LAST_WORD = 15.0  # seconds of each of the two waits for witnesses in `finish`


def key_of(public: str) -> VerifierKey:
    """Return the key of a table's checkpoints; its name is the origin of the tree."""
    return VerifierKey(f"cutcard/table/{public}", bytes.fromhex(public))


def is_url(witness: str) -> bool:
    """Return whether the witness is a server, not a file."""
    return witness.startswith(("http://", "https://"))


@dataclass(frozen=True, slots=True)
class Answer:
    """The cosignature of a witness (empty for a file), or the problem."""

    cosignature: str = ""
    problem: str = ""


@dataclass
class Link:
    """A witness, its last known tree (empty before its first answer), and the leaves since then."""

    witness: str  # a file, or a URL, or URL#KEY with the verifier key of the witness
    old: Leaves = field(default_factory=Leaves)
    later: Leaves | None = None  # None: the leaves since `old` are not known
    sent: Leaves = field(default_factory=Leaves)  # the tree of the pending checkpoint
    since_sent: list[bytes] = field(default_factory=list)
    answer: Future[Answer] | None = None
    asked: float = 0.0
    unwitnessed: bool = False  # the journal has a record of it since the last answer

    def add(self, leaf: bytes) -> None:
        if self.later is not None:
            self.later.add(leaf)
        if self.answer is not None:
            self.since_sent.append(leaf)

    def proof(self) -> tuple[int, list[bytes]]:
        """Return the size of the witness's tree, and the proof that the current tree extends it.

        The size is 0 if that tree is unknown; a witness with a larger tree replies with its size.
        """
        if self.later is None:
            return 0, []
        return self.old.end, consistency_proof(self.old, self.later)

    def advance(self) -> None:
        """Mark the sent tree as the last known tree of the witness."""
        self.old, self.later = self.sent, Leaves(self.sent.end)
        for leaf in self.since_sent:
            self.later.add(leaf)

    def to_json(self) -> dict[str, Any] | None:
        """Return `old` and `later` for the next program; None if `later` is not known."""
        if self.later is None:
            return None
        return {"old": self.old.to_json(), "later": [each.hex() for each in self.later.hashes]}

    def continue_from(self, said: Mapping[str, Any], end: int) -> None:
        """Load `to_json`, stored at a tree of `end` leaves.

        Raises KeyError, TypeError, ValueError or another error if the JSON is malformed.
        """
        self.old = Leaves.from_json(said["old"])
        hashes = [bytes.fromhex(each) for each in said["later"]]
        self.later = Leaves.between(self.old.end, end, hashes)


class Witnessing:
    """The sender of a journal's signed checkpoints. `links` has one link for each witness."""

    def __init__(
        self, journal: Journal, key: TableKey, witnesses: Sequence[str], stored: Mapping[str, Any]
    ) -> None:
        """Load the links from `stored`: the tree at the last save, and `to_json` under "links"."""
        self._journal = journal
        self._key = key
        self._owner = key_of(key.public)
        self.links = [Link(witness) for witness in witnesses]
        self._since = next((each.time for each in journal.tail), "")
        for link in self.links:
            if said := stored.get("links", {}).get(link.witness):
                link.continue_from(said, stored["size"])
                for leaf in _leaves_from(journal, stored["size"]):
                    link.add(leaf)
        journal.on_leaf = self._add
        for witness in stored.get("links", {}).keys() - set(witnesses):
            self._drop(witness)

    def _drop(self, witness: str) -> None:
        """Record in the journal that the table file no longer names a witness.

        Otherwise a person with write access to that file could stop the checkpoints unnoticed.
        """
        said = {"witness": witness.partition("#")[0], "size": 0, "since": self._since}
        self._journal.append(UNWITNESSED, {**said, "why": "the table file no longer names it"})

    def _add(self, leaf: bytes) -> None:
        for link in self.links:
            link.add(leaf)

    def to_json(self) -> dict[str, Any]:
        """Return the state of each witness whose tree is known."""
        return {link.witness: said for link in self.links if (said := link.to_json())}

    def checkpoint(self, remember: Callable[[], None]) -> None:
        """Record a signed checkpoint, call `remember`, and send the checkpoint.

        Witnesses with a pending request are skipped.
        """
        self._collect()
        ready = [link for link in self.links if link.answer is None]
        tree = self._journal.tree
        if not ready or tree is None:
            return
        checkpoint = Checkpoint(self._owner.name, tree.end, tree.root())
        note = signed_note(checkpoint, self._owner, self._key.signature)
        sent, proofs = tree.copy(), [link.proof() for link in ready]
        record = self._journal.append(CHECKPOINT, {"note": note})
        self._since = self._since or record.time
        remember()
        for link, proof in zip(ready, proofs, strict=True):
            link.sent, link.since_sent = sent, [record.leaf]
            link.asked = time.monotonic()
            link.answer = _begun(self._journal.path, link.witness, proof, sent.end, note)

    def _collect(self, patience: float = PATIENCE) -> None:
        """Record the received answers, and abandon requests older than `patience` seconds."""
        for link in self.links:
            if link.answer is None:
                continue
            if link.answer.done() or time.monotonic() - link.asked > patience:
                is_silent = not link.answer.done()
                answer = Answer(problem=_SILENT) if is_silent else link.answer.result()
                if not answer.problem:
                    link.advance()
                link.answer = None
                self._write(link, answer)

    def _write(self, link: Link, answer: Answer) -> None:
        about = {"witness": link.witness.partition("#")[0], "size": link.sent.end}
        if not answer.problem:
            said = {**about, "cosignature": answer.cosignature}
            self._since = self._journal.append(WITNESSED, said).time
            link.unwitnessed = False
        elif not link.unwitnessed:
            said = {**about, "since": self._since, "why": answer.problem}
            self._journal.append(UNWITNESSED, said)
            link.unwitnessed = True

    def finish(self, remember: Callable[[], None]) -> None:
        """Send the last checkpoint of a journal.

        Wait up to `LAST_WORD` seconds for pending answers before it, and as long again after it.
        """
        self._wait()
        self.checkpoint(remember)
        self._wait()
        self._collect(patience=0)

    def _wait(self) -> None:
        wait([link.answer for link in self.links if link.answer is not None], timeout=LAST_WORD)


def _leaves_from(journal: Journal, size: int) -> Iterator[bytes]:
    """Yield the leaves of a journal, starting with the leaf at index `size`."""
    tree: Leaves | None = Leaves()
    for record in read(journal.path):
        tree = grown(tree, record)
        if tree is not None and tree.end > size:
            yield record.leaf


_SILENT = "does not answer in time"


def _begun(
    path: Path, witness: str, proof: tuple[int, Sequence[bytes]], size: int, note: str
) -> Future[Answer]:
    """Send a checkpoint from a daemon thread, which does not delay the program's exit."""
    answer: Future[Answer] = Future()

    def run() -> None:
        try:
            answer.set_result(_submit(path, witness, proof, size, note))
        except Exception as error:  # an error about a witness must not stop the table
            answer.set_result(Answer(problem=repr(error)))

    Thread(target=run, name="witness", daemon=True).start()
    return answer


# Functions that run in the thread


def _submit(
    path: Path, witness: str, proof: tuple[int, Sequence[bytes]], size: int, note: str
) -> Answer:
    """Send a checkpoint of `size` leaves to a witness and return the answer."""
    try:
        if not is_url(witness):
            archive(Path(witness), note)
            return Answer()
        url, _, key = witness.partition("#")
        lines = _answered(path, url, proof, size, note)
        return Answer(cosignature_of(note, lines, VerifierKey.parse(key) if key else None))
    except (BadCheckpointError, SubmissionError) as error:
        return Answer(problem=str(error))


def _answered(
    path: Path, url: str, proof: tuple[int, Sequence[bytes]], size: int, note: str
) -> str:
    """Return the lines of a witness. Retry once if the witness reports another size.

    Raises SubmissionError.
    """
    try:
        return add_checkpoint(url, *proof, note)
    except SubmissionError as error:
        if error.known is None or error.known == proof[0]:
            raise
        if error.known > size:
            why = f"has {error.known} records of this table, and this journal ends with {size}"
            raise SubmissionError(why) from error
        known = error.known
    return add_checkpoint(url, known, _proof_from(path, known, size), note)


def _proof_from(path: Path, known: int, size: int) -> list[bytes]:
    """Return the proof from a size that the table has not stored, by reading the full journal.

    Raises SubmissionError if the journal is damaged or lacks records since that size.
    """
    tree, old = Leaves(), Leaves() if known == 0 else None
    later = Leaves(known)
    try:
        for record in read(path):
            before = tree.end
            tree = grown(tree, record) or tree
            if tree.end > size:
                break
            if tree.end == known:
                old = tree.copy()
            elif tree.end > known and (before < known or tree.end != before + 1):
                break  # required records are in an earlier journal, or missing
            elif tree.end > known:
                later.add(record.leaf)
    except JournalDamagedError as damage:
        raise SubmissionError(str(damage)) from damage
    if old is None or later.end != size:
        why = f"has {known} records of this table, and the journal does not contain all since then"
        raise SubmissionError(why)
    return consistency_proof(old, later)
