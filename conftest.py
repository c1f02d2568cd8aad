"""For every test: how long an example takes tells of the machine's load, not of the code."""

import gc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("cutcard", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("cutcard")


@pytest.fixture(autouse=True)
def _collections_look_at_what_is_new() -> Iterator[None]:
    """The firmware sweeps its heap often. In this process that heap would be the compilers' too,
    a tenth of a second each time: what was there before a test is left out."""
    gc.freeze()
    yield
    gc.unfreeze()
