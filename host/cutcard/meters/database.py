"""The database of the meters: SQLite in a file, or PostgreSQL where several hosts share it.

The statements are the same for both. What differs stands in `Dialect`: how a value is named in a
statement, and how a change gets the database to itself. Changes take turns, one at a time: so
what is recorded has one order, and winners on different tables are paid in it (21.10.2(d)).
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from cutcard import extras, private_files
from cutcard.meters.errors import (
    DatabaseBusyError,
    DatabaseUnreachableError,
    MeterError,
    NoDatabaseError,
)

if TYPE_CHECKING:
    import psycopg  # where it is not needed, it is not loaded

PATIENCE_SECONDS = 30  # how long a change waits for its turn
SILENCE_SECONDS = 10  # after so long a host that vanished in the middle of its turn has lost it
LOCK_NOT_AVAILABLE = "55P03"  # PostgreSQL's word for having waited too long
Value = str | int
Errors = type[Exception]


@dataclass(frozen=True, slots=True)
class Dialect:
    """`change` begins a transaction that has the database to itself, `look` one that only reads.

    `tables` finds the ledger, `strangers` what could change or feign tables, with the statement
    that made it where the database keeps that; `damage` says "ok" or what does not hold together.
    """

    change: tuple[str, ...]
    look: tuple[str, ...]
    placeholder: str
    tables: str
    strangers: str
    damage: str


SQLITE = Dialect(
    change=("BEGIN IMMEDIATE",),
    look=("BEGIN",),
    placeholder=r":\1",
    tables="SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'ledger'",
    strangers="SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL",
    damage="PRAGMA integrity_check",
)
POSTGRESQL = Dialect(
    change=("BEGIN", "SELECT pg_advisory_xact_lock(2152)"),
    look=("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",),
    placeholder=r"%(\1)s",
    tables="SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    " AND tablename = 'ledger'",
    strangers="SELECT 'trigger', tgname, '' FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid"
    " JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE NOT tgisinternal AND n.nspname = current_schema()"
    " UNION SELECT 'policy', policyname, '' FROM pg_policies WHERE schemaname = current_schema()"
    " UNION SELECT 'view', viewname, '' FROM pg_views WHERE schemaname = current_schema()"
    " UNION SELECT 'rule', rulename, '' FROM pg_rules WHERE schemaname = current_schema()",
    damage="SELECT 'ok'",  # its files are its own: nobody writes into them by SQL
)


class Database:
    """One connection, used by one thread."""

    def __init__(self, where: str, connection: Any, dialect: Dialect, errors: Errors) -> None:
        self.where = where
        self.dialect = dialect
        self.errors = errors
        self._connection = connection

    @classmethod
    def open(cls, where: str, create: bool = False) -> Self:
        """Open `postgresql://…` or a file. Raises NoDatabaseError unless it may be created."""
        if where.startswith(("postgresql://", "postgres://")):
            connection, errors = _connect_to_server(where)
            database = cls(where, connection, POSTGRESQL, errors)
        else:
            database = cls(where, _connect_to_file(where, create), SQLITE, sqlite3.Error)
        try:
            database._prepare(create)
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def in_memory(cls) -> Self:
        """An empty database in memory, gone when it is closed."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        database = cls(":memory:", connection, SQLITE, sqlite3.Error)
        database._prepare(create=True)
        return database

    def _prepare(self, create: bool) -> None:
        with self.change():
            if self.rows(self.dialect.tables):
                return
            if not create:
                raise NoDatabaseError(
                    f"{named_place(self.where)} holds no prize meters",
                    "`cutcard meter create` makes the first.",
                )
            for statement in _schema():
                self.do(statement)

    def rows(self, statement: str, **values: Value) -> list[tuple[Any, ...]]:
        """All rows that a query finds."""
        cursor = self._connection.execute(_worded(statement, self.dialect.placeholder), values)
        return [tuple(row) for row in cursor.fetchall()]

    def row(self, statement: str, **values: Value) -> tuple[Any, ...] | None:
        """The first row that a query finds, or None."""
        found = self.rows(statement, **values)
        return found[0] if found else None

    def strangers(self) -> list[str]:
        """Triggers, views, rules and tables of another making: there are none in a database that
        only this program made."""
        ours = {" ".join(statement.split()) for statement in _schema()}
        return [
            f"{kind} {name}"
            for kind, name, made_by in self.rows(self.dialect.strangers)
            if " ".join(made_by.split()) not in ours
        ]

    def damage(self) -> list[str]:
        """Where the file contradicts itself: an index, say, that leads to another row."""
        return [said for (said,) in self.rows(self.dialect.damage) if said != "ok"]

    def do(self, statement: str, **values: Value) -> None:
        self._connection.execute(_worded(statement, self.dialect.placeholder), values)

    @contextmanager
    def change(self) -> Iterator[None]:
        """A transaction that has the database to itself: all of it happens, or nothing."""
        with self._transaction(self.dialect.change):
            yield

    @contextmanager
    def look(self) -> Iterator[None]:
        """A read-only transaction: everything that is read belongs to the same moment."""
        with self._transaction(self.dialect.look):
            yield

    @contextmanager
    def _transaction(self, begin: tuple[str, ...]) -> Iterator[None]:
        try:
            self._revive()
            try:
                for statement in begin:
                    self.do(statement)
                yield
                self.commit()
            except BaseException:
                with suppress(self.errors):  # it never began, or the line is gone and with it all
                    self.do("ROLLBACK")
                raise
        except self.errors as error:
            raise _named(error, self.where) from error

    def _revive(self) -> None:
        """A line to a server that broke is opened anew, for whoever asks again."""
        if self.dialect is POSTGRESQL and self._connection.closed:
            self._connection, _ = _connect_to_server(self.where)

    def now(self) -> datetime:
        """The time: this host's, or the server's where several hosts share the database."""
        if self.dialect is SQLITE:
            return datetime.now(UTC)
        (row,) = self.rows("SELECT clock_timestamp()")
        server: datetime = row[0]
        return server

    def commit(self) -> None:
        """Commit: before it nothing has happened, and after it everything has."""
        self.do("COMMIT")

    def close(self) -> None:
        self._connection.close()


def _connect_to_file(where: str, create: bool) -> sqlite3.Connection:
    path = Path(where)
    if not create and not path.exists():
        raise NoDatabaseError(f"there is no {where}", "`cutcard meter create` makes one.")
    try:
        if create:
            private_files.make_folder(path.parent)
        os.close(private_files.open_record(path))  # -wal and -shm take its permissions from it
        connection = sqlite3.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # what is confirmed survives a power cut
    except (OSError, sqlite3.Error) as error:
        raise _named(error, where) from error
    return connection


def _connect_to_server(where: str) -> tuple[psycopg.Connection[Any], Errors]:
    try:
        import psycopg
    except ModuleNotFoundError as error:
        raise DatabaseUnreachableError(
            f"{named_place(where)}: a database server needs psycopg, which is not installed",
            extras.how_to_get("meters"),
        ) from error
    try:
        # Named, as a server that was set up without a locale would give us bytes for text.
        connection = psycopg.connect(where, autocommit=True, client_encoding="utf-8")
        connection.execute(f"SET lock_timeout = '{PATIENCE_SECONDS}s'")
        connection.execute(f"SET idle_in_transaction_session_timeout = '{SILENCE_SECONDS}s'")
    except psycopg.Error as error:
        raise _named(error, where) from error
    return connection, psycopg.Error


@cache
def _worded(statement: str, placeholder: str) -> str:
    return re.sub(r":(\w+)", placeholder, statement)


def _schema() -> list[str]:
    text = (resources.files("cutcard.meters") / "schema.sql").read_text("utf-8")
    return [statement for statement in re.sub(r"--.*", "", text).split(";") if statement.strip()]


def named_place(where: str) -> str:
    """An address as it may be shown: without its password."""
    return re.sub(r"(://[^:/@]*):[^@/]*@", r"\1@", where)


def _named(error: Exception, where: str) -> MeterError:
    where = named_place(where)
    said = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if getattr(error, "sqlstate", "") == LOCK_NOT_AVAILABLE or said == "database is locked":
        return DatabaseBusyError(
            f"{where} was in use for {PATIENCE_SECONDS} seconds",
            "Nothing was recorded; ask again with the same key.",
        )
    return DatabaseUnreachableError(
        f"{where}: {said}",
        "See that it can be reached, then ask again with the same key: what was recorded is "
        "answered, and counted once.",
    )
