"""The console's connections to running tables: one private Unix socket for each."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import suppress
from itertools import count
from typing import Any

from cutcard import untrusted
from cutcard.console.pit import Pit
from cutcard.console.watched_table import WatchedTable
from cutcard.table.people.desk import MOST_LINE, SOCKET

LOOK_EVERY = 0.25  # seconds between two checks for tables that were opened or resumed
ANSWER_SECONDS = 20.0  # a table that deals answers after the card


class UnansweredError(Exception):
    """Raised if a table does not answer; its journal shows whether it accepted the request."""


class TableLine:
    """The connection to one table, while it runs."""

    def __init__(self, table: WatchedTable, pit: Pit) -> None:
        self.table = table
        self.state: dict[str, Any] = {}
        self.connected = False
        self._pit = pit
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._writer: asyncio.StreamWriter | None = None

    def as_json(self) -> dict[str, Any]:
        return {"connected": self.connected, **self.state}

    async def keep(self) -> None:
        """Connect whenever the table runs, and listen, until cancelled."""
        while True:
            if (self.table.path.parent / SOCKET).exists():
                with suppress(OSError, ValueError):
                    await self._listen()
                self._lost()
            await asyncio.sleep(LOOK_EVERY)

    async def _listen(self) -> None:
        folder = os.open(self.table.path.parent, os.O_RDONLY)
        try:
            path = f"/proc/self/fd/{folder}/{SOCKET}"
            reader, self._writer = await asyncio.open_unix_connection(path, limit=MOST_LINE)
        finally:
            os.close(folder)
        while text := await reader.readline():
            said = untrusted.json_from(text)
            if "answer" in said:
                waiting = self._waiting.pop(said["number"], None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(said["answer"])
            else:
                self.connected, self.state = True, said
                self._changed()

    def _lost(self) -> None:
        if self._writer is not None:
            self._writer.close()
        was, self.connected, self.state, self._writer = self.connected, False, {}, None
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(UnansweredError("The table's program has ended."))
        self._waiting.clear()
        if was:
            self._changed()

    def _changed(self) -> None:
        """Read the journal first, because a question may refer to records not read yet."""
        records, lines = self.table.more()
        self._pit.send(self._pit.message(self.table, records, lines))

    async def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request to the table; return its answer. Raises UnansweredError."""
        if self._writer is None:
            raise UnansweredError("The program of this table does not run. No change was made.")
        number = next(self._numbers)
        waiting: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        try:
            self._writer.write(json.dumps({**request, "number": number}).encode() + b"\n")
            await self._writer.drain()
            return await asyncio.wait_for(waiting, ANSWER_SECONDS)
        except (OSError, TimeoutError) as error:
            raise UnansweredError(
                "The table has not answered. Its journal will show it."
            ) from error
        finally:
            self._waiting.pop(number, None)


class TableLines:
    """The connections to all tables of a pit."""

    def __init__(self, pit: Pit) -> None:
        self._pit = pit
        self._lines: dict[str, TableLine] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        pit.extra = lambda key: {"live": self._lines[key].as_json()} if key in self._lines else {}

    async def keep(self) -> None:
        """Keep a connection to every table, until cancelled."""
        try:
            while True:
                for key, table in self._pit.tables.items():
                    if key not in self._lines:
                        self._lines[key] = TableLine(table, self._pit)
                        self._tasks[key] = asyncio.create_task(self._lines[key].keep())
                await asyncio.sleep(LOOK_EVERY)
        finally:
            for task in self._tasks.values():
                task.cancel()

    def to(self, key: str) -> TableLine | None:
        return self._lines.get(key)
