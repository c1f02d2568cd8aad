"""Laboratory mode and power cuts: at any power cut, exported output never decides a deal."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from cutcard_firmware.core.storage import state as st
from firmware.tests.rig import SMALL_CAROUSEL, PowerCut, Rig


def in_laboratory(root: Path) -> Rig:
    rig = Rig(root, SMALL_CAROUSEL)
    assert rig.command("laboratory", enters=1).error == "ok"
    assert rig.command("raw_output", size=192).error == "ok"
    return rig


@pytest.mark.parametrize("before_write", [True, False])
@pytest.mark.parametrize("enters", [1, 0])
def test_power_cut_in_any_laboratory_commit_results_in_a_fresh_source(
    tmp_path: Path, enters: int, before_write: bool
) -> None:
    rig = Rig(tmp_path / "flash", SMALL_CAROUSEL) if enters else in_laboratory(tmp_path / "flash")
    rig.cut_in, rig.cut_before_write = 1, before_write
    with pytest.raises(PowerCut):
        rig.command("laboratory", enters=enters)
    old = bytes(rig.device.source._drbg._v)
    rig.power_cycle()
    assert rig.mode == "empty"
    assert not rig.device.state.get(st.EXPORTED)
    assert not rig.device.source.failed
    assert bytes(rig.device.source._drbg._v) != old


@pytest.mark.parametrize(
    ("enters", "error"),
    [(2, "laboratory-only"), (3, "laboratory-only"), (4, "malformed"), (255, "malformed")],
)
def test_invalid_mode_changes_are_refused(tmp_path: Path, enters: int, error: str) -> None:
    rig = Rig(tmp_path / "flash", SMALL_CAROUSEL)
    assert rig.command("laboratory", enters=enters).error == error
    assert rig.mode == "empty"


def test_a_restart_in_laboratory_mode_keeps_its_first_samples_for_the_next_visit(
    tmp_path: Path,
) -> None:
    rig = in_laboratory(tmp_path / "flash")
    assert rig.command("laboratory", enters=2).error == "ok"
    assert rig.device.ended
    before = rig.noise.getstate()
    rig.power_cycle()
    assert rig.mode == "empty"
    assert not rig.device.state.get(st.EXPORTED)
    first = Random()
    first.setstate(before)
    expected = bytes(first.getrandbits(1) for _ in range(1088))
    assert bytes(rig.device.first_noise) == expected
    assert rig.command("laboratory", enters=3).error == "ok"
    given = rig.command("raw_noise", size=8)
    assert given.error == "ok"
    assert given.result is not None
    assert given.result["data"] == bytes(
        int("".join(map(str, expected[at : at + 8])), 2) for at in range(0, 64, 8)
    )


def test_another_laboratory_visit_drops_the_first_samples(tmp_path: Path) -> None:
    rig = in_laboratory(tmp_path / "flash")
    rig.power_cycle()
    assert rig.device.first_noise
    assert rig.command("laboratory", enters=1).error == "ok"
    assert not rig.device.first_noise


def test_fault_in_laboratory_mode_does_not_skip_the_fresh_start(tmp_path: Path) -> None:
    rig = in_laboratory(tmp_path / "flash")
    starts = rig.device.source._starts
    rig.device.fault("door-open")
    assert rig.device.state.get(st.EXPORTED)
    assert rig.command("recover", outside=0).error == "ok"
    rig.run()
    assert rig.mode == "empty"
    assert rig.device.source._starts == starts + 1
    assert not rig.device.state.get(st.EXPORTED)


def test_noise_failure_at_the_start_prevents_dealing(tmp_path: Path) -> None:
    rig = in_laboratory(tmp_path / "flash")
    rig.power_off()
    rig.noise.getrandbits = lambda bits: 0  # type: ignore[method-assign]
    rig.power_on()
    assert (rig.mode, rig.fault) == ("fault", "random-source")
    assert rig.device.state.get(st.EXPORTED)


def test_laboratory_module_is_unloaded_when_the_mode_ends(tmp_path: Path) -> None:
    import sys

    rig = in_laboratory(tmp_path / "flash")
    assert "cutcard_firmware.core.devices.laboratory" in sys.modules
    rig.command("laboratory", enters=0)
    assert "cutcard_firmware.core.devices.laboratory" not in sys.modules
