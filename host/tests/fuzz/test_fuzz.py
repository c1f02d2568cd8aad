"""Fuzz each target briefly, and replay every input that reached new code or broke a target.

The inputs are the same in every run; `--explore TIMES` tries others. `make soak` fuzzes for an
hour. Minimise an input that breaks a target, fix the cause, and add the input to `corpus/TARGET/`
under a name that describes the fault.
"""

from __future__ import annotations

import random
import resource
from random import Random

import pytest

from tests.fuzz import run
from tests.fuzz.planted import planted
from tests.fuzz.run import CORPUS, FOUND, by_chance, corpus, guided, has_engine, mutated
from tests.fuzz.targets import TARGETS, Target

RUNS = 500  # inputs for each target
FINDING_SECONDS = 600  # at most: the engine stops at its first finding, late on a busy computer
MOST_CORPUS_BYTES = 1_000_000


@pytest.mark.parametrize("name", TARGETS)
def test_stored_inputs_return_or_raise_documented_errors(name: str) -> None:
    for data in corpus(name):
        TARGETS[name].run(data)


@pytest.mark.parametrize("name", TARGETS)
def test_new_inputs_return_or_raise_documented_errors(
    name: str, pytestconfig: pytest.Config
) -> None:
    runs = RUNS * max(1, pytestconfig.getoption("explore"))
    seed = random.randrange(1, 1 << 31)  # seeded by pytest-randomly, which prints its seed
    print(f"seed {seed}, {runs} inputs")
    if has_engine():
        assert guided(name, corpus(name), seed, runs=runs)
    else:
        by_chance(name, seed, runs=runs)


def test_the_same_seed_gives_the_same_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs: list[list[bytes]] = []
    monkeypatch.setitem(
        TARGETS, "noted", Target(lambda data: inputs[-1].append(data), lambda: [b"a"])
    )
    for seed in (1, 1, 2):
        inputs.append([])
        by_chance("noted", seed, runs=50)
    assert [len(tried) for tried in inputs] == [50, 50, 50]
    assert inputs[0] == inputs[1] != inputs[2]


needs_engine = pytest.mark.skipif(
    not has_engine(), reason="atheris has no wheel here: inputs are changed by chance"
)


@needs_engine
@pytest.mark.parametrize(("fault", "says"), [("planted", "KeyError"), ("greedy", "MemoryError")])
def test_guided_search_finds_a_planted_fault(
    fault: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not guided(fault, [b"-----"], seed=1, seconds=FINDING_SECONDS)
    assert says in capsys.readouterr().out
    for file in FOUND.glob(f"{fault}-*"):
        file.unlink()


@needs_engine
def test_memory_of_earlier_tests_does_not_count_for_a_target(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A process inherits the memory peak of its parent in `getrusage`."""
    megabytes = 500
    monkeypatch.setattr(run, "MOST_MEGABYTES", megabytes)
    peak = bytearray(megabytes << 20)
    peak[:: resource.getpagesize()] = b"\1" * (len(peak) // resource.getpagesize())
    del peak
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > megabytes << 10
    assert guided("frames", corpus("frames"), seed=1, runs=1000)


def test_random_search_finds_a_fault_after_one_comparison() -> None:
    random = Random(1)
    with pytest.raises(KeyError, match="planted"):
        _try(random, 100_000)


def _try(random: Random, times: int) -> None:
    for _ in range(times):
        planted(mutated(random, b"cu-ff", b"t-t-t"))


def test_the_corpus_is_small() -> None:
    size = sum(file.stat().st_size for file in CORPUS.rglob("*") if file.is_file())
    assert size < MOST_CORPUS_BYTES


def test_every_stored_input_belongs_to_a_target() -> None:
    assert {folder.name for folder in CORPUS.iterdir()} <= set(TARGETS)
