"""Settings of every test run: the environment, the random inputs, and which tests are left out.

Random inputs are the same in every run and on every computer. `--explore TIMES` tries new ones.
"""

import atexit
import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase
from hypothesis.internal.conjecture import providers

pytest_plugins = ["cutcard.testing.plugin"]

CHROMIUM = "/usr/bin/chromium"
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
]

# The developer's settings for terminals and devices must not affect tests or their processes.
INHERITED = ("COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "PYTHONIOENCODING")
OWN = ("CUTCARD_HOME", "CUTCARD_KEYS", "CUTCARD_METERS", "CUTCARD_PASSPHRASE")
for name in (*INHERITED, *OWN):
    os.environ.pop(name, None)
os.umask(0o022)
# As in `rng_certification.base.one_core`, before numpy is loaded: its threads would occupy a core
# while they wait, which another worker needs.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The keys of tables that tests and their processes open.
os.environ["XDG_CONFIG_HOME"] = _own_configuration = tempfile.mkdtemp(prefix="cutcard-tests-")
atexit.register(shutil.rmtree, _own_configuration, ignore_errors=True)

SEED = 1  # of pytest-randomly, without --randomly-seed and --explore


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--explore",
        type=int,
        default=0,
        metavar="TIMES",
        help="try new random inputs, TIMES as many for each Hypothesis test. Failing examples are "
        "kept in .hypothesis/examples and tried first by the next --explore.",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "soak: takes minutes; `make soak` runs it")
    explores = config.getoption("explore") > 0
    common = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("repeat", common, derandomize=True, database=None)
    kept = DirectoryBasedExampleDatabase(_examples_folder(config))
    settings.register_profile("explore", common, derandomize=False, database=kept, print_blob=True)
    settings.load_profile("explore" if explores else "repeat")
    if not explores:
        # Hypothesis also draws constants of every loaded module, and those differ between workers
        # and with the order of the tests.
        providers.HypothesisProvider._local_constants = providers.Constants()  # type: ignore
        if getattr(config.option, "randomly_seed", None) == "default":
            config.option.randomly_seed = SEED


def _examples_folder(config: pytest.Config) -> Path:
    return config.rootpath / ".hypothesis" / "examples"


def pytest_report_header(config: pytest.Config) -> str:
    times = config.getoption("explore")
    if times > 0:
        return (
            f"random inputs: new ones, {times} times as many; failing examples are kept in "
            f"{_examples_folder(config)}"
        )
    return "random inputs: the same in every run; new ones with --explore 10"


@pytest.hookimpl(trylast=True)  # Hypothesis has marked its tests by then
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out soaks unless `-m` is given; multiply the examples of Hypothesis tests."""
    if not config.option.markexpr:
        soaks = [item for item in items if item.get_closest_marker("soak")]
        config.hook.pytest_deselected(items=soaks)
        items[:] = [item for item in items if item not in soaks]
    if (times := config.getoption("explore")) > 1:
        _multiply_examples(items, times)


def _multiply_examples(items: list[pytest.Item], times: int) -> None:
    """Give each Hypothesis test `times` as many examples, once for all its parameters."""
    multiplied: set[Any] = set()
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("hypothesis"):
            is_state_machine = hasattr(item.cls, "settings")
            owner: Any = item.cls if is_state_machine else getattr(item.obj, "__func__", item.obj)
            name = "settings" if is_state_machine else "_hypothesis_internal_use_settings"
            if owner not in multiplied:
                given = getattr(owner, name)
                setattr(owner, name, settings(given, max_examples=given.max_examples * times))
                multiplied.add(owner)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium, closed at the end of each module that uses it.

    Playwright allows one per process, and no other event loop may run in the meantime.
    """
    if not Path(CHROMIUM).exists() and os.environ.get("CI") != "true":
        pytest.skip(f"there is no {CHROMIUM}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture(autouse=True)
def _exclude_old_objects_from_collections() -> Iterator[None]:
    """Leave objects older than the test out of garbage collections.

    The firmware collects often, and each collection of this process's entire heap takes 0.1 s.
    """
    gc.freeze()
    yield
    gc.unfreeze()
