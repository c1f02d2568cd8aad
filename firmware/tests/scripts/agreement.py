"""X25519: published answers, and agreement between two parties with private numbers."""

from binascii import hexlify, unhexlify

from core.crypto.x25519 import BASE, times

# RFC 7748, section 5.2: scalar, x of the point, x of the product.
TESTS = (
    (
        "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
        "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
        "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
    ),
    (
        "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
        "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
        "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
    ),
)


def product(secret, point):
    """Return the number, and the number of pieces of its computation."""
    work = times(secret, point)
    pieces = 0
    try:
        while True:
            next(work)
            pieces += 1
    except StopIteration as end:
        return end.value, pieces


def test_published_answers():
    for scalar, point, wanted in TESTS:
        found, _ = product(unhexlify(scalar), unhexlify(point))
        assert hexlify(found).decode() == wanted


def test_nine_times_nine_is_published_too():
    """Section 5.2, the first of the iterated tests."""
    found, _ = product(BASE, BASE)
    wanted = "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"
    assert hexlify(found).decode() == wanted


def test_two_parties_agree_on_a_secret():
    one, other = bytes(range(32)), bytes(range(100, 132))
    public_one, public_other = product(one, BASE)[0], product(other, BASE)[0]
    assert product(one, public_other)[0] == product(other, public_one)[0]
    assert public_one != public_other


def test_the_number_of_pieces_is_constant():
    """The main loop runs between the pieces, and their number reveals no secret."""
    counts = {product(secret, BASE)[1] for secret in (bytes(32), b"\xff" * 32, bytes(range(32)))}
    assert counts == {4}


def test_a_number_beyond_the_field_is_taken_modulo_it():
    """As the RFC requires: 2^255 - 19 + 9 is nine, with the top bit set or not."""
    beyond = ((1 << 255) - 19 + 9).to_bytes(32, "little")
    assert product(bytes(range(32)), beyond) == product(bytes(range(32)), BASE)
    masked = bytes(31) + b"\x80"
    nine = bytes(a | b for a, b in zip(BASE, masked))
    assert product(bytes(range(32)), nine) == product(bytes(range(32)), BASE)
