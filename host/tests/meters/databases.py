"""The databases that every test of the meters runs on: SQLite, and a private PostgreSQL server."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import psycopg
import pytest

DEBIAN = Path("/usr/lib/postgresql")
START_SECONDS = 60
LOCALE = ("-E", "UTF8", "--no-locale")  # not that of whoever runs the tests


def missing(what: str) -> NoReturn:
    """On a laptop a missing server is skipped, by name; in CI it is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)


def programs() -> Path:
    """Where the newest PostgreSQL's programs are."""
    found = sorted(DEBIAN.glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    if not found:
        missing("PostgreSQL is not installed: run .ci/set-up-system, or apt install postgresql")
    return found[-1].parent


@contextmanager
def server() -> Iterator[str]:
    """A server of our own on a unix socket in a temporary folder; its address without a schema.

    PostgreSQL will not run as root, so root lends it the user that the package made for it.
    """
    user = _unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # a socket's path must be short
    data = folder / "data"
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)
    try:
        _run(user, "initdb", "-D", data, "-U", "cutcard", "-A", "trust", "-N", *LOCALE)
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        log = folder / "log"
        _run(
            user, "pg_ctl", "-D", data, "-l", log, "-w", "-t", START_SECONDS, "-o", options, "start"
        )
        try:
            yield f"postgresql://cutcard@/postgres?host={folder}"
        finally:
            _run(user, "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def schema(server: str, name: str) -> str:
    """The address of an empty corner of the server."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE SCHEMA "{name}"'.encode())
    return f"{server}&options=-csearch_path%3D{name}"


def _unprivileged() -> pwd.struct_passwd | None:
    if os.getuid() != 0:
        return None
    names = {user.pw_name for user in pwd.getpwall()}
    return pwd.getpwnam("postgres" if "postgres" in names else "nobody")


def _run(user: pwd.struct_passwd | None, program: str, *arguments: object) -> None:
    subprocess.run(
        [programs() / program, *map(str, arguments)],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        user=user.pw_uid if user else None,
        group=user.pw_gid if user else None,
        extra_groups=[] if user else None,
    )
