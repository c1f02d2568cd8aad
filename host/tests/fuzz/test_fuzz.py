"""A minute of fuzzing in all, and every input that ever reached new code or broke something.

`make soak` gives it an hour. An input that breaks a target is minimised, mended, and put into
`corpus/TARGET/` under a name that says what was wrong.
"""

from __future__ import annotations

import resource
from random import Random

import pytest

from tests.fuzz import run
from tests.fuzz.planted import planted
from tests.fuzz.run import CORPUS, FOUND, by_chance, corpus, guided, has_engine, mutated
from tests.fuzz.targets import TARGETS

SECONDS = 60
FINDING_SECONDS = 600  # at the most: the engine ends with what it finds, late on a busy computer
MOST_CORPUS_BYTES = 1_000_000


@pytest.mark.parametrize("name", TARGETS)
def test_every_kept_input_ends_well_or_in_a_named_error(name: str) -> None:
    for data in corpus(name):
        TARGETS[name].run(data)


@pytest.mark.parametrize("name", TARGETS)
def test_new_inputs_end_well_or_in_a_named_error(name: str) -> None:
    seconds = max(1, SECONDS // len(TARGETS) - 1)  # one goes to getting ready
    seed = Random().randrange(1, 1 << 31)  # noted in what is printed: another each time
    print(f"seed {seed}")
    if has_engine():
        assert guided(name, corpus(name), seconds, seed)
    else:
        by_chance(name, seconds, seed)


needs_engine = pytest.mark.skipif(
    not has_engine(), reason="atheris has no wheel here: inputs are changed by chance"
)


@needs_engine
@pytest.mark.parametrize(("fault", "says"), [("planted", "KeyError"), ("greedy", "MemoryError")])
def test_a_planted_fault_is_found_by_following_the_code(
    fault: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not guided(fault, [b"-----"], FINDING_SECONDS, seed=1)
    assert says in capsys.readouterr().out
    for file in FOUND.glob(f"{fault}-*"):
        file.unlink()


@needs_engine
def test_what_the_tests_before_took_is_not_the_targets_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A process begins with the peak of whoever started it, as `getrusage` tells."""
    megabytes = 500
    monkeypatch.setattr(run, "MOST_MEGABYTES", megabytes)
    peak = bytearray(megabytes << 20)
    peak[:: resource.getpagesize()] = b"\1" * (len(peak) // resource.getpagesize())
    del peak
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > megabytes << 10
    assert guided("frames", corpus("frames"), 2, seed=1)


def test_chance_finds_a_fault_one_step_deep() -> None:
    random = Random(1)
    with pytest.raises(KeyError, match="planted"):
        _try(random, 100_000)


def _try(random: Random, times: int) -> None:
    for _ in range(times):
        planted(mutated(random, b"cu-ff", b"t-t-t"))


def test_the_corpus_is_small() -> None:
    size = sum(file.stat().st_size for file in CORPUS.rglob("*") if file.is_file())
    assert size < MOST_CORPUS_BYTES


def test_every_kept_input_belongs_to_a_target() -> None:
    assert {folder.name for folder in CORPUS.iterdir()} <= set(TARGETS)
