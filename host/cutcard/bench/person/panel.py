"""Commands about a controller: its buttons, displays and lamps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutcard.bench.person.words import Answer, WordError, one_of, word
from cutcard.bench.plant.panel import PRESS, SCREENS, Panel
from cutcard_firmware.core.schema.messages import BLANK

if TYPE_CHECKING:
    from cutcard.bench.process import BenchProcess


@word
def press(bench: BenchProcess, table: int, held: int = PRESS) -> Answer:
    """Press the button at a table. held: this many milliseconds."""
    panel = bench.panel
    _require(panel, table)
    panel.press(table, held)
    return {"pressed": table, "lit": panel.lit(table)}


@word
def display(
    bench: BenchProcess, how: str, table: int, which: str = "meter", amount: int | None = None
) -> Answer:
    """break: the display goes dark and silent. set amount=N: it shows this amount, regardless of
    its commands. mend: it works again. read: return its amount. which=meter is the bonus display at
    the table, which=panel the table's line on the central control panel."""
    panel = bench.panel
    _require(panel, table)
    one_of("display", how, ("break", "set", "mend", "read"))
    one_of("which", which, SCREENS)
    if how == "set":
        if amount is None or amount > BLANK:
            raise WordError("which amount?", "use amount=0 to amount=4294967295 (dark)")
        panel.set_screen(table, which, amount)
    elif how == "break":
        panel.break_screen(table, which)
    elif how == "mend":
        panel.mend_screen(table, which)
    return {name: _shown(panel, table, name) for name in SCREENS} | {"lit": panel.lit(table)}


def picture(panel: Panel) -> Answer:
    """Return every table's lamp and displays, for `status`."""
    return {
        "tables": [
            {name: _shown(panel, table, name) for name in SCREENS} | {"lit": panel.lit(table)}
            for table in range(1, panel.tables + 1)
        ]
    }


def _shown(panel: Panel, table: int, name: str) -> int | None:
    amount = panel.screens[table, name].amount
    return None if amount == BLANK else amount


def _require(panel: Panel, table: int) -> None:
    if not 1 <= table <= panel.tables:
        raise WordError(f"there is no table {table}", f"use 1 to {panel.tables}")
