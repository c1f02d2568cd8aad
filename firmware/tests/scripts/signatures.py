"""Ed25519 and SHA-512: published answers, and forgeries that a lenient check would accept."""

from binascii import hexlify, unhexlify

from core import module_loading
from core.crypto.ed25519 import public_key, sign, verify
from core.crypto.sha512 import sha512
from doubles import raised

ORDER = (1 << 252) + 27742317777372353535851937790883648493
P = (1 << 255) - 19

# RFC 8032, section 7.1: private key, public key, message, signature.
TESTS = (
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555"
        "fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
    (
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
        "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ),
)
SEED = unhexlify(TESTS[1][0])
PUBLIC = unhexlify(TESTS[1][1])
SIGNATURE = unhexlify(TESTS[1][3])
MESSAGE = b"\x72"


def little(number):
    return number.to_bytes(32, "little")


def test_sha512_of_the_standards_messages():
    # FIPS 180-4 and the Secure Hash Standard's examples: empty, short, over one block.
    two_blocks = (
        b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
        b"hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
    )
    for message, digest in (
        (
            b"",
            b"cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
            b"47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
        ),
        (
            b"abc",
            b"ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            b"2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        ),
        (
            two_blocks,
            b"8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
            b"501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909",
        ),
    ):
        assert hexlify(sha512(message)) == digest


def test_sha512_takes_its_message_in_parts():
    message = bytes(i & 255 for i in range(300))
    for cut in (0, 1, 111, 112, 127, 128, 129, 256, 300):
        assert sha512(message[:cut], message[cut:]) == sha512(message)


def test_the_standards_answers():
    for private, public, message, signature in TESTS:
        assert hexlify(public_key(unhexlify(private))).decode() == public
        assert hexlify(sign(unhexlify(private), unhexlify(message))).decode() == signature
        assert verify(unhexlify(public), unhexlify(message), unhexlify(signature))


def test_another_message_key_or_signature_is_refused():
    assert not verify(PUBLIC, b"\x73", SIGNATURE)
    assert not verify(unhexlify(TESTS[0][1]), MESSAGE, SIGNATURE)
    for at in (0, 31, 32, 63):
        wrong = bytearray(SIGNATURE)
        wrong[at] ^= 1
        assert not verify(PUBLIC, MESSAGE, bytes(wrong))


def test_input_of_another_length_is_refused():
    assert not verify(PUBLIC[:31], MESSAGE, SIGNATURE)
    assert not verify(PUBLIC, MESSAGE, SIGNATURE[:63])
    assert not verify(PUBLIC, MESSAGE, SIGNATURE + b"\x00")
    raised(ValueError, sign, SEED[:31], MESSAGE)


def test_a_number_past_the_groups_order_is_refused():
    answer = int.from_bytes(SIGNATURE[32:], "little") + ORDER
    assert not verify(PUBLIC, MESSAGE, SIGNATURE[:32] + little(answer))


def test_a_public_key_of_small_order_is_refused():
    # With the neutral point as key, (neutral, 0) would fit every message. The others are the
    # points of orders 2, 4 and 8.
    octic = 55188659117513257062467267217118295137698188065244968500265048394206261417927
    for y in (1, P - 1, 0, octic, P - octic):
        assert not verify(little(y), MESSAGE, little(1) + bytes(32))


def test_points_in_another_encoding_are_refused():
    for y in (P, P + 1, P + 18, 1 | 1 << 255):
        assert not verify(little(y), MESSAGE, SIGNATURE)
        assert not verify(PUBLIC, MESSAGE, little(y) + SIGNATURE[32:])


def test_bytes_outside_the_curve_are_refused():
    assert not verify(little(2), MESSAGE, SIGNATURE)


def test_unloaded_module_can_be_loaded_again():
    import sys

    module_loading.forget(*module_loading.SIGNATURES)
    assert "core.crypto.ed25519" not in sys.modules
    from core.crypto.ed25519 import public_key as again

    assert again(SEED) == PUBLIC
