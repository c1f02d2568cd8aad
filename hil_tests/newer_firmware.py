"""Firmware newer than this driver: it has five more faults and one more event."""

from __future__ import annotations

from pathlib import Path

from cutcard_firmware.core.schema import messages
from hil_tests.test_threats_update import copied_sources

NEW_FAULTS = ("warm", "cold", "dry", "wet", "smoke")
FAULT = len(messages.FAULTS) + len(NEW_FAULTS) - 1  # the number of the last new fault
EVENT = max(messages.EVENTS) + 1


def newer_sources(folder: Path) -> Path:
    """Return a copy of the firmware that reports an open door by the new event and the last new
    fault."""
    sources = copied_sources(folder)
    last_fault = f'    "{messages.FAULTS[-1]}",\n'
    last_event = f'    "\\n{list(messages.EVENTS.lines())[-1]}"\n'
    door_open = 'self.fault("door-open")'
    for name, old, new in (
        (
            "schema/messages.py",
            last_fault,
            last_fault + "".join(f'    "{fault}",\n' for fault in NEW_FAULTS),
        ),
        ("schema/messages.py", last_event, f'{last_event}    "\\n{EVENT}|cooled|degrees:H"\n'),
        (
            "cards/card_device.py",
            door_open,
            f'self.emit("cooled", 300); self.fault("{NEW_FAULTS[-1]}")',
        ),
    ):
        module = sources / "core" / name
        assert module.read_text().count(old) == 1, old
        module.write_text(module.read_text().replace(old, new))
    return sources
