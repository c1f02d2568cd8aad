"""The examples run unchanged, are short, and state their purpose in the first line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
AGAINST_A_DEVICE = sorted((ROOT / "examples/hil").glob("*.py"))
LINES = 45

# The last line of each example's output.
SAYS = {
    "ask_every_rulebook": "void-round",
    "certify_a_generator": "bad: fail",
    "drive_a_device": "unloaded 309 cards",
    "play_from_obligations": "Ann: lose, -1000 cents\nBen: stand-off, +0 cents",
    "recover_from_a_jam": "Dealt ",
    "settle_a_round": "Ann, main: win, +1000 cents",
    "simulate_a_game": "20000 rounds, ",
    "verify_a_prize": "the signature does not match this key",
    "watch_the_wire": "<- event card number=3",
    "write_a_machine_file": "my-drum deals ",
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_and_prints_output(example: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, example], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert SAYS[example.stem] in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("example", [*EXAMPLES, *AGAINST_A_DEVICE], ids=lambda path: path.stem)
def test_an_example_is_short_and_is_on_the_page(example: Path) -> None:
    lines = example.read_text("utf-8").splitlines()
    assert lines[0].startswith('"""')
    assert lines[0].rstrip('"').endswith(".")
    assert len(lines) <= LINES
    page = (ROOT / "docs/how-to/programming.md").read_text("utf-8")
    assert example.name in page


def test_a_test_against_a_device_runs_outside_of_this_repository(tmp_path: Path) -> None:
    """The plugin provides its fixtures and options when it is loaded by name."""
    shutil.copytree(ROOT / "examples/hil", tmp_path / "mine", ignore=_caches)
    assert _pytest(tmp_path / "mine").startswith("4 passed")


def test_board_gets_only_tests_without_manual_work(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples/hil", tmp_path / "mine", ignore=_caches)
    said = _pytest(tmp_path / "mine", "--port", "bench:shoe-8")
    assert said.startswith("1 passed, 3 skipped")


@pytest.mark.parametrize(
    ("port", "problem"),
    [
        ("nonsense", "--port: 'nonsense' is not a port. Write bench:"),
        ("bench:nonsense", "--port: 'bench:nonsense': "),
        ("/dev/no-such-board", "--port: /dev/no-such-board does not exist. Check that"),
    ],
)
def test_a_port_without_a_device_is_a_usage_error(tmp_path: Path, port: str, problem: str) -> None:
    shutil.copytree(ROOT / "examples/hil", tmp_path / "mine", ignore=_caches)
    command = [sys.executable, "-m", "pytest", "--port", port]
    done = subprocess.run(command, cwd=tmp_path / "mine", capture_output=True, text=True)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert problem in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


CRASHED_AND_LEAKING = """
import os
from dataclasses import replace
from pathlib import Path

def test_it_crashes(shuffler):
    bench = shuffler.bench.pid
    firmware = Path(f"/proc/{bench}/task/{bench}/children").read_text().split()[0]
    os.kill(int(firmware), 11)
    shuffler.bench.settle()

def test_it_leaks(shuffler):
    counters = shuffler.device.counters
    shuffler.device.counters = lambda: replace(counters(), free_heap=counters().free_heap - 4000)

def test_the_next_one_has_a_fresh_device(shuffler):
    assert shuffler.status().inside == 52
"""


def test_firmware_that_crashes_or_leaks_fails_its_test(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((ROOT / "examples/hil/conftest.py").read_text("utf-8"))
    (tmp_path / "test_bad.py").write_text(CRASHED_AND_LEAKING)
    said = _pytest(tmp_path, "-p", "no:randomly")
    assert said.startswith("3 passed, 2 errors")
    assert "the device leaks heap" in said


def _caches(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name == "__pycache__"]


def _pytest(folder: Path, *arguments: str) -> str:
    """Run pytest; return the last line of its output, and the rest."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={name: held for name, held in os.environ.items() if name != "PYTEST_ADDOPTS"},
    )
    assert done.stdout, done.stderr
    return done.stdout.splitlines()[-1] + "\n" + done.stdout
