"""Long computations on a board: it reads its sensors in between, or stops and reports a fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutcard_firmware.core import module_loading
from cutcard_firmware.core.crypto import ed25519
from cutcard_firmware.core.devices.sensors import DOOR, FEED, GUARDED, STALL, TURN
from cutcard_firmware.core.schema import messages as m
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


def test_lost_samples_are_a_fault_without_a_change_of_counts(rig: Rig) -> None:
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


def test_called_card_may_have_left_while_samples_were_lost(rig: Rig) -> None:
    rig.command("round", begins=1, head=b"")
    rig.command("deal", cards=1)
    rig.board.edges.unseen = 1
    rig.run()
    assert m.FAULTS[rig.status()["fault"]] == "watchdog"
    assert rig.status()["armed"] == 0


@pytest.mark.parametrize(
    ("guard", "fault", "detail"), [(DOOR, "door-open", 0), (STALL, "motor-stall", TURN)]
)
def test_guard_that_opens_as_the_power_fails_is_the_reported_cause(
    rig: Rig, guard: int, fault: str, detail: int
) -> None:
    """A board cuts the current immediately, so no level lasts for the debounce time."""
    rig.device.moving = TURN
    rig.board.edges.push(rig.board.now(), GUARDED, guard - DOOR)
    rig.run()
    status = rig.status()
    assert (m.FAULTS[status["fault"]], status["detail"]) == (fault, detail)


@pytest.mark.parametrize(("guard", "fault"), [(DOOR, "door-open"), (STALL, "sensor-stuck")])
def test_bouncing_guard_during_a_possible_draw_is_reported(
    rig: Rig, guard: int, fault: str
) -> None:
    """The board has shut the gate: without a fault, the call would never be completed."""
    rig.device.open_gate(1)
    rig.board.edges.push(rig.board.now(), GUARDED, guard - DOOR)
    rig.run()
    assert m.FAULTS[rig.status()["fault"]] == fault


@pytest.mark.parametrize("guard", [DOOR, STALL])
def test_bouncing_guard_at_rest_is_no_fault(rig: Rig, guard: int) -> None:
    rig.board.edges.push(rig.board.now(), GUARDED, guard - DOOR)
    rig.run()
    assert rig.status()["fault"] == 0


def test_a_signature_is_made_and_checked_in_pieces() -> None:
    """A piece is eight bits of a multiplication (32 pieces), or one of the eleven steps of an
    exponentiation."""
    public = ed25519.public_key(SEED)
    breaths: list[int] = []

    def breathe() -> None:
        breaths.append(1)

    signature = ed25519.sign(SEED, b"prize", breathe)
    assert len(breaths) == 2 * (32 + 11)
    breaths.clear()
    assert ed25519.verify(public, b"prize", signature, breathe)
    assert len(breaths) == 11 + 32 + 11


def test_a_check_multiplies_both_points_together(monkeypatch: pytest.MonkeyPatch) -> None:
    signature, public = ed25519.sign(SEED, b"prize"), ed25519.public_key(SEED)
    multiply = ed25519._Curve.multiply
    points: list[int] = []

    def counted(curve: object, terms: tuple[object, ...]) -> None:
        points.append(len(terms))
        multiply(curve, terms)

    monkeypatch.setattr(ed25519._Curve, "multiply", counted)
    assert ed25519.verify(public, b"prize", signature)
    assert points == [2]


def test_the_fingerprint_of_the_schema_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    known = m.fingerprint()
    monkeypatch.setattr(m, "_work_out_digests", lambda: pytest.fail("a second time"))
    assert m.fingerprint() == known


def test_samples_are_drained_after_each_module_of_an_update() -> None:
    breaths: list[int] = []
    update = module_loading.load_update(lambda: breaths.append(1))
    assert update.__name__ == "cutcard_firmware.core.image.update"
    assert len(breaths) == 9


class Said:
    """A session that accepts every frame; `replies` are the frames sent."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.link = rig.device.link
        self.link.host = self.link.own = self
        self.link._seal = self.seal
        self.replies: list[bytes] = []

    def unseal(self, body: bytes) -> tuple[int, int, bytes]:
        return m.COMMAND, self.link.heard + 1, body

    def look_ahead(self, counter: int) -> None:
        """Return immediately: this session does not encrypt."""

    def seal(self, kind: int, payload: bytes) -> bytes:
        self.replies.append(payload)
        return payload

    def say(self, name: str, **arguments: int) -> None:
        self.link._command(self.rig.payload(name, **arguments))


def test_command_waits_for_the_end_of_movement_and_runs_once(rig: Rig) -> None:
    """Storing the command would keep a board from stopping the feed after one card."""
    said, before = Said(rig), rig.status()["last_command"]
    rig.device.moving = FEED
    said.say("deal", cards=1)
    said.say("deal", cards=1)  # the host has no reply and retries
    rig.step()
    assert (said.replies, rig.status()["armed"]) == ([], 0)
    rig.device.moving = None
    rig.step()
    assert len(said.replies) == 1
    assert (rig.status()["armed"], rig.status()["last_command"]) == (1, before + 1)


def test_a_question_is_answered_during_a_movement(rig: Rig) -> None:
    said = Said(rig)
    rig.device.moving = FEED
    said.say("status")
    assert len(said.replies) == 1


def test_card_that_leaves_during_a_movement_shuts_the_gate_until_it_is_stored(
    rig: Rig,
) -> None:
    rig.command("deal", cards=3)
    while not (rig.device.unwritten and rig.device.moving is not None):
        rig._once()
    assert (rig.device.gate, rig.plant.mouth.gate) == (0, False)
    before = len(rig.events_of("card"))
    rig.run()
    assert len(rig.events_of("card")) == 3 > before
