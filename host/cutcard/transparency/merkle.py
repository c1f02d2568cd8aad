"""The Merkle tree of RFC 6962, stored as the hashes of its largest complete subtrees.

Appending to a tree of n leaves needs log n hashes, so a journal can store them in a record. A
consistency proof needs two `Leaves`: up to an earlier size, and from that size to a later one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

HASH = 32  # bytes
EMPTY = sha256().digest()  # the root of a tree without leaves
MOST_PROOF = 63  # maximum number of hashes in a consistency proof


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf."""
    return sha256(b"\0" + data).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()


class Leaves:
    """The leaves from `begin` up to, not including, `end`, as hashes of complete subtrees."""

    def __init__(self, begin: int = 0) -> None:
        self.begin = self.end = begin
        self._hashes: list[bytes] = []

    @classmethod
    def tree_of(cls, size: int, hashes: Sequence[bytes]) -> Leaves:
        """Return a tree with `size` leaves. Raises ValueError if the hashes do not fit the size."""
        return cls.between(0, size, hashes)

    @classmethod
    def between(cls, begin: int, end: int, hashes: Sequence[bytes]) -> Leaves:
        """Return the leaves from `begin` to `end` with these hashes of subtrees.

        Raises ValueError if the bounds are invalid or the hashes do not fit them.
        """
        if type(begin) is not int or type(end) is not int or not 0 <= begin <= end < 2**63:
            raise ValueError(f"a tree has no leaves from {begin} to {end}")
        if any(len(each) != HASH for each in hashes):
            raise ValueError(f"a hash of a tree has {HASH} bytes")
        leaves = cls(begin)
        leaves.end, leaves._hashes = end, list(hashes)
        if len(list(leaves._places())) != len(hashes):
            raise ValueError(f"{len(hashes)} hashes are not those of a tree of {end} leaves")
        return leaves

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> Leaves:
        """Load the tree from `to_json`. Raises KeyError, TypeError or ValueError if malformed."""
        return cls.tree_of(said["size"], [bytes.fromhex(each) for each in said["hashes"]])

    def to_json(self) -> dict[str, Any]:
        """Return the size and the hashes of a tree as JSON values."""
        return {"size": self.end, "hashes": [each.hex() for each in self._hashes]}

    @property
    def hashes(self) -> tuple[bytes, ...]:
        """Return the hashes of the largest complete subtrees, from the first leaf to the last."""
        return tuple(self._hashes)

    def copy(self) -> Leaves:
        """Return an independent copy."""
        other = Leaves(self.begin)
        other.end, other._hashes = self.end, list(self._hashes)
        return other

    def add(self, leaf: bytes) -> None:
        """Append the hash of a leaf."""
        self._hashes.append(leaf)
        index, level = self.end, 0
        while index & 1 and (index - 1) << level >= self.begin:
            right = self._hashes.pop()
            self._hashes.append(_node(self._hashes.pop(), right))
            index, level = index >> 1, level + 1
        self.end += 1

    def root(self) -> bytes:
        """Return the root of the tree of all leaves. Raises ValueError unless `begin` is 0."""
        if self.begin:
            raise ValueError(f"the leaves before {self.begin} are not known")
        return self.root_of(0, self.end)

    def root_of(self, first: int, end: int) -> bytes:
        """Return the root of the leaves from `first` to `end`. Both must be bounds of subtrees."""
        found = [
            each
            for (at, size), each in zip(self._places(), self._hashes, strict=True)
            if first <= at and at + size <= end
        ]
        if not found:
            return EMPTY
        root = found.pop()
        while found:
            root = _node(found.pop(), root)
        return root

    def _places(self) -> Iterator[tuple[int, int]]:
        """Yield the first leaf and the number of leaves of each complete subtree."""
        at = self.begin
        while at < self.end:
            size = 1 << ((self.end - at).bit_length() - 1)
            if at:
                size = min(size, at & -at)
            yield at, size
            at += size


def consistency_proof(old: Leaves, later: Leaves) -> list[bytes]:
    """Return the proof of RFC 6962, 2.1.2, that the combined tree begins with the tree `old`.

    Raises ValueError unless `old` begins with leaf 0 and `later` begins at the end of `old`.
    """
    if old.begin or old.end != later.begin:
        raise ValueError(f"leaves from {later.begin} do not follow a tree of {old.end}")
    size, first, end = old.end, 0, later.end
    proof: list[bytes] = []
    while size and end != size:
        middle = first + (1 << (end - first - 1).bit_length() - 1)
        if size <= middle:
            proof.append(later.root_of(middle, end))
            end = middle
        else:
            proof.append(old.root_of(first, middle))
            first = middle
    if first:
        proof.append(old.root_of(first, end))
    return proof[::-1]


def is_consistent(
    old_size: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]
) -> bool:
    """Return whether the proof shows that the tree of `root` begins with the tree of `old_root`.

    RFC 9162, 2.1.4.2, defines the algorithm, for the same trees.
    """
    if not 0 <= old_size <= size or len(proof) > MOST_PROOF:
        return False
    if old_size in (0, size):
        return not proof and (old_root == root if old_size else old_root == EMPTY)
    path = list(proof)
    if old_size & (old_size - 1) == 0:
        path.insert(0, old_root)
    if not path:
        return False
    before, last = old_size - 1, size - 1
    while before & 1:
        before, last = before >> 1, last >> 1
    old = new = path[0]
    for each in path[1:]:
        if last == 0:
            return False
        if before & 1 or before == last:
            old, new = _node(each, old), _node(each, new)
            while before and not before & 1:
                before, last = before >> 1, last >> 1
        else:
            new = _node(new, each)
        before, last = before >> 1, last >> 1
    return last == 0 and (old, new) == (old_root, root)
