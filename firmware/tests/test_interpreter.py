"""MicroPython for the board, as this repository builds it: what came out, and from what."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from firmware.tests.interpreters import missing

ROOT = Path(__file__).parent.parent.parent
BUILD = ROOT / "firmware" / "interpreter" / "build.py"
BUILT = ROOT / "build" / "micropython"
# What came out elsewhere, of the compiler and the sources in its record. Whoever builds from the
# same gets the same bytes, in another folder and on another day.
SEEN = Path(__file__).parent / "data" / "micropython.json"


def record() -> dict[str, object]:
    file = BUILT / "RPI_PICO.json"
    if not file.exists():
        why = BUILT / "missing.txt"
        if why.exists():
            pytest.skip(why.read_text().strip())  # also in CI: a mirror moves on without us
        missing("there is no MicroPython for the boards: run make micropython")
    read: dict[str, object] = json.loads(file.read_text())
    return read


def test_the_uf2_is_the_one_that_its_record_speaks_of() -> None:
    expected = record()["sha256"]
    assert hashlib.sha256((BUILT / "RPI_PICO.uf2").read_bytes()).hexdigest() == expected


def test_the_same_sources_and_compiler_give_the_bytes_that_were_seen_elsewhere() -> None:
    here, seen = record(), json.loads(SEEN.read_text())
    if (here["compiler"], here["sources"]) != (seen["compiler"], seen["sources"]):
        pytest.skip(f"built by {here['compiler']} or from newer sources than what was seen")
    assert here["sha256"] == seen["sha256"]


def test_every_source_has_its_licence_in_the_list() -> None:
    sources = record()["sources"]
    assert isinstance(sources, list)
    licences = (BUILT / "licences.txt").read_text()
    for source in sources:
        assert f"{source['name']} {source['version']}: " in licences


def test_a_source_that_the_mirror_does_not_have_names_itself(tmp_path: Path) -> None:
    """And leaves the reason where the tests that need the file find it."""
    folder = tmp_path / "interpreter"
    folder.mkdir()
    for name in ("build.py", "sources.py", "frozen.py"):
        (folder / name).write_text((BUILD.parent / name).read_text())
    table = (BUILD.parent / "sources.toml").read_text()
    (folder / "sources.toml").write_text(table.replace("pico-sdk_2.1.1", "pico-sdk_0.0.0"))
    tools = tmp_path / "tools"
    tools.mkdir()
    apt_get = '#!/bin/sh\n[ "$1" = indextargets ] && echo file:/nowhere/\nexit 0\n'
    for name, text in (("apt-get", apt_get), *((t, "#!/bin/sh\necho none\n") for t in TOOLS)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    record()
    keep_what_was_fetched(tmp_path / "cache")
    done = subprocess.run(
        [sys.executable, folder / "build.py", "--output", tmp_path / "out"],
        env={"PATH": f"{tools}:/usr/bin:/bin", "XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "Pico SDK 2.1.1 is not to be had" in done.stderr
    assert "pico-sdk_0.0.0" in (tmp_path / "out" / "missing.txt").read_text()


TOOLS = ("arm-none-eabi-gcc", "arm-none-eabi-objcopy", "cmake", "gcc", "make", "dpkg-deb")


def keep_what_was_fetched(cache: Path) -> None:
    """A cache that has MicroPython's own sources, so that the first thing missing is the second."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    there = cache / "cutcard" / "sources"
    there.mkdir(parents=True)
    for file in (home / "cutcard" / "sources").glob("*-micropython_*"):
        (there / file.name).symlink_to(file)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_folder_date_and_umask_make_no_difference(tmp_path: Path) -> None:
    """Built once more, elsewhere, on another day, with a umask that shuts everybody out."""
    record()
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    day = ["faketime", "2031-02-03"] if faketime() else []
    command = [*day, sys.executable, str(BUILD), "--anew", "--output", str(tmp_path), "RPI_PICO"]
    done = subprocess.run(command, env={**os.environ, "TMPDIR": str(elsewhere)}, umask=0o077)
    assert done.returncode == 0
    assert (tmp_path / "RPI_PICO.uf2").read_bytes() == (BUILT / "RPI_PICO.uf2").read_bytes()


def faketime() -> bool:
    return subprocess.run(["which", "faketime"], capture_output=True).returncode == 0
