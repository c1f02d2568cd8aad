"""Collections: after any end, the folder agrees with its manifest."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from cutcard.bench.client import Bench
from cutcard.bench.noise import BenchNoise
from cutcard.cli.main import app
from cutcard.devices import Shuffler
from cutcard.devices.ports import is_simulated
from rng_certification.collect.collecting import collect
from rng_certification.collect.collection_request import CollectionRequest
from rng_certification.collect.manifest import Manifest
from rng_certification.collect.restarts import EACH, RestartError, restarting
from rng_certification.collect.restarts import method as restart_method
from rng_certification.collect.restarts import rows as restart_rows
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
    simulated = True

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
    assert set(said["differs"]) == {"bench", "board", "chip", "twin"}
    assert said["simulated"] is True
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


def rows_in(folder: Path) -> list[bytes]:
    manifest = json.loads((folder / "manifest.json").read_text())
    data = b"".join((folder / file["name"]).read_bytes() for file in manifest["files"])
    return [data[at : at + EACH] for at in range(0, len(data), EACH)]


def test_restart_data_has_the_first_samples_of_each_start(tmp_path: Path) -> None:
    """The bench's noise goes on across a reset over the wire, as an oscillator may."""
    with Bench.start("carousel-60", seed=5) as bench:
        device = Shuffler.open(bench.port, key=bench.key)
        taken, rows = [], []
        for row in islice(restart_rows(device, restarting("")), 3):
            rows.append(row)
            taken.append(bench.status()["noise_taken"])
        noise = BenchNoise("5/1").take(taken[-1])
        device.close()
    places = [noise.find(row) for row in rows]
    assert [len(row) for row in rows] == [EACH] * 3
    # A start takes 1,088 samples for its tests, the first of which are the row, and two inputs.
    for place, end in zip(places, taken, strict=True):
        assert 0 <= place <= end - 1088 - 8000 - 4800
    assert sorted(set(places)) == places


def test_command_collects_restarts_and_records_the_conditions(tmp_path: Path) -> None:
    arguments = ["--from", "bench", "--what", "noise", "--restarts", "2", "--temperature", "23 C"]
    command = ["certify", "collect", *arguments, "--out", str(tmp_path / "r")]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert "simulated" in result.output
    manifest = json.loads((tmp_path / "r" / "manifest.json").read_text())
    assert manifest["simulated"] is True
    assert manifest["conditions"]["temperature"] == "23 C"
    assert "not a power cycle" in manifest["conditions"]["restart"]
    rows = rows_in(tmp_path / "r")
    assert len(set(rows)) == 2
    assert {len(row) for row in rows} == {EACH}
    more = CliRunner().invoke(app, [*command[:7], "3", *command[8:]])
    assert more.exit_code == 0, more.output
    assert rows_in(tmp_path / "r")[:2] == rows


def test_external_power_switch_is_driven_by_a_command(tmp_path: Path) -> None:
    switch = tmp_path / "switch.py"
    switch.write_text(
        "import sys\nfrom pathlib import Path\nfrom cutcard.bench.client import Bench\n"
        "bench = Bench.found(Path(sys.argv[1]))\nbench.cycle_power()\nbench.close()\n"
    )
    folder = tmp_path / "bench"
    bench = Bench.staying("carousel-60", folder, seed=7)
    try:
        device = Shuffler.open(bench.port, key=bench.key)
        command = f"{sys.executable} {switch} {folder}"
        rows = list(islice(restart_rows(device, restarting(command)), 2))
        device.close()
    finally:
        bench.end()
    assert len(set(rows)) == 2
    assert restart_method(command).startswith("external power switch")


@pytest.mark.parametrize(
    ("command", "problem"), [("true", "did not restart"), ("exit 3", "exit status 3")]
)
def test_switch_that_does_not_switch_is_reported(command: str, problem: str) -> None:
    with Bench.start("carousel-60", seed=7) as bench:
        device = Shuffler.open(bench.port, key=bench.key)
        with pytest.raises(RestartError, match=problem):
            next(restart_rows(device, restarting(command)))
        assert device.status().mode == "empty"
        device.close()


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--from", "bench", "--what", "bits", "--restarts", "2"], "--what noise"),
        (["--from", "bench", "--what", "noise", "--power", "x"], "--restarts"),
        (["--from", "bench", "--what", "noise", "--restarts", "2", "--number", "5"], "--restarts"),
        (["--from", "bench", "--what", "noise", "--restarts", "2", "--power", "x"], "PORT"),
        (["--from", "twin", "--what", "noise", "--restarts", "2"], "device"),
    ],
)
def test_restart_options_that_do_not_fit_are_refused(
    arguments: list[str], hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the default folder of a collection is in the current one
    result = CliRunner().invoke(app, ["certify", "collect", *arguments])
    assert result.exit_code == 2
    assert hint in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("port", "simulated"),
    [
        ("bench:carousel-38", True),
        ("chip:carousel-38", True),
        ("socket://127.0.0.1:4000", True),
        ("rfc2217://host:4000", False),
        ("/dev/ttyACM0", False),
        ("COM3", False),
    ],
)
def test_ports_of_benches_and_emulated_boards_are_simulated(port: str, simulated: bool) -> None:
    assert is_simulated(port) is simulated


def test_port_file_of_a_running_bench_is_simulated() -> None:
    with Bench.start("carousel-60", seed=7) as bench:
        assert is_simulated(bench.port)
