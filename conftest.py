"""For every test: the same environment, no verdict by the machine's load, and no soak that
nobody asked for."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["cutcard.testing.plugin"]

CHROMIUM = "/usr/bin/chromium"
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
]

# What somebody has set for a terminal, or for devices of their own, is nothing to a test or to the
# processes that it starts.
INHERITED = ("COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "PYTHONIOENCODING")
OWN = ("CUTCARD_HOME", "CUTCARD_KEYS", "CUTCARD_METERS", "CUTCARD_PASSPHRASE")
for name in (*INHERITED, *OWN):
    os.environ.pop(name, None)
os.umask(0o022)

settings.register_profile("cutcard", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("cutcard")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "soak: takes minutes; `make soak` runs it")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A soak is asked for (`-m soak`), never stumbled into."""
    if not config.option.markexpr:
        soaks = [item for item in items if item.get_closest_marker("soak")]
        config.hook.pytest_deselected(items=soaks)
        items[:] = [item for item in items if item not in soaks]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium. Playwright has one in a process at a time, and while it has one nothing
    else may run an event loop: it goes with the module that asked for it."""
    if not Path(CHROMIUM).exists() and os.environ.get("CI") != "true":
        pytest.skip(f"there is no {CHROMIUM}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture(autouse=True)
def _collections_look_at_what_is_new() -> Iterator[None]:
    """The firmware sweeps its heap often. In this process that heap would be the compilers' too,
    a tenth of a second each time: what was there before a test is left out."""
    gc.freeze()
    yield
    gc.unfreeze()
