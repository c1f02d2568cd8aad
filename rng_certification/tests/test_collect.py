"""Collections: after any end, the folder agrees with its manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from rng_certification.collect.collecting import collect
from rng_certification.collect.collection_request import CollectionRequest
from rng_certification.collect.manifest import Manifest
from rng_certification.collect.sources import OnBench, TwinSampleSource, counted
from rng_certification.continuous.steps import dealt_cards

BITS = CollectionRequest("bits", "carousel-38")


def check(manifest: Manifest) -> None:
    """Check that every file has the recorded length and hash."""
    kept = json.loads((manifest.folder / "manifest.json").read_text())
    assert kept == manifest.data
    for file in kept["files"]:
        data = (manifest.folder / file["name"]).read_bytes()[: file["bytes"]]
        assert len(data) == file["bytes"]
        assert hashlib.sha256(data).hexdigest() == file["sha256"]
    assert kept["collected"] == sum(file["records"] for file in kept["files"])


def test_a_collection_has_the_requested_data(tmp_path: Path) -> None:
    manifest = collect(TwinSampleSource(), BITS, 3_000_000, "x", tmp_path)
    check(manifest)
    assert (manifest.data["collected"], manifest.data["complete"]) == (3_000_000, True)


def test_the_same_seed_collects_the_same_data_and_another_does_not(tmp_path: Path) -> None:
    found = [
        collect(TwinSampleSource(), BITS, 1000, seed, tmp_path / str(i)).data["files"][0]["sha256"]
        for i, seed in enumerate(("x", "x", "y"))
    ]
    assert found[0] == found[1] != found[2]


class Interrupted:
    """A twin that is interrupted with Ctrl-C during the collection."""

    name = "twin"

    def chunks(self, what: CollectionRequest, stream: str) -> Iterator[bytes]:
        yield bytes(1000)
        yield bytes(500)
        raise KeyboardInterrupt

    def about(self) -> dict[str, Any]:
        return {}


def test_data_collected_before_ctrl_c_is_kept_and_the_collection_resumes(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        collect(Interrupted(), BITS, 10_000, "x", tmp_path)
    kept = json.loads((tmp_path / "manifest.json").read_text())
    assert (kept["collected"], kept["complete"]) == (1500, False)
    manifest = collect(TwinSampleSource(), BITS, 10_000, "x", tmp_path)
    check(manifest)
    assert [file["records"] for file in manifest.data["files"]] == [1500, 8500]
    assert manifest.data["files"][0]["stream"] != manifest.data["files"][1]["stream"]


def test_bytes_written_after_the_last_manifest_are_removed(tmp_path: Path) -> None:
    manifest = collect(TwinSampleSource(), BITS, 1000, "x", tmp_path)
    with (tmp_path / "bits-0.bin").open("ab") as file:
        file.write(b"written, and not yet in the manifest")
    check(collect(TwinSampleSource(), BITS, 2000, "x", tmp_path))
    assert (tmp_path / "bits-0.bin").stat().st_size == 1000
    assert manifest.data["asked"] == 1000


def test_a_folder_with_another_collection_is_not_changed(tmp_path: Path) -> None:
    collect(TwinSampleSource(), BITS, 1000, "x", tmp_path)
    arguments = ["--from", "twin", "--what", "draws", "--range", "38", "--out", str(tmp_path)]
    result = CliRunner().invoke(app, ["certify", "collect", *arguments])
    assert result.exit_code == 2
    assert "another" in result.output


@pytest.mark.parametrize(
    ("what", "number"),
    [
        (CollectionRequest("noise", "carousel-38"), 9000),
        (CollectionRequest("bits", "shoe-8"), 3000),
        (CollectionRequest("draws", "carousel-38", span=3750), 1000),
        (CollectionRequest("prizes", "carousel-38", prizes="madness-21"), 1000),
        (CollectionRequest("shuffles", "drum-60", deck=52), 2),
        (CollectionRequest("cards", "carousel-38", decks=1), 20),
    ],
    ids=lambda value: value.kind if isinstance(value, CollectionRequest) else "",
)
def test_the_firmware_on_the_bench_gives_each_kind(
    tmp_path: Path, what: CollectionRequest, number: int
) -> None:
    manifest = collect(OnBench(), what, number, "x", tmp_path)
    check(manifest)
    data = (tmp_path / manifest.data["files"][0]["name"]).read_bytes()
    assert counted(what, data) >= number
    if what.kind == "shuffles":
        decks = np.frombuffer(data, dtype="<u2").reshape(2, 52)
        assert (np.sort(decks, axis=1) == np.arange(52)).all()
    elif what.kind == "cards":
        assert len(dealt_cards(np.frombuffer(data, dtype="<u4"))) >= number
    elif what.kind == "noise":
        assert set(data) == {0, 1}


def test_the_manifest_has_the_limits_and_the_fingerprints(tmp_path: Path) -> None:
    arguments = ["--from", "twin", "--what", "bits", "--number", "100", "--out", str(tmp_path)]
    result = CliRunner().invoke(app, ["certify", "collect", *arguments, "--json"])
    assert result.exit_code == 0
    said = json.loads(result.stdout)
    assert set(said["differs"]) == {"bench", "board", "twin"}
    assert "core/random/source.py" in said["fingerprints"]["firmware"]
    assert said["what"] == {"kind": "bits", "machine": "carousel-60"}


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--what", "draws"], "--range"),
        (["--what", "bits", "--range", "38"], "--range"),
        (["--what", "shuffles", "--machine", "carousel-38"], "drum-60"),
        (["--what", "cards", "--machine", "drum-60"], "carousel-60"),
        (["--what", "prizes", "--prizes", "madness-22"], "madness-21"),
        (["--what", "noise"], "device"),
        (["--what", "cards", "--decks", "9"], "decks"),
        (["--what", "bits", "--machine", "shredder"], "carousel-38"),
    ],
)
def test_an_impossible_collection_names_a_possible_one(
    tmp_path: Path, arguments: list[str], hint: str
) -> None:
    command = ["certify", "collect", "--from", "twin", "--out", str(tmp_path / "none"), *arguments]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 2
    assert hint in " ".join(result.output.split())
