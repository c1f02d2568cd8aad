"""A round with a device whose firmware has a fault and an event unknown to this driver."""

from __future__ import annotations

from pathlib import Path

from cutcard.engine.events import Ruling
from cutcard.image.build import build
from cutcard.machines import find
from hil_tests.flashed import FlashedBench, Maker
from hil_tests.live_rounds.live_table import Evening
from hil_tests.newer_firmware import EVENT, FAULT, newer_sources

CONTINUE = Ruling("continue", by="tg-higher-duties-dealer")


def test_round_with_an_unknown_fault_and_event_is_ruled_on_and_settled(
    board: FlashedBench, maker: Maker, tmp_path: Path
) -> None:
    """Ana has 12 and hits, Ben stands on 17, the dealer draws from a six to 18."""
    sources = newer_sources(tmp_path)
    board.flash(build(maker.board, find("carousel-38"), 3, maker.key("factory"), sources))
    key = board.keys.get(board.bench.serial)
    assert key is not None
    at = Evening(board.bench, "crown-melbourne-26", tmp_path, key=key)
    try:
        at.before_act = lambda: board.bench.do("door", how="open")
        result = at.play("Tc 9c 6d 2h 8s 9s Td 2d", "hit stand", [CONTINUE])
        assert result == {"Ana": ("win", 10), "Ben": ("lose", -20)}
        assert [fault for fault, _ in at.faults()] == [f"unknown-fault-{FAULT}"]
        assert at.ruled() == [("malfunction", "continue")]
        assert f"   machine: unknown event {EVENT}: update cutcard" in at.lines
        at.check()
    finally:
        at.close()
