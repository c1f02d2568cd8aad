"""The records of a failed test in the folder of `--artefacts`: frames, events, journals, pins."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from cutcard.devices import Event
from cutcard.devices.wire import Frame

WIRE, EVENTS, PINS = "wire.log", "events.jsonl", "pins.vcd"
_FAILED = pytest.StashKey[bool]()


class Artefacts:
    """The records of one test; `keep` writes them if the test failed."""

    def __init__(self, folder: Path, item: pytest.Item) -> None:
        self._folder = folder / re.sub(r"[^\w.-]+", "-", item.nodeid).strip("-")
        self._item = item
        self._frames: list[str] = []

    @property
    def pins(self) -> Path:
        """The file for the pins of an emulated board, in its folder, which exists then."""
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / PINS

    def tap(self, frame: Frame) -> None:
        """Record a frame; the parameter `tap` of a driver."""
        self._frames.append(str(frame))

    def keep(self, events: Sequence[Event]) -> None:
        """Write the records of a failed test; delete those of any other."""
        if not self._item.stash.get(_FAILED, False):
            shutil.rmtree(self._folder, ignore_errors=True)
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        _write(self._folder / WIRE, self._frames)
        _write(self._folder / EVENTS, [_as_json(event) for event in events])
        place = getattr(self._item, "funcargs", {}).get("tmp_path")
        for journal in sorted(place.rglob("*.journal")) if place is not None else ():
            shutil.copy(journal, self._folder / journal.name)


def note_result(item: pytest.Item, report: pytest.TestReport) -> None:
    """Remember whether any phase of a test failed."""
    item.stash[_FAILED] = item.stash.get(_FAILED, False) or report.failed


def _write(file: Path, lines: Sequence[str]) -> None:
    file.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def _as_json(event: Event) -> str:
    fields: dict[str, Any] = asdict(event)
    return json.dumps({"event": type(event).__name__, **fields}, default=str)
