"""A witness by C2SP tlog-witness: it only cosigns a tree that grows."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

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
from cutcard.transparency.witness import Witness
from tests.transparency.served_witness import served

NOW = 1_763_500_000


class Signer:
    def __init__(self, name: str, *, cosigns: bool = False) -> None:
        self.private = Ed25519PrivateKey.generate()
        self.key = VerifierKey(name, self.private.public_key().public_bytes_raw(), cosigns)

    def note(self, tree: Leaves) -> str:
        checkpoint = Checkpoint(self.key.name, tree.end, tree.root())
        return signed_note(checkpoint, self.key, self.private.sign)


LOG = Signer("cutcard/table/seven")
HOUSE = Signer("house.example/witness", cosigns=True)


@pytest.fixture
def witness(tmp_path: Path) -> Witness:
    return Witness(
        tmp_path / "witness", HOUSE.key, HOUSE.private.sign, [LOG.key], clock=lambda: NOW
    )


def grown(size: int, begin: int = 0, salt: bytes = b"") -> Leaves:
    tree = Leaves(begin)
    for number in range(begin, size):
        tree.add(leaf_hash(salt + bytes((number,))))
    return tree


def request(note: str, old: int = 0, proof: Sequence[bytes] = ()) -> bytes:
    lines = "".join(f"{b64encode(each).decode()}\n" for each in proof)
    return f"old {old}\n{lines}\n{note}".encode()


def test_a_tree_that_grows_is_cosigned(witness: Witness) -> None:
    first = witness.add_checkpoint(request(LOG.note(grown(3))))
    proof = consistency_proof(grown(3), grown(8, begin=3))
    note = LOG.note(grown(8))
    second = witness.add_checkpoint(request(note, 3, proof))
    assert (first.status, second.status) == (200, 200)
    found = parsed(note + second.body).cosignature(HOUSE.key)
    assert found is not None
    assert (found.witness, found.time) == ("house.example/witness", NOW)
    kept = parsed(witness.path_of(LOG.key.name).read_text("utf-8"))
    assert kept.checkpoint.size == 8
    assert kept.is_signed_by(LOG.key)
    assert kept.cosignature(HOUSE.key) == found


def test_another_tree_of_the_same_size_is_refused(witness: Witness) -> None:
    witness.add_checkpoint(request(LOG.note(grown(3))))
    reply = witness.add_checkpoint(request(LOG.note(grown(3, salt=b"other")), 3))
    assert (reply.status, reply.body, reply.kind) == (409, "3\n", "text/x.tlog.size")


def test_a_tree_that_does_not_continue_the_last_one_is_refused(witness: Witness) -> None:
    witness.add_checkpoint(request(LOG.note(grown(3))))
    other = grown(8, salt=b"other")
    proof = consistency_proof(grown(3, salt=b"other"), grown(8, begin=3, salt=b"other"))
    assert witness.add_checkpoint(request(LOG.note(other), 3, proof)).status == 422
    assert witness.add_checkpoint(request(LOG.note(grown(8)), 3)).status == 422


def test_a_shorter_tree_is_refused_with_the_known_size(witness: Witness) -> None:
    witness.add_checkpoint(request(LOG.note(grown(8))))
    reply = witness.add_checkpoint(request(LOG.note(grown(3))))
    assert (reply.status, reply.body) == (409, "8\n")
    assert witness.add_checkpoint(request(LOG.note(grown(3)), 8)).status == 400


def test_an_unknown_tree_and_a_wrong_signature_are_refused(witness: Witness) -> None:
    stranger = Signer("cutcard/table/eight")
    impostor = Signer(LOG.key.name)
    assert witness.add_checkpoint(request(stranger.note(grown(3)))).status == 404
    assert witness.add_checkpoint(request(impostor.note(grown(3)))).status == 403
    assert not witness.path_of(LOG.key.name).exists()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff",
        b"old 0\n",
        b"old -1\n\n",
        b"old 00\n\n",
        b"old 0\nAAAA\n\n",
        b"old 0\n" + b"AAAA\n" * 64 + b"\n",
        b"old 0\n\norigin\n3\nAAAA\n\nx\n",
        b"x" * 65_537,
    ],
)
def test_a_malformed_request_is_refused(witness: Witness, body: bytes) -> None:
    assert witness.add_checkpoint(body).status == 400


def test_a_witness_answers_over_http(witness: Witness) -> None:
    note = LOG.note(grown(3))
    with served(witness) as url:
        lines = add_checkpoint(url, 0, (), note)
        with pytest.raises(SubmissionError) as refused:
            add_checkpoint(f"{url}/", 0, (), LOG.note(grown(5)))
        with pytest.raises(SubmissionError, match="answers 404"):
            add_checkpoint(f"{url}/other", 0, (), note)
    assert cosignature_of(note, lines, HOUSE.key) == lines
    assert refused.value.known == 3
    with pytest.raises(SubmissionError, match="does not answer"):
        add_checkpoint(url, 0, (), note)


def test_the_cosignature_of_another_witness_is_not_taken(witness: Witness) -> None:
    note = LOG.note(grown(3))
    lines = witness.add_checkpoint(request(note)).body
    other = Signer("house.example/witness", cosigns=True)
    with pytest.raises(BadCheckpointError, match="no valid cosignature"):
        cosignature_of(note, lines, other.key)


def test_an_archive_returns_the_notes_that_it_was_given(tmp_path: Path) -> None:
    notes = [LOG.note(grown(size)) for size in (1, 2, 5)]
    for note in notes:
        archive(tmp_path / "notes", note)
    assert archived((tmp_path / "notes").read_text("utf-8")) == notes
    assert archived(notes[0]) == notes[:1]
    with pytest.raises(SubmissionError, match="cannot be written"):
        archive(tmp_path / "missing" / "notes", notes[0])


def test_a_printed_key_is_read_unchanged() -> None:
    assert VerifierKey.parse(f"{HOUSE.key}\n") == HOUSE.key
    assert VerifierKey.parse(str(LOG.key)) == LOG.key


@pytest.mark.parametrize(
    "text",
    ["", "name", "name+00000000+AAAA", str(LOG.key).replace("seven", "eight")],
    ids=["empty", "only a name", "wrong hash", "another name"],  # the key is new in each worker
)
def test_a_malformed_key_is_rejected(text: str) -> None:
    with pytest.raises(BadCheckpointError, match="is not"):
        VerifierKey.parse(text)


def test_the_example_of_the_specification_is_read() -> None:
    """From C2SP tlog-cosignature."""
    note = (
        "example.com/behind-the-sofa\n20852163\n"
        "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
        "— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5"
        "/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
        "— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJs"
        "X3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n"
    )
    found = parsed(note)
    assert found.checkpoint.size == 20852163
    _, (name, _, value) = found.signatures
    assert (name, int.from_bytes(value[:8], "big")) == ("witness.example.com/w1", 1679315147)
