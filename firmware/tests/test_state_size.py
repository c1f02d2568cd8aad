"""The state of each machine: one page of the flash, with eight unacknowledged card events."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from cutcard_firmware.core.storage import state as st
from cutcard_firmware.core.storage.erasable_record import _HEAD_SIZE, _SMALL

CARD_EVENTS = 8
CARD = bytes((3, 51, 3))
PAGE = _SMALL - _HEAD_SIZE  # bytes of a flash page, without the head and littlefs's own bytes
# After five years at 2,400 cards an hour: commands, events and heads, with some starts a day.
LIFE = {
    st.BOOTS: 100_000,
    st.LAST_COMMAND: 2**28 - 1,
    st.LAST_EVENT: 2**28 - 1,
    st.WITNESSED: 2**28 - 1,
    st.DETAIL: 2**28 - 1,
    st.PACK: 8 * 52,
    st.OUTSIDE: 8 * 52,
    st.CHAINED: 1,
}
MOST_BINS = 60  # of the machine files

MACHINES = Path(st.__file__).parents[2] / "machines"


@pytest.mark.parametrize("bins", [0, 38, 44, MOST_BINS])
def test_a_state_takes_one_page(tmp_path: Path, bins: int) -> None:
    state = st.State(str(tmp_path), bins, flash=None)
    state.chains_events = True
    for place, value in LIFE.items():
        state.set(place, value)
    for bin in range(bins):
        state.set(st.BIN + bin, 10)
    for _ in range(CARD_EVENTS):
        state.add_event(CARD)
    assert len(state._packed()) <= PAGE


def test_no_machine_that_stores_its_bins_has_more_of_them() -> None:
    """A batch shuffler does not store its bins."""
    machines = [tomllib.loads(path.read_text()).get("bins", {}) for path in MACHINES.glob("*.toml")]
    stored = [bins.get("count", 0) for bins in machines if bins.get("capacity", 0) > 1]
    assert max(stored) == MOST_BINS
