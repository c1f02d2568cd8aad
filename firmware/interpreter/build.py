#!/usr/bin/env python3
"""Build MicroPython for the boards from Debian's packages: `make micropython`.

The same sources and compiler give the same bytes in any folder, on any day, under any umask. What
was built once is kept in ~/.cache/cutcard by the hash of all that goes into it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sources import Missing, Source, cache, fetch, table

HERE = Path(__file__).parent
BOARDS = {"RPI_PICO": "0xe48bff56", "RPI_PICO2": "0xe48bff59"}  # and the family of its UF2
PACKAGES = "gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib cmake gcc make"
_TOOLS = ("arm-none-eabi-gcc", "arm-none-eabi-objcopy", "cmake", "gcc", "make", "dpkg-deb")
_EPOCH = "1745107200"  # of 1.25.0's release: MicroPython shows a date at its prompt


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("boards", nargs="*", help=f"of {', '.join(BOARDS)}; all without any")
    parser.add_argument("--output", type=Path, default=Path("build/micropython"))
    parser.add_argument("--anew", action="store_true", help="build even what was built before")
    asked = parser.parse_args()
    if wrong := [board for board in asked.boards if board not in BOARDS]:
        parser.error(f"no board {wrong[0]!r}: {', '.join(BOARDS)}")
    reason = asked.output / "missing.txt"  # tests that need the file say this when they are skipped
    asked.output.mkdir(parents=True, exist_ok=True)
    reason.unlink(missing_ok=True)
    try:
        provide(asked.boards or list(BOARDS), asked.output, asked.anew)
    except Missing as error:
        reason.write_text(f"{error}\n")
        print(error, file=sys.stderr)
        return 1
    return 0


def provide(boards: list[str], output: Path, anew: bool) -> None:
    """Leave a UF2 and a record a board in `output`, and the licences."""
    compiler = the_compiler()
    fetched = [fetch(source) for source in table()]
    key = key_of(compiler, [source for source, _ in fetched])
    kept = cache() / "micropython" / key
    wanted = [board for board in boards if anew or not (kept / f"{board}.uf2").exists()]
    if wanted:
        kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="cutcard-micropython-", dir=workshop()) as folder:
            tree = unpacked(fetched, Path(folder) / "micropython", kept)
            make(tree, "mpy-cross", "make", "-C", "mpy-cross", *_jobs())
            for board in wanted:
                uf2 = built(tree, board)
                record = record_of(board, uf2, compiler, [source for source, _ in fetched])
                put(kept / f"{board}.json", record)
                put(kept / f"{board}.uf2", uf2)
    for board in boards:
        for name in (f"{board}.uf2", f"{board}.json"):
            shutil.copyfile(kept / name, output / name)
        digest = hashlib.sha256((output / f"{board}.uf2").read_bytes()).hexdigest()
        print(f"{output / board}.uf2  SHA-256 {digest}")
    shutil.copyfile(kept / "licences.txt", output / "licences.txt")


def workshop() -> str:
    """Where to build: make and the compiler's flags know no folder with a space in its name."""
    for folder in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        if not any(letter.isspace() for letter in folder) and os.access(folder, os.W_OK):
            return folder
    raise Missing("a folder for temporary files without a space in its name: set TMPDIR to one")


def the_compiler() -> str:
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if missing:
        raise Missing(
            f"{', '.join(missing)}: not installed. Run: sudo apt-get install "
            f"--no-install-recommends {PACKAGES}"
        )
    said = subprocess.run(["arm-none-eabi-gcc", "--version"], capture_output=True, text=True)
    return said.stdout.splitlines()[0]


def key_of(compiler: str, sources: list[Source]) -> str:
    """A name for all that the result depends on."""
    parts = [compiler, *(source.sha256 for source in sources)]
    parts += [(HERE / name).read_text() for name in ("build.py", "frozen.py")]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def unpacked(fetched: list[tuple[Source, Path]], tree: Path, kept: Path) -> Path:
    """One tree of all sources, each in its place, and their licences in one file."""
    licences = []
    for source, file in fetched:
        print(f"unpacking {source.name} {source.version}", flush=True)
        parts = tree.parent / file.name
        parts.mkdir()
        if file.suffix == ".deb":
            subprocess.run(["dpkg-deb", "-x", str(file), str(parts)], check=True)
        else:
            subprocess.run(["tar", "-xf", file, "-C", parts, "--strip-components=1"], check=True)
        text = (parts / source.text).read_text()
        licences.append(f"{source.name} {source.version}: {source.licence}\n\n{text}\n")
        shutil.copytree(parts / source.folder, tree / source.into, dirs_exist_ok=True)
        shutil.rmtree(parts)
    (tree / "lib" / "micropython-lib").mkdir(exist_ok=True)
    (tree / "lib" / "micropython-lib" / "README.md").touch()  # cmake looks for it; nothing else is
    put(kept / "licences.txt", "\n".join(licences).encode())
    return tree


def built(tree: Path, board: str) -> bytes:
    """The UF2 of one board."""
    folder = tree / f"build-{board}"
    port = tree / "ports" / "rp2"
    make(
        *(tree, f"{board}, configuration", "cmake", "-S", str(port), "-B", str(folder)),
        f"-DMICROPY_BOARD={board}",
        f"-DMICROPY_FROZEN_MANIFEST={HERE.resolve() / 'frozen.py'}",
        "-DPICO_NO_PICOTOOL=1",
    )
    make(tree, board, "cmake", "--build", str(folder), *_jobs())
    binary = folder / "firmware.bin"
    make(
        *(tree, f"{board}, binary"),
        *("arm-none-eabi-objcopy", "-O", "binary", str(folder / "firmware.elf"), str(binary)),
    )
    uf2 = folder / "out.uf2"
    make(
        *(tree, f"{board}, UF2", sys.executable, "tools/uf2conv.py", "-b", "0x10000000"),
        *("-f", BOARDS[board], "-c", "-o", str(uf2), str(binary)),
    )
    return uf2.read_bytes()


def make(tree: Path, what: str, *command: str) -> None:
    """Run one step in an environment that is the same everywhere; its output only if it fails."""
    print(f"building {what}", flush=True)
    flags = f"-ffile-prefix-map={tree}=."  # asserts and records name files: not where they lay
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tree),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "SOURCE_DATE_EPOCH": _EPOCH,
        "MICROPY_GIT_TAG": f"v{table()[0].version}",
        "MICROPY_GIT_HASH": "debian",
        "CFLAGS": flags,
        "CXXFLAGS": flags,
        "ASMFLAGS": flags,
    }
    done = subprocess.run(
        command, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if done.returncode:
        tail = done.stdout.decode(errors="replace").splitlines()[-40:]
        raise SystemExit("\n".join([*tail, f"{what}: {' '.join(command[:3])} ... failed"]))


def record_of(board: str, uf2: bytes, compiler: str, sources: list[Source]) -> bytes:
    record = {
        "board": board,
        "sha256": hashlib.sha256(uf2).hexdigest(),
        "compiler": compiler,
        "sources": [
            {"name": one.name, "version": one.version, "file": one.file, "sha256": one.sha256}
            for one in sources
        ],
    }
    return (json.dumps(record, indent=2) + "\n").encode()


def put(file: Path, content: bytes) -> None:
    """Whole or not at all: another build may be at it too."""
    part = file.with_suffix(f".{os.getpid()}")
    part.write_bytes(content)
    part.rename(file)


def _jobs() -> tuple[str, ...]:
    return ("-j", str(os.cpu_count() or 1))


if __name__ == "__main__":
    sys.exit(main())
