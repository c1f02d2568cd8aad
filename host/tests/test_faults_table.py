"""The table of faults rejects incomplete and contradictory rows."""

from __future__ import annotations

from importlib import resources

import pytest

from cutcard.faults import FAULTS, read_faults

TEXT = (resources.files("cutcard.faults") / "faults.toml").read_text("utf-8")
NEW = """
[[fault]]
name = "fault-of-this-test"
sensors = "A part is above 60 degrees"
detail = "degrees"
remedy = "Let it cool"
hint = "Something is warm: wait, {verify}"
irregularity = "malfunction"
why = "the machine cannot deal"
way_out = "recover"
"""


def test_a_new_fault_has_the_last_number_and_the_shared_sentence() -> None:
    faults = read_faults(TEXT + NEW)
    assert list(faults) == [*FAULTS, "fault-of-this-test"]
    assert "then call `recover(outside=...)`" in faults["fault-of-this-test"].hint


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"fault-of-this-test"', '"door-open"', 'fault "door-open" is defined twice'),
        ('way_out = "recover"', 'way_out = "pray"', "is not one of recover, unload, lock, resume"),
    ],
)
def test_a_contradictory_fault_is_rejected(old: str, new: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_faults(TEXT + NEW.replace(old, new))


@pytest.mark.parametrize(("old", "new"), [("remedy", "remedies"), ('why = "', 'cause = "')])
def test_a_fault_with_a_missing_or_unknown_key_is_rejected(old: str, new: str) -> None:
    with pytest.raises(TypeError):
        read_faults(TEXT + NEW.replace(old, new))
