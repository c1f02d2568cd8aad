"""The folder of an assessment, from collections of noise and restarts."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from rng_certification.base.compiled import Bytes
from rng_certification.sp800_90b.oscillator import Oscillator

MILLION = 1_000_000


def collection(folder: Path, kind: str, data: Bytes, **changes: Any) -> Path:
    """Write a collection as `certify collect` does."""
    folder.mkdir()
    content = data.tobytes()
    (folder / f"{kind}-0.u8").write_bytes(content)
    records = len(content) if kind == "noise" else len(content) // 1000
    device = {
        "machine": "carousel-60",
        "serial": changes.pop("serial", "e66038b713"),
        "firmware": 7,
    }
    file = {
        "name": f"{kind}-0.u8",
        "records": records,
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "device": device,
    }
    manifest = {
        "what": {"kind": kind, "machine": "carousel-60"},
        "from": "board",
        "simulated": False,
        "conditions": {"temperature": "23 C", "restart": "by hand"},
        "differs": {"board": ["noise: the board's own"]},
        "collected": records,
        "files": [file],
        **changes,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def fair(seed: int) -> Bytes:
    return np.random.Generator(np.random.SFC64(seed)).integers(0, 2, MILLION, dtype=np.uint8)


def assess(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["certify", "noise", *arguments])


def test_folder_has_data_assessment_description_and_hashes(tmp_path: Path) -> None:
    noise = collection(tmp_path / "n", "noise", fair(1))
    restarts = collection(tmp_path / "r", "restarts", fair(2))
    out = tmp_path / "out"
    result = assess(str(noise), "--restarts", str(restarts), "--out", str(out))
    assert result.exit_code == 0, result.output
    lines = (out / "SHA256SUMS").read_text().splitlines()
    sums = {name: sha256 for sha256, name in (line.split("  ") for line in lines)}
    assert set(sums) == {"samples.u8", "restarts.u8", "assessment.json", "description.md"}
    for name, sha256 in sums.items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == sha256
    assert (out / "samples.u8").read_bytes() == fair(1).tobytes()
    assert (out / "restarts.u8").read_bytes() == fair(2).tobytes()
    assessment = json.loads((out / "assessment.json").read_text())
    assert assessment["entropy"]["claim"] == 0.04  # of the machine file
    assert assessment["entropy"]["track"] == "independence not assumed"
    description = (out / "description.md").read_text()
    for text in ("These samples come from a board.", "e66038b713", "23 C", "by hand", "10 µs"):
        assert text in description
    assert "not recorded" in description  # the supply


def test_simulated_noise_is_named_so_on_screen_in_json_and_in_the_description(
    tmp_path: Path,
) -> None:
    origin = {"from": "bench", "simulated": True}
    noise = collection(tmp_path / "n", "noise", fair(1), **origin)
    out = tmp_path / "out"
    result = assess(str(noise), "--out", str(out))
    assert result.exit_code == 0, result.output
    assert "SIMULATED" in result.output
    assert "SIMULATED" in (out / "description.md").read_text()
    assert json.loads((out / "assessment.json").read_text())["simulated"] is True


def test_oscillator_at_a_whole_number_of_cycles_does_not_reach_the_claim(tmp_path: Path) -> None:
    """Its samples hardly change for hundreds of samples: the assessment sees less than the model
    with known phase, which counts the surprise of each edge."""
    noise = collection(tmp_path / "n", "noise", Oscillator(6.5).samples(MILLION, 1))
    result = assess(str(noise))
    assert result.exit_code == 1, result.output


def test_oscillator_between_whole_numbers_of_cycles_reaches_the_claim(tmp_path: Path) -> None:
    noise = collection(tmp_path / "n", "noise", Oscillator(6.537).samples(MILLION, 1))
    result = assess(str(noise))
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("option", "problem"),
    [
        (["--independent"], "not independent"),
        (["--restarts", "{n}"], "is a collection of noise, not of restarts"),
        (["--restarts", "{other}"], "collect both from one board"),
        (["--restarts", "{few}"], "restart data is"),
        (["--out", "{n}"], "use another --out"),
    ],
)
def test_data_that_does_not_fit_has_no_verdict(
    tmp_path: Path, option: list[str], problem: str
) -> None:
    noise = collection(tmp_path / "n", "noise", fair(1))
    collection(tmp_path / "other", "restarts", fair(2), serial="e66038b714")
    collection(tmp_path / "few", "restarts", fair(2)[:5000])
    places = {name: str(tmp_path / name) for name in ("n", "other", "few")}
    result = assess(str(noise), *(each.format(**places) for each in option))
    assert result.exit_code == 2, result.output
    assert problem in " ".join(result.output.split())


def test_collection_that_was_changed_has_no_verdict(tmp_path: Path) -> None:
    noise = collection(tmp_path / "n", "noise", fair(1))
    content = bytearray((noise / "noise-0.u8").read_bytes())
    content[7] ^= 1
    (noise / "noise-0.u8").write_bytes(content)
    result = assess(str(noise))
    assert result.exit_code == 2
    assert "differs from its manifest" in " ".join(result.output.split())


def test_file_needs_its_bits_per_sample(tmp_path: Path) -> None:
    file = tmp_path / "noise.u8"
    file.write_bytes(fair(1).tobytes())
    result = assess(str(file))
    assert result.exit_code == 2
    assert "--sample-bits" in result.output
