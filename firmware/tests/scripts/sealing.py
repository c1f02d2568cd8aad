"""Keys, proofs, tags and cipher, against known answers and against changes."""

from binascii import hexlify

from core.crypto.session_keys import Mac, Session, equal, proof, transcript

KEY = bytes(range(32))
SAID = transcript(b"hello", b"welcome", b"entropy")


def test_the_mac_is_hmac_sha256():
    # RFC 4231, test case 2: a key shorter than a block.
    digest = Mac(b"Jefe").digest(b"what do ya want ", b"for nothing?")
    assert hexlify(digest) == b"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"


def test_the_mac_of_a_prefix_ignores_later_bytes():
    mac, data, out = Mac(KEY), bytes(range(200)), bytearray(32)
    for size in (0, 8, 55, 56, 64, 119, 120, 200):
        mac.over(data, size, out)
        assert bytes(out) == mac.digest(data[:size])


def test_a_sealed_payload_is_unsealed():
    for size in (0, 1, 31, 32, 33, 64, 200):
        payload = bytes(i & 255 for i in range(size))
        body = Session(KEY, SAID, b"host").seal(0x10, 7, payload)
        assert Session(KEY, SAID, b"host").unseal(body) == (0x10, 7, payload)


def test_precomputed_keystream_changes_no_byte():
    for payload in (b"", b"deal", bytes(range(100))):
        for counter in (6, 7, 8):
            session = Session(KEY, SAID, b"host")
            session.look_ahead(7)
            body = session.seal(0x10, counter, payload)
            assert body == Session(KEY, SAID, b"host").seal(0x10, counter, payload)
            assert session.unseal(body) == (0x10, counter, payload)


def test_an_ended_session_holds_no_precomputed_keystream():
    session = Session(KEY, SAID, b"host")
    session.look_ahead(7)
    body = session.seal(0x10, 7, bytes(100))
    session.wipe()
    assert not any(session.ahead)
    assert not any(session.hashed)
    assert session.seal(0x10, 7, bytes(100)) != body


def test_no_payload_is_sent_in_the_clear_at_any_counter():
    for counter in (0, 1):
        assert b"deal" not in Session(KEY, SAID, b"host").seal(0x10, counter, b"deal")


def test_any_changed_bit_breaks_the_seal():
    body = Session(KEY, SAID, b"host").seal(0x10, 7, b"deal")
    session = Session(KEY, SAID, b"host")
    for at in range(len(body)):
        for bit in range(8):
            wrong = bytearray(body)
            wrong[at] ^= 1 << bit
            assert session.unseal(bytes(wrong)) is None


def test_any_shortened_frame_breaks_the_seal():
    body = Session(KEY, SAID, b"host").seal(0x10, 7, b"deal")
    session = Session(KEY, SAID, b"host")
    for size in range(len(body)):
        assert session.unseal(body[:size]) is None


def test_other_direction_session_and_key_do_not_unseal():
    body = Session(KEY, SAID, b"host").seal(0x10, 7, b"deal")
    other = transcript(b"hello", b"welcome", b"other")
    assert Session(KEY, SAID, b"device").unseal(body) is None
    assert Session(KEY, other, b"host").unseal(body) is None
    assert Session(bytes(32), SAID, b"host").unseal(body) is None


def test_equal_payloads_are_sealed_differently():
    session = Session(KEY, SAID, b"device")
    seen = set()
    for counter in range(100):
        seen.add(session.seal(0x12, counter, b"\x00" * 8)[5:13])
    assert len(seen) == 100


def test_a_proof_cannot_be_reflected():
    assert proof(KEY, b"host", SAID) != proof(KEY, b"device", SAID)


def test_comparing_needs_equal_lengths_and_bytes():
    assert equal(b"abc", b"abc")
    assert not equal(b"abc", b"abd")
    assert not equal(b"abc", b"ab")
