"""The samples for CI: what they call exists, and a failed test leaves its artefacts."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

SAMPLES = Path(__file__).parents[2] / "examples" / "ci"
CONFTEST = 'pytest_plugins = ["cutcard.testing.plugin"]\n'
TESTS = """
def test_fails(shuffler, tmp_path):
    (tmp_path / "table.journal").write_text("a journal")
    shuffler.device.deal()
    assert False

def test_passes(shuffler):
    shuffler.device.deal()
"""


def pytest_lines(sample: Path) -> list[list[str]]:
    """Return the words of each call of pytest in a sample."""
    text = sample.read_text("utf-8")
    return [shlex.split(line) for line in re.findall(r"(?<=- )(?:run: )?pytest (.*)", text)]


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:randomly",
            *words,
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"},
    )


@pytest.mark.parametrize("name", ["github-actions.yml", "gitlab-ci.yml"])
def test_sample_leaves_junit_and_the_artefacts_of_a_failed_test(name: str, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(TESTS)
    words = pytest_lines(SAMPLES / name)[0]
    # The samples fill in the port and need pytest-timeout, which may be missing here.
    typed = [word for word in words[: words.index("--timeout")] if "PORT" not in word]
    typed = [word for word in typed if not word.startswith(("--port", "$", "matrix", "}"))]
    done = run(tmp_path, *typed)

    assert done.returncode == 1, done.stdout + done.stderr
    results = ElementTree.parse(tmp_path / "junit.xml").getroot()[0]
    assert (results.get("tests"), results.get("failures")) == ("2", "1")
    (kept,) = (tmp_path / "artefacts").iterdir()
    assert "test_fails" in kept.name
    assert "-> command deal" in (kept / "wire.log").read_text("utf-8")
    events = [json.loads(line) for line in (kept / "events.jsonl").read_text("utf-8").splitlines()]
    assert events[-1]["event"] == "CardDealt"
    assert (kept / "table.journal").read_text("utf-8") == "a journal"


def test_failed_test_on_the_emulated_board_leaves_its_pins(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(
        "def test_fails(bench_device):\n"
        "    bench_device('carousel-38').status()\n"
        "    assert False\n"
    )
    done = run(tmp_path, "--port", "chip:", "--artefacts", "artefacts")

    assert done.returncode == 1, done.stdout + done.stderr
    (kept,) = (tmp_path / "artefacts").iterdir()
    assert (kept / "pins.vcd").read_text("utf-8").startswith("$timescale")


@pytest.mark.parametrize("name", ["github-actions.yml", "gitlab-ci.yml"])
def test_sample_uploads_what_its_pytest_writes(name: str) -> None:
    text = (SAMPLES / name).read_text("utf-8")
    for words in pytest_lines(SAMPLES / name):
        assert "--junitxml=junit.xml" in words
        assert "--artefacts=artefacts" in words
    assert text.count("junit.xml") > len(pytest_lines(SAMPLES / name))
    assert "artefacts/" in text
    assert "always" in text


@pytest.mark.soak
def test_labgrid_drives_a_device(tmp_path: Path) -> None:
    """It needs `pip install labgrid`, which cutcard does not."""
    pytest.importorskip("labgrid")
    (tmp_path / "test_it.py").write_text(
        """
def test_it_deals(target):
    driver = target.get_driver("CutcardDriver")
    driver.load(decks=1)
    assert driver.device.status().inside == 52
    assert len(driver.deal(2)) == 2
    target.deactivate(driver)
"""
    )
    environment = SAMPLES / "labgrid-environment.yaml"
    done = run(tmp_path, "--lg-env", str(environment))
    assert "1 passed" in done.stdout, done.stdout + done.stderr
