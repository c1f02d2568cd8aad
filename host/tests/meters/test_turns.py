"""One change at a time: who waits too long is told, who vanishes in his turn loses it."""

from __future__ import annotations

from datetime import datetime, timedelta

import psycopg
import pytest

from cutcard.meters import Meters, database
from cutcard.meters.errors import DatabaseBusyError, DatabaseUnreachableError
from tests.meters.floor import Watch


def test_who_waits_too_long_for_his_turn_may_ask_again(
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


def test_a_host_that_vanishes_in_its_turn_loses_it(
    postgresql_corner: str, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its line is open and silent, as after a power cut at the other end."""
    with Meters.open(postgresql_corner, watch, create=True) as meters:
        monkeypatch.setattr(database, "SILENCE_SECONDS", 1)
        vanished = Meters.open(postgresql_corner, watch)
        with vanished, pytest.raises(DatabaseUnreachableError), vanished.database.change():
            meters.deposit("12", 500, "a")
        assert meters.deposit("12", 500, "a").repeated


def test_a_line_that_broke_is_opened_anew_for_who_asks_again(
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


def test_hosts_that_share_a_server_go_by_its_clock(postgresql_corner: str) -> None:
    with Meters.open(postgresql_corner, create=True) as meters:
        recorded = datetime.fromisoformat(meters.deposit("12", 500, "a").entries[0].at)
        (row,) = meters.database.rows("SELECT clock_timestamp()")
    assert timedelta(0) <= row[0] - recorded < timedelta(minutes=1)


def test_a_server_that_was_set_up_without_a_locale_gives_text(postgresql: str) -> None:
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
