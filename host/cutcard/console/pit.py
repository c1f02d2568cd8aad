"""The tables of a pit: checked many times a second, and sent to all listeners."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from cutcard import __version__
from cutcard.console.certificates import ShownCertificate
from cutcard.console.gaming_day import GamingDay
from cutcard.console.watched_table import WatchedTable
from cutcard.table.running import JOURNAL

LOOK_EVERY = 0.02  # seconds between two checks of the journals
BEAT_EVERY = 0.3  # a page without messages for a second reports it
FOLDERS_EVERY = 1.0  # new tables appear within this time
BACKLOG = 256  # messages that a slow reader may lag behind before it is disconnected

Listener = asyncio.Queue[bytes | None]


class Pit:
    """All tables below some folders. A message is about one table, or a beat about all."""

    def __init__(
        self,
        folders: Sequence[Path],
        certificates: Sequence[ShownCertificate] = (),
        gaming_day: GamingDay = GamingDay(),  # noqa: B008
    ) -> None:
        self.folders = folders
        self.gaming_day = gaming_day
        self.certificates = certificates
        self.tables: dict[str, WatchedTable] = {}
        self.extra: Callable[[str], dict[str, Any]] = lambda key: {}
        self._listeners: set[Listener] = set()
        self.find_tables()

    def find_tables(self) -> None:
        """Add new journals; a known journal is never removed."""
        known = {table.path for table in self.tables.values()}
        for folder in self.folders:
            for journal in sorted(journals_below(folder)):
                if journal not in known:
                    key = self._key(folder, journal)
                    self.tables[key] = WatchedTable(key, journal, self.gaming_day)

    def _key(self, folder: Path, journal: Path) -> str:
        stem = journal.parent.relative_to(folder).as_posix() if journal.parent != folder else ""
        name = (stem or folder.resolve().name).replace("/", "~")
        if journal.name != JOURNAL:
            name = f"{name}~{journal.stem}"
        return name if name not in self.tables else f"{name}~{len(self.tables)}"

    def message(self, table: WatchedTable, records: int, lines: Sequence[Any]) -> dict[str, Any]:
        """Return the state of a table, with its lines since the last message."""
        picture = table.picture()  # first: drawing it may reveal damage
        return {
            "table": table.key,
            "records": records,
            "lines": [line.as_json() for line in lines],
            "damage": table.damage,
            "folder": str(table.path.parent),
            "days": table.days,
            "picture": picture,
            **self.extra(table.key),
        }

    def positions(self) -> str:
        """Return the position in every journal, by the numbers of its records."""
        return ";".join(f"{key}={table.view.number}" for key, table in sorted(self.tables.items()))

    def events(self, kinds: Sequence[tuple[str, dict[str, Any]]]) -> bytes:
        """Return server-sent events; the id of each is the position in every journal."""
        at = self.positions()
        said = ((kind, json.dumps(data, separators=(",", ":"))) for kind, data in kinds)
        return "".join(f"event: {kind}\nid: {at}\ndata: {data}\n\n" for kind, data in said).encode()

    def snapshot(self) -> dict[str, Any]:
        """Return the state of all tables, for a page that connects."""
        tables = self.tables.values()
        return {
            "tables": [self.message(table, 0, list(table.latest)) for table in tables],
            "certificates": [each.as_json() for each in self.certificates],
            "version": __version__,
            "gaming_day": self.gaming_day.as_json(),
        }

    # Listeners

    def join(self) -> Listener:
        listener: Listener = asyncio.Queue(BACKLOG)
        self._listeners.add(listener)
        return listener

    def leave(self, listener: Listener) -> None:
        self._listeners.discard(listener)

    @property
    def watching(self) -> int:
        return len(self._listeners)

    def send(self, *messages: dict[str, Any]) -> None:
        """Send the messages to all listeners in one piece, so that each page is written to once.

        A listener that is too far behind is disconnected, and reconnects to a new snapshot.
        """
        if not messages:
            return
        said = self.events([("beat" if "beat" in each else "table", each) for each in messages])
        for listener in list(self._listeners):
            try:
                listener.put_nowait(said)
            except asyncio.QueueFull:
                self.leave(listener)
                while not listener.empty():
                    listener.get_nowait()
                listener.put_nowait(None)

    def end(self) -> None:
        """Disconnect all listeners."""
        for listener in list(self._listeners):
            self.leave(listener)
            with suppress(asyncio.QueueFull):
                listener.put_nowait(None)

    # Checks

    def look(self) -> Iterator[dict[str, Any]]:
        """Read all new records of every journal; yield a message for each change."""
        for table in list(self.tables.values()):
            damage = table.damage
            records, lines = table.more()
            if records or table.damage != damage:
                yield self.message(table, records, lines)

    def catch_up(self) -> None:
        """Read every journal to its end."""
        for table in self.tables.values():
            while table.more()[0]:
                pass

    async def watch(self) -> None:
        """Check the tables until cancelled."""
        beaten = looked_for = time.monotonic()
        while True:
            found: list[dict[str, Any]] = []
            now = time.monotonic()
            with suppress(OSError):  # no file handle is free, or a folder was removed: try again
                found += self.look()
                if now - looked_for >= FOLDERS_EVERY:
                    looked_for = now
                    self.find_tables()
            if now - beaten >= BEAT_EVERY:
                found.append({"beat": True})
                beaten = now
            self.send(*found)
            await asyncio.sleep(LOOK_EVERY)


def journals_below(folder: Path) -> list[Path]:
    """Return the journals of a folder, of the tables in it, and of evenings with tables in them."""
    if folder.is_file():
        return [folder]
    return [path for depth in ("", "*/", "*/*/") for path in folder.glob(f"{depth}*.journal")]
