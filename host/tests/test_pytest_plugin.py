"""pytest loads the plugin by its entry point, once, also beside a conftest.py that names it."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEST = """
def test_the_plugin_is_registered_once(request):
    names = [name for name, _ in request.config.pluginmanager.list_name_plugin()
             if "cutcard" in name]
    assert names == ["cutcard.testing.plugin"]
    assert request.config.getoption("port") == "bench"
"""
CONFTEST = 'pytest_plugins = ["cutcard.testing.plugin"]\n'


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder of packages with the metadata that an installation writes from pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    info = tmp_path / "packages" / "cutcard_entry_points-0.dist-info"
    info.mkdir(parents=True)
    metadata = ("Metadata-Version: 2.1", "Name: cutcard-entry-points", "Version: 0", "")
    (info / "METADATA").write_text("\n".join(metadata))
    points = project["entry-points"]["pytest11"].items()
    lines = [f"{name} = {module}" for name, module in points]
    (info / "entry_points.txt").write_text("\n".join(["[pytest11]", *lines]) + "\n")
    return info.parent


@pytest.mark.parametrize("conftest", ["", CONFTEST], ids=["without conftest", "with conftest"])
def test_the_entry_point_registers_the_plugin_once(
    installed: Path, conftest: str, tmp_path: Path
) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "conftest.py").write_text(conftest)
    (tests / "test_it.py").write_text(TEST)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tests,
        capture_output=True,
        text=True,
        env={name: held for name, held in os.environ.items() if name != "PYTEST_ADDOPTS"}
        | {"PYTHONPATH": str(installed)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
