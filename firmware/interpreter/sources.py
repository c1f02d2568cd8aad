"""Fetch the sources of MicroPython from the mirror that apt is configured with, by SHA-256."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

TABLE = Path(__file__).parent / "sources.toml"
_RELEASE = "trixie"
_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
_HELPER = "/usr/lib/apt/apt-helper"


class Missing(Exception):
    """A tool or source of the build is missing; the message names it and the remedy."""


@dataclass(frozen=True)
class Source:
    """One package: its name and version, its file on the mirror, and its folder in the tree."""

    name: str
    version: str
    file: str
    sha256: str
    into: str
    licence: str
    text: str  # the file of the package that has its licence
    folder: str = ""  # the folder of the package to use, if not all of it
    package: str = ""  # Debian's name for it; with `series`, the versions
    series: str = ""  # that are accepted if the mirror only has the newest


def table() -> list[Source]:
    return [Source(**entry) for entry in tomllib.loads(TABLE.read_text())["source"]]


def cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "cutcard"


def fetch(source: Source) -> tuple[Source, Path]:
    """Return the source as found, which may be a newer version, and its file."""
    try:
        return source, _file(source)
    except Missing:
        if not source.series:
            raise
    found = _newest(source)
    return found, _file(found)


def _file(source: Source) -> Path:
    kept = cache() / "sources" / f"{source.sha256[:16]}-{Path(source.file).name}"
    if kept.exists() and _sha256(kept) == source.sha256:
        return kept
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        got = Path(folder) / "got"
        address = f"{mirror()}pool/main/{source.file}"
        done = _run(_HELPER, "download-file", address, str(got), f"SHA256:{source.sha256}")
        if done.returncode or not got.exists():
            raise Missing(
                f"{source.name} {source.version} is not to be had: apt's mirror does not send "
                f"pool/main/{source.file} with SHA-256 {source.sha256}.\n{done.stderr.strip()}\n"
                f"Put the file at {kept}, or name another version in {TABLE.name}."
            )
        if _sha256(got) != source.sha256:  # apt should have checked this
            raise Missing(f"{source.file}: its SHA-256 is not {source.sha256}")
        got.rename(kept)
    return kept


def mirror() -> str:
    """Return the URL of apt's Debian mirror; it ends with a slash."""
    for _ in range(2):
        targets = _run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Label: Debian")
        if found := sorted(set(targets.stdout.split())):
            return found[0]
        _run("apt-get", "-qq", "update")  # apt only reports mirrors with fetched lists
    raise Missing(
        "apt is not configured with a mirror of Debian (apt-get indextargets 'Label: Debian' "
        "says none): configure one, or run `apt-get update` as root."
    )


def _newest(source: Source) -> Source:
    """Return the package's current version in the release; it must be of the same series."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "sources.list"
        listed.write_text(f"deb-src [signed-by={_KEYRING}] {mirror()} {_RELEASE} main\n")
        Path(folder, "lists", "partial").mkdir(parents=True)
        private = (
            *("-o", f"Dir::Etc::SourceList={listed}", "-o", "Dir::Etc::SourceParts=-"),
            *("-o", f"Dir::State::Lists={folder}/lists", "-o", f"Dir::Cache={folder}"),
        )
        _run("apt-get", *private, "-qq", "update")
        said = _run("apt-get", *private, "-qq", "source", "--print-uris", source.package).stdout
    pattern = (
        rf"'\S*?/pool/main/(\S+?_({re.escape(source.series)}\S*?)\.orig\.\S+?)' .*SHA256:(\w+)"
    )
    found = re.search(pattern, said)
    if found is None:
        raise Missing(f"{source.name}: {_RELEASE} has no {source.series}* on apt's mirror")
    file, version, digest = found.groups()
    return replace(source, file=file, version=version, sha256=digest)


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise Missing(f"{command[0]} is not installed: this is built from Debian's packages")


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
