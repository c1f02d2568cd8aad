"""The database of the meters: SQLite in a file, or PostgreSQL if several hosts share it.

The statements are the same for both. `Dialect` has the differences: the placeholder of a value in a
statement, and the lock for a change. Changes run one at a time, so that the records have one order,
and winners on different tables are paid in it (21.10.2(d)).
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
    import psycopg  # imported only if it is needed

PATIENCE_SECONDS = 30  # maximum wait of a change for the lock
SILENCE_SECONDS = 10  # a host that stops during its change loses the lock after this
LOCK_NOT_AVAILABLE = "55P03"  # PostgreSQL's code for a lock timeout
Value = str | int
Errors = type[Exception]


@dataclass(frozen=True, slots=True)
class Dialect:
    """`change` begins an exclusive transaction, `look` a read-only one.

    `tables` finds the ledger; `strangers` finds objects that could change or imitate tables, with
    their statements if the database stores those; `damage` returns "ok" or the inconsistencies.
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
    damage="SELECT 'ok'",  # its files cannot be written by SQL
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
        """Return an empty database in memory, which is lost when it is closed."""
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
                    f"{named_place(self.where)} has no prize meters",
                    "Run `cutcard meter create` to make the first.",
                )
            for statement in _schema():
                self.do(statement)

    def rows(self, statement: str, **values: Value) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        cursor = self._connection.execute(_worded(statement, self.dialect.placeholder), values)
        return [tuple(row) for row in cursor.fetchall()]

    def row(self, statement: str, **values: Value) -> tuple[Any, ...] | None:
        """Return the first row of a query, or None."""
        found = self.rows(statement, **values)
        return found[0] if found else None

    def strangers(self) -> list[str]:
        """Return triggers, views, rules and tables that this program did not make.

        A database that only this program has changed contains no such objects.
        """
        ours = {" ".join(statement.split()) for statement in _schema()}
        return [
            f"{kind} {name}"
            for kind, name, made_by in self.rows(self.dialect.strangers)
            if " ".join(made_by.split()) not in ours
        ]

    def damage(self) -> list[str]:
        """Return inconsistencies of the file, for example an index that refers to a wrong row."""
        return [said for (said,) in self.rows(self.dialect.damage) if said != "ok"]

    def do(self, statement: str, **values: Value) -> None:
        self._connection.execute(_worded(statement, self.dialect.placeholder), values)

    @contextmanager
    def change(self) -> Iterator[None]:
        """Run an exclusive transaction: all of it is committed, or no part of it."""
        with self._transaction(self.dialect.change):
            yield

    @contextmanager
    def look(self) -> Iterator[None]:
        """Run a read-only transaction: all reads see the same state."""
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
                with suppress(
                    self.errors
                ):  # it never began, or the connection is lost and with it the transaction
                    self.do("ROLLBACK")
                raise
        except self.errors as error:
            raise _named(error, self.where) from error

    def _revive(self) -> None:
        """Reconnect to a server if the connection was lost."""
        if self.dialect is POSTGRESQL and self._connection.closed:
            self._connection, _ = _connect_to_server(self.where)

    def now(self) -> datetime:
        """Return the time of this host, or of the server if several hosts share the database."""
        if self.dialect is SQLITE:
            return datetime.now(UTC)
        (row,) = self.rows("SELECT clock_timestamp()")
        server: datetime = row[0]
        return server

    def commit(self) -> None:
        """Commit the transaction: before it no change is recorded, after it all are."""
        self.do("COMMIT")

    def close(self) -> None:
        self._connection.close()


def _connect_to_file(where: str, create: bool) -> sqlite3.Connection:
    path = Path(where)
    if not create and not path.exists():
        raise NoDatabaseError(f"{where} does not exist", "Run `cutcard meter create` to make it.")
    try:
        if create:
            private_files.make_folder(path.parent)
        os.close(private_files.open_record(path))  # -wal and -shm get its permissions
        connection = sqlite3.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # confirmed changes survive a power cut
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
        # The encoding is explicit: a server without a locale would return bytes instead of text.
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
    """Return an address for display, without its password."""
    return re.sub(r"(://[^:/@]*):[^@/]*@", r"\1@", where)


def _named(error: Exception, where: str) -> MeterError:
    where = named_place(where)
    said = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if getattr(error, "sqlstate", "") == LOCK_NOT_AVAILABLE or said == "database is locked":
        return DatabaseBusyError(
            f"{where} was in use for {PATIENCE_SECONDS} seconds",
            "The change was not recorded; repeat it with the same key.",
        )
    return DatabaseUnreachableError(
        f"{where}: {said}",
        "Make sure that it can be reached, then repeat the request with the same key: a recorded "
        "change is not made twice.",
    )
