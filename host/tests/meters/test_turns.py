"""One change at a time: a long wait ends in an error, and a stopped host loses the lock."""

from __future__ import annotations

from datetime import datetime, timedelta

import psycopg
import pytest

from cutcard.meters import Meters, database
from cutcard.meters.errors import DatabaseBusyError, DatabaseUnreachableError
from tests.meters.floor import Watch


def test_request_that_times_out_may_be_repeated(
    where: str, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PATIENCE_SECONDS", 1)
    with (
        Meters.open(where, watch, create=True) as slow,
        Meters.open(where, watch) as meters,
    ):
        with slow.database.change(), pytest.raises(DatabaseBusyError, match="with the same key"):
            meters.deposit("12", 500, "a")
        assert not meters.deposit("12", 500, "a").repeated


def test_stopped_host_loses_the_lock(
    postgresql_corner: str, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connection is open and silent, as after a power cut of the host."""
    with Meters.open(postgresql_corner, watch, create=True) as meters:
        monkeypatch.setattr(database, "SILENCE_SECONDS", 1)
        vanished = Meters.open(postgresql_corner, watch)
        with vanished, pytest.raises(DatabaseUnreachableError), vanished.database.change():
            meters.deposit("12", 500, "a")
        assert meters.deposit("12", 500, "a").repeated


def test_broken_connection_is_reopened_for_the_next_request(
    postgresql_corner: str, watch: Watch
) -> None:
    with (
        Meters.open(postgresql_corner, watch, create=True) as meters,
        Meters.open(postgresql_corner, watch) as other,
    ):
        (line,) = meters.database.rows("SELECT pg_backend_pid()")
        other.database.rows("SELECT pg_terminate_backend(:line)", line=line[0])
        with pytest.raises(DatabaseUnreachableError):
            meters.deposit("12", 500, "a")
        assert not meters.deposit("12", 500, "a").repeated


def test_hosts_that_share_a_server_use_its_clock(postgresql_corner: str) -> None:
    with Meters.open(postgresql_corner, create=True) as meters:
        recorded = datetime.fromisoformat(meters.deposit("12", 500, "a").entries[0].at)
        (row,) = meters.database.rows("SELECT clock_timestamp()")
    assert timedelta(0) <= row[0] - recorded < timedelta(minutes=1)


def test_server_without_a_locale_returns_text(postgresql: str) -> None:
    """`initdb` under LC_ALL=C makes databases of SQL_ASCII."""
    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS plain")
        connection.execute(
            "CREATE DATABASE plain ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'"
            " TEMPLATE template0"
        )
    where = postgresql.replace("/postgres?", "/plain?")
    with Meters.open(where, create=True) as meters:
        meters.deposit("12", 500, "a")
        assert not meters.check().problems
