"""What takes a board long: it looks at its sensors meanwhile, or stops and says that it did not."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutcard_firmware.core import ed25519, rare
from cutcard_firmware.core import messages as m
from firmware.tests.rig import SMALL_CAROUSEL, Rig

SEED = bytes(range(32))


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    rig = Rig(tmp_path, SMALL_CAROUSEL)
    rig.put(1)
    rig.run()
    rig.command("load", decks=1, pack=52)
    rig.run()
    return rig


def test_a_moment_that_nobody_saw_is_a_fault_that_keeps_the_cards(rig: Rig) -> None:
    boots = rig.status()["boots"]
    rig.board.edges.unseen = 1
    rig.run()
    status = rig.status()
    assert (m.FAULTS[status["fault"]], status["inside"]) == ("watchdog", 52)
    rig.command("recover", outside=0)
    rig.run()
    status = rig.status()
    assert (m.MODES[status["mode"]], status["inside"]) == ("ready", 52)
    assert status["boots"] == boots


def test_a_card_that_was_called_then_may_have_left(rig: Rig) -> None:
    rig.command("round", begins=1)
    rig.command("deal", cards=1)
    rig.board.edges.unseen = 1
    rig.run()
    assert m.FAULTS[rig.status()["fault"]] == "watchdog"
    assert rig.status()["armed"] == 0


def test_a_signature_is_made_and_checked_in_pieces() -> None:
    """Each piece is eight bits of a multiplication or a power: thirty-two of each."""
    public = ed25519.public_key(SEED)
    breaths: list[int] = []

    def breathe() -> None:
        breaths.append(1)

    signature = ed25519.sign(SEED, b"prize", breathe)
    assert len(breaths) == 4 * 32
    breaths.clear()
    assert ed25519.verify(public, b"prize", signature, breathe)
    assert len(breaths) in (5 * 32, 6 * 32)  # one of two roots takes a power more


def test_a_check_multiplies_twice_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    signature, public = ed25519.sign(SEED, b"prize"), ed25519.public_key(SEED)
    times = ed25519._times
    scalars: list[int] = []

    def counted(scalar: int, *rest: object) -> object:
        scalars.append(scalar)
        return times(scalar, *rest)

    monkeypatch.setattr(ed25519, "_times", counted)
    assert ed25519.verify(public, b"prize", signature)
    assert len(scalars) == 2


def test_the_table_s_fingerprint_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    known = m.fingerprint()
    monkeypatch.setattr(m, "_fingerprint", lambda: pytest.fail("a second time"))
    assert m.fingerprint() == known


def test_what_an_update_needs_is_loaded_with_a_breath_after_each_module() -> None:
    breaths: list[int] = []
    update = rare.load_update(lambda: breaths.append(1))
    assert update.__name__ == "cutcard_firmware.core.update"
    assert len(breaths) == 7
