"""Checks of the random source: start, seed, mixing, cycling, failure, and erasure."""

import gc
import sys
from hashlib import sha256

import core.random.known_answer
import core.random.source
from core.random.drbg import HashDrbg
from core.random.source import NoiseFailure
from doubles import Noise, Seed, numbers, raised, source, started


class StoppedError(Exception):
    """The power went while the seed was being written."""


class BreakingSeed(Seed):
    def write(self, seed):
        raise StoppedError


def test_no_output_before_the_first_start():
    fresh = source()
    assert fresh.failed == "start-up"
    raised(NoiseFailure, fresh.below, 6)


def test_the_seed_is_replaced_before_the_first_output():
    seed = Seed(b"s" * 32)
    random = started(seed=seed)
    assert seed.log == ["read", "write"]
    assert seed.stored != b"s" * 32
    assert len(seed.stored) == 32
    random.below(6)
    assert seed.log == ["read", "write"]


def test_no_output_when_the_seed_could_not_be_written():
    fresh = source(seed=BreakingSeed(b"s" * 32))
    raised(StoppedError, fresh.restart)
    raised(NoiseFailure, fresh.below, 6)


def test_the_carried_seed_alone_changes_the_output():
    outputs = [numbers(started(seed=Seed(stored))) for stored in (None, b"s" * 32, b"t" * 32)]
    assert outputs[0] != outputs[1]
    assert outputs[1] != outputs[2]
    assert outputs[0] != outputs[2]


def test_the_same_noise_and_seed_on_another_device_or_boot_differ():
    outputs = []
    for personalization in (b"serial 1 boot 1", b"serial 1 boot 2", b"serial 2 boot 1"):
        outputs.append(numbers(started(personalization=personalization)))
    assert outputs[0] != outputs[1]
    assert outputs[1] != outputs[2]
    assert outputs[0] != outputs[2]


def test_a_power_cut_between_read_and_write_does_not_repeat_outputs():
    cut = source(seed=BreakingSeed(b"s" * 32), personalization=b"serial 1 boot 1")
    raised(StoppedError, cut.restart)
    again = numbers(started(seed=Seed(b"s" * 32), personalization=b"serial 1 boot 2"))
    uncut = numbers(started(seed=Seed(b"s" * 32), personalization=b"serial 1 boot 1"))
    assert again != uncut


def test_the_noise_alone_changes_the_output():
    assert numbers(started(Noise("one"))) != numbers(started(Noise("two")))


def test_the_start_is_what_the_documentation_says():
    # An independent account: 1088 samples tested and dropped, 640 for entropy, 640 for nonce.
    noise = Noise()
    samples = bytearray(1088 + 640 + 640)
    noise.fill(samples)
    drbg = HashDrbg()
    drbg.instantiate(
        sha256(samples[1088:1728]).digest(),
        sha256(samples[1728:]).digest(),
        b"\x20" + b"s" * 32 + b"\x00\x00\x00\x01" + b"serial 1 boot 1",
    )
    seed = bytearray(32)
    drbg.generate(seed)
    request = bytearray(256)
    drbg.generate(request)
    store = Seed(b"s" * 32)
    random = started(seed=store)
    assert store.stored == bytes(seed)
    assert [random.below(256) for _ in range(128)] == [request[i] for i in range(0, 256, 2)]


def test_mixing_depends_on_the_hosts_bytes():
    outputs = []
    for entropy in (b"", b"a", b"b"):
        random = started()
        random.mix(entropy)
        outputs.append(numbers(random))
    assert outputs[0] != outputs[1]
    assert outputs[1] != outputs[2]
    assert outputs[0] != outputs[2]


def test_mixing_takes_fresh_noise_too():
    noise = Noise()
    random = started(noise)
    before = noise.taken
    random.mix(b"host")
    assert noise.taken - before == 640


def test_cycling_changes_what_comes_next():
    still, cycled = started(), started()
    assert numbers(still) == numbers(cycled)
    cycled.cycle()
    assert numbers(still) != numbers(cycled)


def test_cycling_takes_one_chunk_of_noise():
    noise = Noise()
    random = started(noise)
    before = noise.taken
    random.cycle()
    assert noise.taken - before == 64


def test_cycling_when_a_reseed_is_due_reseeds_after_the_chunk():
    noise = Noise()
    random = started(noise, reseed_interval=1)
    before = noise.taken
    random.cycle()
    assert noise.taken - before == 64 + 640


def test_a_full_pool_reseeds_as_the_documentation_says():
    # Ten chunks of 64 samples are 320 bits at the claim. The state before is the start's.
    noise, copy = Noise(), Noise()
    random = started(noise)
    samples = bytearray(1088 + 640 + 640)
    copy.fill(samples)
    state = HashDrbg()
    state._v[:] = random._drbg._v
    state._c[:] = random._drbg._c
    state._counter = random._drbg._counter
    pooled = sha256()
    chunk = bytearray(64)
    block = bytearray(32)
    for number in range(10):
        random.cycle()
        copy.fill(chunk)
        pooled.update(chunk)
        if number == 9:
            state.reseed(pooled.digest())
        state.generate(block)
        assert bytes(random._drbg._v) == bytes(state._v), number
    assert random._pooled == 0


def test_a_restart_and_a_failure_empty_the_pool():
    random = started(Noise(good_for=2 * (1088 + 2 * 640) + 2 * 64))
    random.cycle()
    assert random._pooled == 64
    random.restart()
    assert random._pooled == 0
    random.cycle()
    raised(NoiseFailure, random.mix, b"host")
    assert random._pooled == 0


def test_a_reseed_comes_every_so_many_requests():
    noise = Noise()
    random = started(noise, reseed_interval=4)  # the seed at the start was the first request
    before = noise.taken
    for _ in range(3 * 128):
        random.below(256)
    assert noise.taken == before
    random.below(256)
    assert noise.taken - before == 640


def test_prediction_resistance_takes_noise_for_every_request():
    noise = Noise()
    random = started(noise, prediction_resistance=True)
    before = noise.taken
    for _ in range(2 * 128):
        random.below(256)
    assert noise.taken - before == 2 * 640


def test_carrying_replaces_the_seed_by_one_of_the_present_state():
    seed = Seed()
    random = started(seed=seed)
    first = seed.stored
    random.carry()
    assert seed.stored != first
    assert seed.log == ["read", "write", "write"]


def test_each_byte_is_erased_as_it_is_read():
    random = started()
    for _ in range(3):
        random.below(6)
    assert bytes(random._buffer[: random._at]) == bytes(random._at)
    assert bytes(random._buffer[random._at :]) != bytes(256 - random._at)


def test_mixing_and_cycling_erase_the_rest_of_the_buffer():
    for act in (lambda random: random.mix(b"host"), lambda random: random.cycle()):
        random = started()
        random.below(6)
        act(random)
        assert bytes(random._buffer) == bytes(256)
        assert bytes(random._samples) == bytes(64)


def test_stuck_noise_at_start_up_names_the_start_up_test():
    fresh = source(Noise(good_for=100))
    failure = raised(NoiseFailure, fresh.restart)
    assert failure.args[0] == "start-up"
    assert fresh.failed == "start-up"
    assert fresh._health.failed == "repetition-count"


def test_leaning_noise_at_start_up_names_the_start_up_test():
    fresh = source(Noise("leaning", ones=224))
    raised(NoiseFailure, fresh.restart)
    assert fresh.failed == "start-up"
    assert fresh._health.failed == "adaptive-proportion"


def test_periodic_noise_at_start_up_names_the_start_up_test():
    class Alternating:
        def fill(self, buf):
            for i in range(len(buf)):
                buf[i] = i & 1

    fresh = source(Alternating())
    raised(NoiseFailure, fresh.restart)
    assert fresh.failed == "start-up"
    assert fresh._health.failed == "lag"


def test_noise_that_sticks_after_start_up_names_the_continuous_test():
    fresh = source(Noise(good_for=1088))
    raised(NoiseFailure, fresh.restart)
    assert fresh.failed == "repetition-count"


def test_a_generator_that_gives_a_wrong_answer_never_starts():
    fresh = source()
    core.random.known_answer.generator_works = lambda: False
    raised(NoiseFailure, fresh.restart)
    assert fresh.failed == "known-answer"
    raised(NoiseFailure, fresh.below, 6)


def test_a_failure_latches_and_erases_everything():
    random = started(Noise(good_for=1088 + 2 * 640))
    random.below(6)
    raised(NoiseFailure, random.mix, b"host")
    assert random.failed == "repetition-count"
    for call in (lambda: random.below(6), lambda: random.below(1), lambda: random.mix(b"")):
        raised(NoiseFailure, call)
    raised(NoiseFailure, random.cycle)
    raised(NoiseFailure, random.carry)
    assert bytes(random._buffer) == bytes(256)
    assert bytes(random._drbg._v) == bytes(55)


def test_a_restart_after_repair_gives_new_output():
    noise = Noise(good_for=1088 + 2 * 640)
    seed = Seed()
    random = started(noise, seed)
    before = numbers(random)
    raised(NoiseFailure, random.mix, b"host")
    raised(NoiseFailure, random.restart)
    noise.repair()
    random.restart()
    assert random.failed == ""
    assert numbers(random) != before


def test_two_starts_within_one_boot_differ_even_on_the_same_noise_and_seed():
    first, second = started(), source()
    second._starts = 1
    second.restart()
    assert numbers(first) != numbers(second)


def heap_in_use():
    gc.collect()
    if hasattr(gc, "mem_alloc"):
        return gc.mem_alloc()
    return sys.getallocatedblocks()


def test_drawing_and_cycling_leak_nothing():
    if sys.platform == "webassembly":
        return  # there a collection waits until the program ends: leaks cannot be measured
    random = started(reseed_interval=16)
    for _ in range(300):
        random.below(312)
    random.cycle()
    before = heap_in_use()
    for _ in range(20):
        for _ in range(100):
            random.below(312)
            random.below(1 << 32)
        random.cycle()
        random.mix(b"host")
    # CPython counts blocks, and its own caches vary by a few; a leak for each draw is thousands.
    assert heap_in_use() - before < (1 if hasattr(gc, "mem_alloc") else 100)
