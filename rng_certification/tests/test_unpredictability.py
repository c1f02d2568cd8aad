"""First draws, checks and replays: good sources pass, and defects are found."""

from __future__ import annotations

import numpy as np
import pytest

from rng_certification.base.finding import Finding
from rng_certification.base.interpreter import ScriptFailedError, in_micropython
from rng_certification.base.judgement import judge
from rng_certification.campaign.parts.first_draws import CASES, SCRIPTS
from rng_certification.unpredictability import construction, first_draws, replay
from rng_certification.unpredictability.checks import check

STARTS = 1000


def good_table() -> first_draws.Table:
    random = np.random.Generator(np.random.SFC64(7))
    return random.integers(0, 52, (STARTS, first_draws.DRAWN), dtype=np.uint8)


def failed(table: first_draws.Table) -> set[str]:
    return {test.finding.name for test in judge(first_draws.findings("x", table)).failures}


def test_good_first_draws_pass() -> None:
    assert not failed(good_table())


def test_a_repeated_start_is_found() -> None:
    table = good_table()
    table[700] = table[3]
    assert failed(table) == {"x/shared-beginnings"}


def test_a_first_draw_that_depends_on_the_last_start_is_found() -> None:
    table = good_table()
    table[1::2, 0] = table[::2, 0]
    assert "x/columns/next-start-equal" in failed(table)


def test_a_biased_first_draw_is_found_if_all_others_are_good() -> None:
    table = good_table()
    table[:100, 0] = 17
    assert "x/columns/extreme-value" in failed(table)


def test_starts_with_different_biases_are_found() -> None:
    table = good_table()
    table[:, :16] = table[:, :1] // 13 * 13 + table[:, :16] % 13
    assert "x/rows/frequency" in failed(table)


@pytest.mark.parametrize("about", CASES)
def test_the_firmware_starts_differently_each_time(about: str) -> None:
    call = CASES[about].format(name="test", number=30)
    data = in_micropython(f"import starts\nstarts.{call}", str(SCRIPTS))
    table = np.frombuffer(data, dtype=np.uint8).reshape(30, first_draws.DRAWN)
    found = first_draws.shared_beginnings("x", table)
    assert (found.statistic, found.p) == (0, 1)


def test_a_device_without_a_counter_of_starts_and_a_seed_is_found() -> None:
    """It shows that the test above can fail."""
    program = (
        "import starts\n"
        "for _ in range(5): starts.say(starts.started(starts.Noise('x'), starts.Flash(0), b's', 1))"
    )
    table = np.frombuffer(in_micropython(program, str(SCRIPTS)), dtype=np.uint8).reshape(5, -1)
    assert (first_draws.shared_beginnings("x", table).p or 0) < 1e-9


def test_a_failed_check_fails_every_family() -> None:
    family = [check(f"holds/{i}", True) for i in range(10_000)]
    assert judge(family).passed
    assert not judge([*family, check("does not", False)]).passed


def test_a_failing_script_gives_the_reason() -> None:
    with pytest.raises(ScriptFailedError, match="ValueError: no"):
        in_micropython("raise ValueError('no')")


def test_construction_covers_generator_health_and_resistance() -> None:
    scripts = {script for script, _ in construction.functions()}
    assert scripts == set(construction.ABOUT)
    assert ("drbg", "test_vectors_without_reseed") in set(construction.functions())


@pytest.mark.parametrize("script", construction.ABOUT)
def test_a_script_of_the_construction_needs_only_installed_modules(script: str) -> None:
    in_micropython(f"import {script}", str(construction.SCRIPTS))


def test_the_same_noise_gives_the_same_draws_for_any_question_and_wager() -> None:
    found: list[Finding] = replay.findings("test", presses=3, packs=1)
    assert {finding.name for finding in found if finding.p != 1.0} == set()
    assert len(found) == 7
