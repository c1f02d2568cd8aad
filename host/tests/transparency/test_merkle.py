"""The tree of RFC 6962: known roots, and proofs compared with the definitions of the RFC."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutcard.transparency.merkle import EMPTY, Leaves, consistency_proof, is_consistent, leaf_hash

# The tree of certificate-transparency-go and of Trillian: leaves, and the root after each.
KNOWN = [
    ("", "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
    ("00", "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
    ("10", "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
    ("2021", "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"),
    ("3031", "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"),
    ("40414243", "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"),
    ("5051525354555657", "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"),
    (
        "606162636465666768696a6b6c6d6e6f",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ),
]
SIZES = st.integers(0, 70)


def leaves(count: int) -> list[bytes]:
    return [leaf_hash(bytes((number,))) for number in range(count)]


def tree(hashes: list[bytes], begin: int = 0) -> Leaves:
    found = Leaves(begin)
    for each in hashes:
        found.add(each)
    return found


def split(count: int) -> int:
    return 1 << ((count - 1).bit_length() - 1)


def root_of(hashes: list[bytes]) -> bytes:
    """Return MTH of RFC 6962, 2.1."""
    if len(hashes) < 2:
        return hashes[0] if hashes else EMPTY
    k = split(len(hashes))
    return sha256(b"\1" + root_of(hashes[:k]) + root_of(hashes[k:])).digest()


def proof_of(m: int, hashes: list[bytes], whole: bool = True) -> list[bytes]:
    """Return SUBPROOF of RFC 6962, 2.1.2."""
    if m == len(hashes):
        return [] if whole else [root_of(hashes)]
    k = split(len(hashes))
    if m <= k:
        return [*proof_of(m, hashes[:k], whole), root_of(hashes[k:])]
    return [*proof_of(m - k, hashes[k:], False), root_of(hashes[:k])]


def test_known_leaves_have_the_known_roots() -> None:
    found = Leaves()
    for leaf, root in KNOWN:
        found.add(leaf_hash(bytes.fromhex(leaf)))
        assert found.root().hex() == root


@given(SIZES)
def test_a_root_equals_the_definition(count: int) -> None:
    assert tree(leaves(count)).root() == root_of(leaves(count))


@given(SIZES, SIZES)
def test_a_stored_tree_continues_as_the_original(before: int, more: int) -> None:
    first = tree(leaves(before))
    again = Leaves.tree_of(first.end, first.hashes)
    for each in leaves(more):
        again.add(each)
    assert again.root() == root_of(leaves(before) + leaves(more))


@given(SIZES, SIZES)
def test_a_proof_equals_the_definition_and_verifies(old: int, more: int) -> None:
    all_leaves = leaves(old + more)
    proof = consistency_proof(tree(all_leaves[:old]), tree(all_leaves[old:], begin=old))
    assert proof == (proof_of(old, all_leaves) if old else [])
    assert is_consistent(old, root_of(all_leaves[:old]), old + more, root_of(all_leaves), proof)


@given(st.integers(1, 70), st.integers(1, 70), st.data())
def test_a_changed_proof_or_root_does_not_verify(old: int, more: int, data: st.DataObject) -> None:
    all_leaves = leaves(old + more)
    proof = proof_of(old, all_leaves)
    said = [root_of(all_leaves[:old]), root_of(all_leaves), *proof]
    at = data.draw(st.integers(0, len(said) - 1))
    said[at] = sha256(said[at]).digest()
    assert not is_consistent(old, said[0], old + more, said[1], said[2:])


@given(st.integers(1, 40), st.integers(1, 40))
def test_a_shorter_or_longer_proof_does_not_verify(old: int, more: int) -> None:
    all_leaves = leaves(old + more)
    roots = root_of(all_leaves[:old]), root_of(all_leaves)
    proof = proof_of(old, all_leaves)
    for other in (proof[:-1], [*proof, bytes(32)]):
        assert not is_consistent(old, roots[0], old + more, roots[1], other)


@pytest.mark.parametrize(
    ("size", "hashes"), [(3, [bytes(32)]), (1, [bytes(31)]), (-1, []), (2**63, [bytes(32)])]
)
def test_hashes_that_do_not_fit_a_size_are_rejected(size: int, hashes: list[bytes]) -> None:
    with pytest.raises(ValueError, match="tree"):
        Leaves.tree_of(size, hashes)


def test_leaves_that_begin_later_have_no_root() -> None:
    with pytest.raises(ValueError, match="not known"):
        Leaves(4).root()
