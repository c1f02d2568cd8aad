"""Checks of an attacker with a copy of the entire state of a random source at one moment.

Backtracking resistance: the copy reveals no earlier draw. Prediction resistance: it reveals no draw
after fresh noise was mixed in, even if the host's bytes are known.
"""

from core.random.drbg import HashDrbg
from doubles import Noise, started

WINDOW = 8  # consecutive bytes that do not match by chance


class Thief:
    """A copy of the entire state of a source, without its future noise."""

    def __init__(self, source):
        self.drbg = HashDrbg()
        self.drbg._v[:] = source._drbg._v
        self.drbg._c[:] = source._drbg._c
        self.drbg._counter = source._drbg._counter
        self.pooled = source._pooled  # of the pool, too, all is known
        self.held = bytes(source._buffer) + bytes(source._samples) + bytes(source._drbg._data)

    def predict(self, size):
        """Return the next output without new noise, beginning with the rest of the buffer."""
        out = bytearray(size)
        self.drbg.generate(out)
        return bytes(out)

    def reseeded_with_a_guess(self, host):
        """Return the output after a reseed with guessed noise."""
        self.drbg.reseed(bytes(32), host)


def drawn(source, size):
    return bytes(source.take(1) for _ in range(size))


def share(known, output):
    """Return whether any window of the output is in the known bytes."""
    return any(output[i : i + WINDOW] in known for i in range(0, len(output) - WINDOW, WINDOW))


def test_a_thief_predicts_all_output_without_fresh_noise():
    # The other tests are only meaningful with this result.
    source = started()
    drawn(source, 256)
    assert Thief(source).predict(512)[:256] == drawn(source, 256)


def test_a_thief_finds_nothing_that_was_drawn_before():
    source = started()
    past = drawn(source, 700)  # the last request is used in part only
    thief = Thief(source)
    state = bytes(thief.drbg._v) + bytes(thief.drbg._c) + thief.held
    assert not share(state, past)
    assert not share(thief.predict(4096), past)


def test_the_state_before_a_request_is_nowhere_after_it():
    source = started()
    before = bytes(source._drbg._v)
    drawn(source, 256)
    thief = Thief(source)
    assert bytes(thief.drbg._v) != before
    assert before not in thief.held


def test_a_thief_knows_nothing_after_the_host_came():
    source = started()
    drawn(source, 256)
    thief = Thief(source)
    source.mix(b"known to the thief")
    thief.reseeded_with_a_guess(b"known to the thief")
    assert not share(thief.predict(4096), drawn(source, 1024))


def test_a_thief_knows_nothing_after_a_reseed_that_came_by_itself():
    source = started(reseed_interval=4)
    drawn(source, 256)
    thief = Thief(source)
    drawn(source, 2 * 256)  # the last that the old seed serves
    assert not share(thief.predict(4096), drawn(source, 256))


def test_a_thief_follows_cycles_until_the_pool_is_full():
    # Ten chunks of 64 samples are 320 bits at the claim of 0.5: nine are not added yet.
    source = started()
    drawn(source, 256)
    thief = Thief(source)
    for _ in range(9):
        source.cycle()
        thief.drbg.generate(bytearray(32))
    assert thief.predict(256) == drawn(source, 256)


def test_a_thief_of_half_a_pool_knows_nothing_after_the_next_whole_one():
    # The half that was pooled before is known. Ten more chunks after the reseed are not.
    source = started()
    for _ in range(5):
        source.cycle()
    thief = Thief(source)
    for _ in range(15):
        source.cycle()
        thief.drbg.generate(bytearray(32))
    assert not share(thief.predict(4096), drawn(source, 1024))


def test_a_thief_must_guess_a_whole_pool_at_once():
    source = started()
    drawn(source, 256)
    thief = Thief(source)
    for _ in range(10):
        source.cycle()
        thief.drbg.generate(bytearray(32))
    assert not share(thief.predict(4096), drawn(source, 1024))


def test_a_thief_knows_nothing_after_a_power_cut():
    source = started(Noise("one"))
    drawn(source, 256)
    thief = Thief(source)
    again = started(Noise("two"), source._seed, b"serial 1 boot 2")
    assert not share(thief.predict(4096), drawn(again, 1024))


def test_with_prediction_resistance_a_thief_knows_nothing_after_the_buffer():
    source = started(prediction_resistance=True)
    drawn(source, 256)
    thief = Thief(source)
    assert not share(thief.predict(4096), drawn(source, 1024))
