"""The wheel, installed into an empty environment without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WHEELHOUSE = ROOT / "build" / "wheelhouse"
# An activated environment and its packages must not affect the test.
STRANGER = {**os.environ, "PATH": "/usr/local/bin:/usr/bin:/bin"}
OURS = {"cutcard", "cutcard_firmware", "rng_certification"}

TEN_LINES = """
from cutcard.cards import Card
from cutcard.engine import Act, Deal, Placed, Table, finish, results, start, step
from cutcard.rulebooks import open_rulebook

table = Table(open_rulebook("uk-blackjack"), decks=6)
round = start(table, [Placed(1, "Ann", "main", 1000)])
for card in ("9s", "7d", "Th"):
    round = step(round, Deal(Card.parse(card)))
round = step(round, Act("stand"))
for card in ("9c", "Kd"):
    round = step(round, Deal(Card.parse(card)))
for result in results(finish(round)):
    print(result.result, result.net, *result.rules)
"""

# Modules that do not load for another reason than a missing extra, with the missing module.
UNEXPLAINED = """
import pkgutil
from importlib import import_module

import cutcard
import rng_certification
from cutcard.extras import extra_of

for package in (cutcard, rng_certification):
    for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}.", lambda name: None):
        if each.name.endswith("__main__") or ".scripts." in each.name:
            continue
        try:
            import_module(each.name)
        except ModuleNotFoundError as error:
            if extra_of(error.name or "") is None:
                print(f"{each.name} misses {error.name}")
"""


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    _run(
        *(sys.executable, "-m", "pip", "wheel", "-qq", "--no-deps", "--no-build-isolation"),
        *("--no-index", "-w", str(folder), str(ROOT)),
    )
    return next(folder.glob("cutcard-*.whl"))


@pytest.fixture(scope="session")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the programs of an environment with the wheel and its requirements."""
    if not (WHEELHOUSE / "ready").exists():
        pytest.fail(f"{WHEELHOUSE} is missing: run .ci/set-up-wheelhouse")
    folder = tmp_path_factory.mktemp("stranger")
    venv.create(folder, symlinks=True)
    _run(
        *(sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install"),
        *("-qq", "--no-index", "--find-links", str(WHEELHOUSE), str(wheel)),
    )
    return folder / "bin"


def _run(*command: str, returncode: int = 0, cwd: Path | None = None) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=cwd, env=STRANGER
    )
    assert done.returncode == returncode, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def test_wheel_has_three_packages_and_no_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == OURS
    assert [name for name in names if "/tests/" in name] == []


def test_wheel_is_marked_as_typed(wheel: Path) -> None:
    typed = {"cutcard/py.typed", "rng_certification/py.typed"}
    assert typed <= set(zipfile.ZipFile(wheel).namelist())


def test_the_command_answers(programs: Path, tmp_path: Path) -> None:
    assert _run(str(programs / "cutcard"), "--version", cwd=tmp_path).startswith("cutcard ")


def test_wheel_has_the_driver(programs: Path, tmp_path: Path) -> None:
    program = "from cutcard.devices import Shuffler, InFaultError; print(Shuffler.__name__)"
    assert _run(str(programs / "python"), "-c", program, cwd=tmp_path) == "Shuffler\n"


def test_ten_lines_settle_a_round(programs: Path, tmp_path: Path) -> None:
    assert _run(str(programs / "python"), "-c", TEN_LINES, cwd=tmp_path).startswith("win 1000 ")


def test_wheel_has_the_rulebooks(programs: Path, tmp_path: Path) -> None:
    said = _run(str(programs / "cutcard"), "rulebook", "show", "crown-melbourne-26", cwd=tmp_path)
    assert "Blackjack" in said


def test_wheel_has_the_case_files(programs: Path, tmp_path: Path) -> None:
    said = _run(str(programs / "cutcard"), "case", "run", "-q", "uk-blackjack", cwd=tmp_path)
    assert said.endswith(" 0 differ, 0 malformed\n")


def test_every_module_loads_or_names_its_missing_extra(programs: Path, tmp_path: Path) -> None:
    """Packages that are installed only for another package are absent here."""
    said = _run(str(programs / "python"), "-c", UNEXPLAINED, cwd=tmp_path)
    of_the_plugin = "cutcard.testing misses pytest\n"  # an environment with tests has pytest
    assert said == of_the_plugin


def test_an_image_is_verified_without_a_compiler(programs: Path, tmp_path: Path) -> None:
    (tmp_path / "no.image").write_bytes(b"nothing of ours")
    said = _run(
        *(str(programs / "cutcard"), "image", "verify", "no.image"), returncode=1, cwd=tmp_path
    )
    assert "no.image" in said
    assert "pip install" not in said


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (["certify", "--input", "x", "--kind", "bits"], "certify"),
        (["bench"], "bench"),
        (["chip"], "bench"),
        (["table", "run"], "bench"),
        (["table", "jackpot"], "bench"),
        (["image", "build", "--board", "rp2"], "bench"),
        (["flash", "port", "image"], "flash"),
        (["meter", "show", "--database", "postgresql://nobody@localhost/none"], "meters"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_missing_part_is_reported_with_the_install_command(
    programs: Path, tmp_path: Path, arguments: list[str], extra: str
) -> None:
    done = subprocess.run(
        [str(programs / "cutcard"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=STRANGER,
    )
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert f"pip install 'cutcard[{extra}]'" in said
    assert "Traceback" not in said


def test_chip_without_a_clone_explains_how_to_get_micropython(
    programs: Path, tmp_path: Path
) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(
        [str(programs / "cutcard"), "chip"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**STRANGER, **cache},
    )
    assert done.returncode == 2
    output = f"--output {tmp_path / 'cutcard' / 'chip'}"
    assert f"python3 firmware/interpreter/build.py RPI_PICO {output}" in done.stderr
    packages = next((programs.parent / "lib").glob("python3*")) / "site-packages"
    emulator = packages / "cutcard" / "chip" / "emulator"
    assert f"npm ci --prefix {emulator}" in done.stderr
    assert (emulator / "package-lock.json").is_file()


def test_wheel_installs_no_other_folder_of_the_repository(programs: Path) -> None:
    packages = next((programs.parent / "lib").glob("python3*")) / "site-packages"
    assert not (packages / "firmware").exists()
    assert shutil.which("cutcard", path=str(programs)) is not None
