"""The databases for every test of the meters: SQLite, and a private PostgreSQL server."""

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
LOCALE = ("-E", "UTF8", "--no-locale")  # not the configuration of the user


def missing(what: str) -> NoReturn:
    """Skip a missing server on a laptop, with its name; fail in CI."""
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)


def programs() -> Path:
    """Return the folder of the newest PostgreSQL's programs."""
    found = sorted(DEBIAN.glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    if not found:
        missing("PostgreSQL is not installed: run .ci/set-up-system, or apt install postgresql")
    return found[-1].parent


@contextmanager
def server() -> Iterator[str]:
    """Start a private server on a unix socket; return its address without a schema.

    PostgreSQL refuses to run as root, so root uses the user that the package made for it.
    """
    user = _unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # the path of a socket must be short
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
    """Return the address of an empty schema of the server."""
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
