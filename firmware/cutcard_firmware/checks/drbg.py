"""Checks of Hash_DRBG: the published vectors, and the limits that SP 800-90A sets."""

import json
from binascii import unhexlify

from core.random.drbg import HashDrbg, ReseedRequired
from core.random.known_answer import generator_works
from doubles import raised

ENTROPY = bytes(range(32))
NONCE = bytes(range(16))


def instance(interval=1 << 48, prediction_resistance=False):
    drbg = HashDrbg(interval)
    drbg.instantiate(ENTROPY, NONCE, b"", prediction_resistance)
    return drbg


def output(drbg, size=32, additional=b"", entropy=b""):
    out = bytearray(size)
    drbg.generate(out, additional, entropy)
    return bytes(out)


def check_vectors(kind, expected_count):
    with open("checks/hash_drbg.json") as file:
        vectors = [v for v in json.load(file)["vectors"] if v["kind"] == kind]
    assert len(vectors) == expected_count
    for vector in vectors:
        drbg = HashDrbg()
        drbg.instantiate(
            unhexlify(vector["entropy"]),
            unhexlify(vector["nonce"]),
            unhexlify(vector["personalization"]),
            bool(vector["entropy_pr"]),
        )
        if kind == "reseed":
            drbg.reseed(unhexlify(vector["entropy_reseed"]), unhexlify(vector["additional_reseed"]))
        fresh = vector["entropy_pr"] or ["", ""]
        for i in range(2):
            got = output(drbg, 128, unhexlify(vector["additional"][i]), unhexlify(fresh[i]))
        assert got == unhexlify(vector["returned"])


def test_vectors_without_reseed():
    check_vectors("no-reseed", 4)


def test_vectors_with_reseed():
    check_vectors("reseed", 4)


def test_vectors_with_prediction_resistance():
    check_vectors("prediction-resistance", 4)


def test_known_answer_before_use():
    assert generator_works()


def test_a_request_of_2_to_the_19_bits_is_served_and_one_byte_more_is_refused():
    drbg = instance()
    drbg.generate(bytearray(65536))
    raised(ValueError, drbg.generate, bytearray(65537))


def test_a_short_request_is_the_beginning_of_a_long_one():
    assert output(instance(), 33) == output(instance(), 64)[:33]
    assert output(instance(), 5) == output(instance(), 64)[:5]


def test_the_seed_serves_as_many_requests_as_its_interval():
    drbg = instance(interval=2)
    output(drbg)
    assert not drbg.reseed_due
    output(drbg)
    assert drbg.reseed_due
    raised(ReseedRequired, drbg.generate, bytearray(32))
    drbg.reseed(ENTROPY)
    output(drbg)


def test_the_interval_cannot_pass_the_standards():
    HashDrbg(1 << 48)
    raised(ValueError, HashDrbg, (1 << 48) + 1)
    raised(ValueError, HashDrbg, 0)


def test_prediction_resistance_must_have_been_asked_for():
    raised(ValueError, instance().generate, bytearray(32), b"", ENTROPY)


def test_prediction_resistance_serves_even_when_a_reseed_is_due():
    drbg = instance(interval=1, prediction_resistance=True)
    first = output(drbg, 32, b"", ENTROPY)
    assert output(drbg, 32, b"", ENTROPY) != first


def test_less_entropy_than_the_strength_is_refused():
    drbg = HashDrbg()
    raised(ValueError, drbg.instantiate, ENTROPY[:31], NONCE)
    raised(ValueError, drbg.instantiate, ENTROPY, NONCE[:15])
    raised(ValueError, instance().reseed, ENTROPY[:31])


def test_nothing_works_before_instantiate_or_after_uninstantiate():
    drbg = HashDrbg()
    raised(RuntimeError, drbg.generate, bytearray(32))
    raised(RuntimeError, drbg.reseed, ENTROPY)
    drbg = instance()
    drbg.uninstantiate()
    raised(RuntimeError, drbg.generate, bytearray(32))


def test_uninstantiate_erases_the_state():
    drbg = instance()
    output(drbg)
    drbg.uninstantiate()
    for secret in (drbg._v, drbg._c, drbg._data):
        assert bytes(secret) == bytes(55)
