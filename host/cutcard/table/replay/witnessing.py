"""Checkpoints of a table's tree, sent to witnesses outside the building while play continues.

After each settled round the table signs its tree, puts the checkpoint on record, and sends it to
each witness from a thread. A witness that does not answer stops nothing: the record says since when
the journal is unwitnessed, and the next checkpoint covers everything since.
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
PATIENCE = 60.0  # seconds after which a witness that has not answered is given up
LAST_WORD = 15.0  # seconds that a table waits for its witnesses when it closes


def key_of(public: str) -> VerifierKey:
    """Return the key of a table's checkpoints; its name is the origin of the tree."""
    return VerifierKey(f"cutcard/table/{public}", bytes.fromhex(public))


def is_url(witness: str) -> bool:
    """Return whether the witness is a server; else it is a file."""
    return witness.startswith(("http://", "https://"))


@dataclass(frozen=True, slots=True)
class Answer:
    """The cosignature of a witness (empty from a file), or the problem."""

    cosignature: str = ""
    problem: str = ""


@dataclass
class Link:
    """A witness: the tree that it has, and the leaves since then; empty until it has answered."""

    witness: str  # a file, or URL#KEY with the verifier key of the witness, or the URL alone
    old: Leaves = field(default_factory=Leaves)
    later: Leaves | None = None  # None: the leaves since `old` are not known
    sent: Leaves = field(default_factory=Leaves)  # the tree of the checkpoint that is under way
    since_sent: list[bytes] = field(default_factory=list)
    answer: Future[Answer] | None = None
    asked: float = 0.0
    unwitnessed: bool = False  # the journal says so

    def add(self, leaf: bytes) -> None:
        if self.later is not None:
            self.later.add(leaf)
        if self.answer is not None:
            self.since_sent.append(leaf)

    def proof(self) -> tuple[int, list[bytes]]:
        """Return the size of the tree that the witness has, and the proof for the tree as it is.

        Size 0 asks a witness for its size.
        """
        if self.later is None:
            return 0, []
        return self.old.end, consistency_proof(self.old, self.later)

    def advance(self) -> None:
        """Note that the witness has the tree that was sent."""
        self.old, self.later = self.sent, Leaves(self.sent.end)
        for leaf in self.since_sent:
            self.later.add(leaf)

    def to_json(self) -> dict[str, Any] | None:
        """Return both parts, to continue from in the next program."""
        if self.later is None:
            return None
        return {"old": self.old.to_json(), "later": [each.hex() for each in self.later.hashes]}

    def continue_from(self, said: Mapping[str, Any], end: int) -> None:
        """Continue from `to_json` of a tree of `end` leaves. Raises what malformed JSON raises."""
        self.old = Leaves.from_json(said["old"])
        hashes = [bytes.fromhex(each) for each in said["later"]]
        self.later = Leaves.between(self.old.end, end, hashes)


class Witnessing:
    """Signs checkpoints of a journal's tree and sends them. `links` has one for each witness."""

    def __init__(
        self, journal: Journal, key: TableKey, witnesses: Sequence[str], stored: Mapping[str, Any]
    ) -> None:
        """`stored`: the tree with which it was remembered last, and `to_json` under "links"."""
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
        """Put on record that the table file no longer names a witness.

        Whoever can write that file could otherwise stop the checkpoints unnoticed.
        """
        said = {"witness": witness.partition("#")[0], "size": 0, "since": self._since}
        self._journal.append(UNWITNESSED, {**said, "why": "the table file no longer names it"})

    def _add(self, leaf: bytes) -> None:
        for link in self.links:
            link.add(leaf)

    def to_json(self) -> dict[str, Any]:
        """Return the state of each witness."""
        return {link.witness: said for link in self.links if (said := link.to_json())}

    def checkpoint(self, remember: Callable[[], None]) -> None:
        """Put a signed checkpoint on record, and send it. `remember` is called before it leaves."""
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
        """Put the answers that have arrived on record, and give up witnesses that are silent."""
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
        """Send the last checkpoint of a journal, and wait for the answers, but not for long."""
        self._wait()
        self.checkpoint(remember)
        self._wait()
        self._collect(patience=0)

    def _wait(self) -> None:
        wait([link.answer for link in self.links if link.answer is not None], timeout=LAST_WORD)


def _leaves_from(journal: Journal, size: int) -> Iterator[bytes]:
    """Yield the leaves of a journal from that with this index on."""
    tree: Leaves | None = Leaves()
    for record in read(journal.path):
        tree = grown(tree, record)
        if tree is not None and tree.end > size:
            yield record.leaf


_SILENT = "does not answer in time"


def _begun(
    path: Path, witness: str, proof: tuple[int, Sequence[bytes]], size: int, note: str
) -> Future[Answer]:
    """Send a checkpoint from a thread that does not keep the program from ending."""
    answer: Future[Answer] = Future()

    def run() -> None:
        try:
            answer.set_result(_submit(path, witness, proof, size, note))
        except Exception as error:  # nothing about a witness may stop the table
            answer.set_result(Answer(problem=repr(error)))

    Thread(target=run, name="witness", daemon=True).start()
    return answer


# In a thread


def _submit(
    path: Path, witness: str, proof: tuple[int, Sequence[bytes]], size: int, note: str
) -> Answer:
    """Send a checkpoint of `size` leaves to a witness."""
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
    """Return the lines of a witness. One that knows another size is asked again from there."""
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
    """Return the proof from a size that the table has not remembered, by the whole journal."""
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
                break  # records of the table are in no journal, or in those before this one
            elif tree.end > known:
                later.add(record.leaf)
    except JournalDamagedError as damage:
        raise SubmissionError(str(damage)) from damage
    if old is None or later.end != size:
        why = f"has {known} records of this table, and the journal does not contain all since then"
        raise SubmissionError(why)
    return consistency_proof(old, later)
