"""Print frames by name and events in words, live, until Ctrl-C."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any

from cutcard.cli.devices.device_words import event_as_json, event_in_words, frame_as_json, typed
from cutcard.columns import wrapped
from cutcard.devices import Event, FaultRaised, Frame, UnknownEvent, open_device
from cutcard.devices.hints import fault_hint

LISTEN_SECONDS = 3600.0  # then listening starts again


class Watch:
    """Write lines. A heartbeat without news is left out."""

    def __init__(self, port: str, as_json: bool, only_events: bool) -> None:
        self._port = port
        self._kind = ""
        self._as_json = as_json
        self._only_events = only_events
        self._question: Frame | None = None  # a heartbeat without a reply yet
        self._last: Any = None  # the content of the last one

    def run(self, acknowledge: bool, seconds: float | None) -> None:
        """Run for `seconds`, or with None until Ctrl-C."""
        tap = None if self._only_events else self.frame
        with (
            suppress(KeyboardInterrupt),
            open_device(self._port, tap=tap, record=self.event, acknowledge=acknowledge) as device,
        ):
            self._kind = device.KIND
            while True:
                for _ in device.events(LISTEN_SECONDS if seconds is None else seconds):
                    pass  # each was written when it arrived
                if seconds is not None:
                    return

    def frame(self, frame: Frame) -> None:
        for each in self._without_idle_polls(frame):
            self._write(frame_as_json(each), str(each))

    def event(self, event: Event) -> None:
        words = f"   event {event.number}: {event_in_words(event)}"
        if isinstance(event, FaultRaised):
            hint = typed(fault_hint(event.fault, event.detail, self._kind), self._port)
            words += f"\nnext step: {hint}"
        if isinstance(event, UnknownEvent):
            words += "\nnext step: update cutcard"
        self._write(event_as_json(event), words)

    def _without_idle_polls(self, frame: Frame) -> Iterator[Frame]:
        heartbeat = (frame.kind, frame.name) in (("command", "status"), ("reply", "status"))
        if heartbeat and frame.sent:
            self._question = frame
            return
        if heartbeat and frame.fields == self._last:
            self._question = None
            return
        if self._question is not None:
            yield self._question
            self._question = None
        if heartbeat:
            self._last = frame.fields
        yield frame

    def _write(self, said: dict[str, Any], words: str) -> None:
        now = datetime.now().astimezone()
        if self._as_json:
            line = json.dumps({"time": now.isoformat(timespec="milliseconds")} | said)
        else:
            line = f"{now.strftime('%H:%M:%S')}.{now.microsecond // 1000:03d} {words}"
            line = "\n".join(wrapped(line, later=" " * 16))
        print(line, flush=True)
