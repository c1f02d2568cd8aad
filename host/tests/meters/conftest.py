"""Each test of the meters runs on both databases, with a clock that it sets itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from cutcard.meters import Meters
from tests.meters.databases import schema, server
from tests.meters.floor import Hands, Watch

_numbers = count(1)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    with server() as address:
        yield address


@pytest.fixture
def postgresql_corner(postgresql: str) -> str:
    """Return the address of an empty schema of the server."""
    return schema(postgresql, f"meters{next(_numbers)}")


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "meters.sqlite")
    address: str = request.getfixturevalue("postgresql_corner")
    return address


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def hands(where: str, watch: Watch) -> Iterator[Hands]:
    """Return meters in an empty database, with a helper that operates them."""
    with Meters.open(where, watch, create=True) as meters:
        yield Hands(meters, watch)
        found = meters.check()
        assert not found.problems, found.problems
