"""A controller's core and the bench's panel in one CPython process, for property tests.

A stand-in replaces the signature: it also depends on key and message, and is a hundred times as
fast. test_signatures.py tests the real one.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

from cutcard_firmware.core.devices import signing
from cutcard_firmware.core.jackpot import draws
from cutcard_firmware.core.jackpot.draws import SHOWN, Draws
from cutcard_firmware.core.schema.messages import BLANK
from cutcard_firmware.core.storage.state import StorageFull
from firmware.tests.rig import Board, PowerCut, Rig

PRIZES = b"1 1000\n2 100\n3 5\n"


def quick_signature(state: Any, message: bytes, breathe: Any) -> bytes:
    seed = signing._keys(state)[:32]
    return sha256(b"1" + seed + message).digest() + sha256(b"2" + seed + message).digest()


class PanelBoard(Board):
    plant: Any

    def show(self, table: int, amount: int) -> None:
        """Check that a prize was stored before it is shown, so that a restart finds it."""
        if amount != BLANK:
            written = Draws(self.root, self.flash)
            written.load()
            found = written.drawn(written.of(table, SHOWN))
            assert found is not None
            assert found["amount"] == amount
        self.plant.show(table, amount)


class PanelRig(Rig):
    """A controller with its panel. Commands bypass the link and call `device.obey`."""

    board_type = PanelBoard

    def __init__(self, root: Path, seed: int = 0) -> None:
        signing.sign = quick_signature
        self.flash_full = False
        super().__init__(root, "controller-4", seed)

    def _watch_commits(self) -> None:
        super()._watch_commits()
        commit = self.device.state.commit

        def while_there_is_room() -> None:
            if self.flash_full and self.device.state._changed:
                raise StorageFull
            commit()

        self.device.state.commit = while_there_is_room

    def set_up(self, *tables: int, text: bytes = PRIZES) -> None:
        for table in tables:
            assert self.command("prizes", table=table, text=text).error == "ok"
        self.run()

    def offer(self, table: int, round: int, box: int = 1, wager: int = 500, **more: int) -> str:
        place = {"box": box, "seat": 0, "attempt": 0, "wager": wager, **more}
        return self.command("button", table=table, round=round, **place).error

    def press(self, table: int, round: int, box: int = 1, wager: int = 500, **more: int) -> str:
        place = {"box": box, "seat": 0, "attempt": 0, "wager": wager, **more}
        return self.command("press", table=table, round=round, **place).error

    def hand(self, table: int) -> None:
        self.plant.press(table)
        self.run()

    def amounts(self, table: int) -> tuple[int, int]:
        screens = self.plant.screens
        return screens[table, "meter"].amount, screens[table, "panel"].amount

    def of(self, table: int, what: int) -> int:
        found: int = self.device.state.of(table, what)
        return found

    def drawn(self) -> list[dict[str, Any]]:
        """Return the fields of each `prize` event so far."""
        return self.events_of("prize")

    def counter(self) -> int:
        found: int = self.device.state.get(draws.COUNTER)
        return found


__all__ = ["PRIZES", "PanelRig", "PowerCut"]
