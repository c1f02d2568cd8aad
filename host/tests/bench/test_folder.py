"""A bench that stores its device in a folder: ended at any moment, it can be started again."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cutcard import private_files
from cutcard.bench import process as running_bench
from cutcard.bench.client import Bench, BenchError
from cutcard.bench.process import BenchFailedError
from cutcard.bench.settings import Settings
from cutcard.devices.shuffler import Shuffler

ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a device that was switched off properly."""
    kept = tmp_path / "device"
    Bench.start(seed=1, folder=str(kept)).close()
    return kept


def process(folder: Path) -> subprocess.Popen[str]:
    settings = json.dumps(vars(Settings(seed=1, folder=str(folder))))
    return subprocess.Popen(
        [sys.executable, "-m", "cutcard.bench", settings],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


# Stop and start


class Heard:
    """A connection that stores its last received bytes."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.last = b"nothing"

    def recv(self, size: int) -> bytes:
        self.last = self._connection.recv(size)
        return self.last

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def test_folder_has_the_position_of_every_card_after_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench.staying("carousel-38", tmp_path / "device", seed=1, decks=1)
    bench.do("take", where="tray", count=3, to="pocket")
    heard = Heard(bench._person)
    monkeypatch.setattr(bench, "_person", heard)
    bench.end()
    assert heard.last == b""  # it has disconnected, its last action
    places = json.loads((tmp_path / "device" / "state.json").read_bytes())["plant"]["places"]
    assert (len(places["tray"]), len(places["pocket"])) == (49, 3)
    with (tmp_path / "device" / private_files.LOCK).open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_end_raises_an_error_if_the_bench_is_killed_before_it_writes_its_cards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench.start("carousel-38", folder=str(tmp_path), decks=1)
    monkeypatch.setattr(bench, "do", lambda word: os.kill(bench.pid, signal.SIGKILL))
    with pytest.raises(BenchError, match="was killed before it had written its cards"):
        bench.end()


def test_bench_reports_that_the_last_one_in_its_folder_was_killed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bench = Bench.start("carousel-38", seed=1, folder=str(tmp_path), decks=1)
    with Shuffler.open(bench.port, key=bench.key) as device:
        bench.settle()
        device.load(1)
    os.kill(bench.pid, signal.SIGKILL)
    bench.close()
    assert "killed" not in capfd.readouterr().err
    with Bench.start("carousel-38", folder=str(tmp_path)) as again:
        again.settle()
        with Shuffler.open(again.port, key=again.key) as device:
            assert device.status().fault == "extra-card"  # 52 cards in the tray, 0 expected
            device.unload()
    assert f"the last bench in {tmp_path} was killed" in capfd.readouterr().err
    Bench.start("carousel-38", folder=str(tmp_path)).close()
    assert "killed" not in capfd.readouterr().err


@pytest.mark.parametrize("number", ENDS)
def test_bench_ended_by_a_signal_starts_the_same_device_repeatedly(
    tmp_path: Path, number: int
) -> None:
    keys = set()
    for _ in range(4):
        started = process(tmp_path)
        assert started.stdout is not None
        introduction = json.loads(started.stdout.readline())
        keys.add(Path(introduction["key_file"]).read_text())
        started.send_signal(number)
        started.communicate(timeout=120)
        assert started.returncode == 0
    assert len(keys) == 1


@pytest.mark.parametrize("number", ENDS)
def test_bench_ended_at_any_moment_of_its_start_starts_again(tmp_path: Path, number: int) -> None:
    for moment in (0.05, 0.12, 0.16, 0.2, 0.25, 0.3, 0.4):
        started = process(tmp_path)
        with pytest.raises(subprocess.TimeoutExpired):
            started.wait(moment)
        started.send_signal(number)
        started.communicate(timeout=120)
    with (
        Bench.start(seed=1, folder=str(tmp_path)) as bench,
        Shuffler.open(bench.port, key=bench.key) as device,
    ):
        assert device.machine == "carousel-60"


def test_killed_bench_has_other_noise_the_next_time(tmp_path: Path) -> None:
    bench = Bench.start(seed=1, folder=str(tmp_path))
    os.kill(bench.pid, signal.SIGKILL)
    bench.close()
    assert json.loads((tmp_path / "state.json").read_text())["runs"] == 1
    Bench.start(seed=1, folder=str(tmp_path)).close()
    assert json.loads((tmp_path / "state.json").read_text())["runs"] == 2


def test_start_timeout_names_the_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_bench.BenchProcess, "start_seconds", 0.0)
    handlers = {number: signal.getsignal(number) for number in ENDS}
    made = running_bench.BenchProcess(Settings(folder=str(folder)))
    try:
        with pytest.raises(
            BenchFailedError, match=rf"not ready within 0 s(?s:.*){folder} may be damaged"
        ):
            made.run(lambda introduction: None)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


# Concurrent benches, and other devices


def test_two_benches_do_not_share_a_folder(folder: Path) -> None:
    with (
        Bench.start(folder=str(folder)),
        pytest.raises(BenchError, match="another bench runs in"),
    ):
        Bench.start(folder=str(folder))


def test_device_keeps_its_seed(folder: Path) -> None:
    with pytest.raises(BenchError, match="holds the device of seed 1, not of seed 2"):
        Bench.start(seed=2, folder=str(folder))


# Damage


def cut_short(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:1000])


def no_json(file: Path) -> None:
    file.write_text("{")


def deep_json(file: Path) -> None:
    file.write_text("[" * 100_000)


def without_cards(file: Path) -> None:
    kept = json.loads(file.read_text())
    del kept["plant"]["cards"]
    file.write_text(json.dumps(kept))


def without_wear(file: Path) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), "erases": [1]}))


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("flash.img", cut_short),
        ("flash.img", Path.unlink),
        ("micropython.img", cut_short),
        ("state.json", cut_short),
        ("state.json", no_json),
        ("state.json", deep_json),
        ("state.json", without_cards),
        ("state.json", without_wear),
        ("key", no_json),
    ],
)
def test_damaged_file_is_named_with_a_next_step(
    folder: Path, name: str, damage: Callable[[Path], None]
) -> None:
    damage(folder / name)
    with pytest.raises(BenchError, match=rf"{folder / name} is damaged: .*another --dir"):
        Bench.start(folder=str(folder))


def test_flash_without_its_device_starts_as_a_new_one_with_a_warning(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    flash = folder / "flash.img"
    flash.write_bytes(bytes(flash.stat().st_size))
    old = (folder / "key").read_text()
    with Bench.start(folder=str(folder)) as bench:
        assert bench.key.hex() != old.strip()
    assert f"the device in {folder} had lost its key" in capfd.readouterr().err
