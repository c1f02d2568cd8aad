"""The times and details in docs/reference/faults.md are those of the machines and the firmware."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

from cutcard_firmware.core.cards.shuffler import EJECTING, FEEDING
from firmware.tests.rig import Rig, spec_of

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "faults.md").read_text()


def rows() -> dict[str, str]:
    return dict(re.findall(r"^\| `([a-z-]+)` \| (.*) \|$", PAGE, re.MULTILINE))


def test_the_times_are_those_of_the_machine(tmp_path: Path) -> None:
    """Each key in brackets is a setting, and follows its value."""
    spec = SimpleNamespace(**(vars(spec_of("controller-4")) | vars(Rig(tmp_path).spec)))
    said = re.findall(r"(\d+)(?: \+ (\d+))? \(`([a-z_.]+)`(?:, `([a-z_]+)`)?\)", PAGE)
    assert len(said) >= 12
    for first, second, key, other in said:
        assert int(first) == getattr(spec, key.removeprefix("timing.").upper())
        if other:
            assert int(second) == getattr(spec, other.upper())


def test_the_details_of_a_power_cut_are_the_intents() -> None:
    filling, pushing = FEEDING // FEEDING, EJECTING // FEEDING
    said = f"{filling} a bin was being filled, {pushing} pushed out"
    assert said in rows()["power-lost"]
