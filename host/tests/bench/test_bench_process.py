"""The bench as a process: its start, its power, and its end."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from cutcard.bench.client import Bench, BenchError
from cutcard.bench.firmware import compiled
from cutcard.devices.keys import KeyStore
from cutcard.devices.shoe import Shoe
from cutcard.devices.shuffler import Shuffler
from cutcard.machines import find


@pytest.fixture(scope="module")
def running() -> Iterator[Bench]:
    with Bench.start("carousel-38", seed=1) as bench:
        yield bench


@pytest.fixture
def bench(running: Bench) -> Bench:
    """Return a fresh device in a reused process."""
    running.factory(seed=1)
    return running


def child_of(pid: int) -> int:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(children[0])


def wait_until_gone(pid: int, seconds: float = 10) -> None:
    """Wait for the end of a process by the kernel's notification, without polling."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([handle], [], [], seconds)[0], f"process {pid} lives on"
    finally:
        os.close(handle)


def cli(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import typer; from cutcard.cli.boards.bench_command import bench; typer.run(bench)",
            *arguments,
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


# Start


def test_ready_bench_has_running_firmware_with_a_key(bench: Bench) -> None:
    status = bench.status()
    assert (status["ready"], status["starts"], status["crashes"]) == (True, 1, 0)
    assert len(bench.key) == 32


def test_key_is_readable_only_by_its_owner(bench: Bench) -> None:
    assert stat.S_IMODE(os.stat(Path(bench.folder) / "key").st_mode) == 0o600
    assert stat.S_IMODE(os.stat(bench.folder).st_mode) == 0o700


def test_device_can_be_left_without_a_key() -> None:
    with Bench.start(provision=False) as bench:
        assert bench.key == b""


def test_error_names_an_unknown_machine() -> None:
    with pytest.raises(BenchError, match="no machine of this name"):
        Bench.start("caroussel")


def test_too_small_heap_ends_in_an_error_without_a_timeout() -> None:
    with pytest.raises(BenchError, match="heap of 20k"):
        Bench.start(heap="20k")


def test_factory_gives_another_serial_number_and_key(bench: Bench) -> None:
    before = (bench.serial, bench.key)
    bench.factory(seed=2)
    assert bench.serial != before[0]
    assert bench.key != before[1]


@pytest.mark.parametrize("word", ["", "unplug"])
def test_factory_device_accepts_a_host_if_the_earlier_host_never_closed(
    bench: Bench, word: str
) -> None:
    forgotten = Shuffler.open(bench.port, key=bench.key)  # never closed
    if word:
        bench.do(word)
    bench.factory(seed=2)
    with Shuffler.open(bench.port, key=bench.key) as shuffler:
        assert shuffler.status().mode == "empty"
    forgotten.close()


# Power, watchdog, flash


def test_power_cut_kills_the_interpreter_and_stops_all_until_restored(
    bench: Bench,
) -> None:
    bench.cut_power()
    status = bench.status()
    assert (status["power"], status["ready"]) == ("off", False)
    bench.restore_power()
    assert bench.status()["starts"] == 2


def test_watchdog_resets_a_hanging_firmware(bench: Bench) -> None:
    before = bench.settle()
    bench.do("hang")
    assert bench.settle() - before >= 8000
    status = bench.status()
    assert (status["starts"], status["ready"]) == (2, True)


def test_power_can_be_cut_at_an_operation_of_the_flash(bench: Bench) -> None:
    bench.do("flash", what="cut", at=1)
    assert bench.do("power", how="cycle")["power"] == "off"
    bench.restore_power()
    assert bench.status()["ready"]


def test_device_with_wiped_flash_is_blank(bench: Bench) -> None:
    with pytest.raises(BenchError, match="needs the power off"):
        bench.do("flash", what="format")
    bench.cut_power()
    bench.do("flash", what="format")
    bench.restore_power()
    assert bench.status()["crashes"] == 0


def test_file_system_can_be_filled_while_the_power_is_off(bench: Bench) -> None:
    bench.cut_power()
    before = bench.do("flash")["programs"]
    bench.do("flash", what="fill")
    assert bench.do("flash")["programs"] == before  # filling by the person causes no wear
    bench.restore_power()
    assert bench.status()["crashes"] == 0


# Time


def test_idle_bench_runs_no_turns(bench: Bench) -> None:
    bench.settle()
    turns = bench.status()["turns"]
    assert bench.status()["turns"] == turns


def test_hour_passes_on_request_and_across_the_wrap(bench: Bench) -> None:
    before = bench.settle()
    assert bench.advance(3_600_000) == before + 3_600_000
    assert bench.status()["crashes"] == 0


def test_draw_takes_its_time_on_the_real_clock() -> None:
    with Bench.start(seed=1, clock="real") as bench:
        bench.do("add", where="chute")
        began = time.monotonic()
        bench.do("draw", force=True)
        bench.settle()
        assert time.monotonic() - began > 0.1
        assert bench.status()["cards"]["outside"] == 1


def test_same_seed_and_commands_give_the_same_cards(bench: Bench) -> None:
    def dealt() -> list[str]:
        bench.factory(seed=5, decks=1)
        with Shuffler.open(bench.port, key=bench.key, randomness=bytes) as s:
            s.load(decks=1)
            return [str(s.deal().card) for _ in range(10)]

    first = dealt()
    assert first == dealt()
    assert len(set(first)) == 10


# Cable


def test_port_keeps_its_name_when_the_cable_is_plugged_in_again(bench: Bench) -> None:
    assert os.path.exists(bench.port)
    bench.do("unplug")
    assert not os.path.lexists(bench.port)
    assert bench.do("replug")["port"] == bench.port
    assert os.path.exists(bench.port)


def test_second_host_on_tcp_gets_an_error_and_is_disconnected() -> None:
    with Bench.start(seed=1, listen="127.0.0.1:0") as bench:
        host, _, port = bench.port.removeprefix("socket://").rpartition(":")
        with socket.create_connection((host, int(port))) as first:
            first.sendall(b"\0")
            with socket.create_connection((host, int(port))) as second:
                second.settimeout(10)
                assert second.recv(100).startswith(b"busy:")
                assert second.recv(100) == b""


# End


def test_bench_ends_with_its_parent_and_leaves_no_files() -> None:
    bench = Bench.start(seed=1)
    firmware = child_of(bench.pid)
    bench.close()
    wait_until_gone(firmware)
    assert not os.path.exists(bench.folder)


def test_killed_bench_ends_its_firmware() -> None:
    bench = Bench.start(seed=1)
    firmware = child_of(bench.pid)
    os.kill(bench.pid, signal.SIGKILL)
    wait_until_gone(firmware)
    bench.close()
    assert not os.path.exists(bench.folder)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_command_ends_cleanly_on_a_signal(number: int) -> None:
    process = cli("drum-60", "--json", "--decks", "1")
    assert process.stdout is not None
    introduction = json.loads(process.stdout.readline())
    process.send_signal(number)
    _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")
    assert not os.path.exists(introduction["folder"])


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("nonsense",), "no machine of this name"),
        (("--decks", "9"), "use 0 to 8"),
        (("--clock", "sundial"), "use virtual or real"),
        (("--heap", "much"), "such as 192k"),
        (("--listen", "here"), "HOST:PORT"),
    ],
)
def test_usage_error_names_the_valid_values(arguments: tuple[str, ...], error: str) -> None:
    process = cli(*arguments)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 2
    assert error in errors


# Folder


def test_folder_keeps_device_cards_and_key_for_the_next_start(tmp_path: Path) -> None:
    folder = str(tmp_path / "device")
    with Bench.start("drum-60", seed=3, folder=folder) as bench:
        bench.put(decks=1, less=2)
        kept = (bench.serial, bench.key, bench.cards())
        erases = bench.status()["flash"]["erases"]
    with Bench.start("drum-60", folder=folder) as bench:
        assert (bench.serial, bench.key, bench.cards()) == kept
        assert bench.status()["flash"]["erases"] >= erases


def test_folder_of_another_machine_is_refused(tmp_path: Path) -> None:
    folder = str(tmp_path / "device")
    Bench.start("drum-60", folder=folder).close()
    with pytest.raises(BenchError, match="holds a drum-60"):
        Bench.start("shoe-8", folder=folder)


def test_python_files_in_the_working_folder_do_not_replace_the_firmware(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MicroPython would import modules of its working folder before those of the firmware."""
    for name in ("main.py", "os.py"):
        (tmp_path / name).write_text("raise SystemExit(3)\n")
    monkeypatch.chdir(tmp_path)
    with (
        Bench.start("carousel-38", seed=1) as bench,
        Shuffler.open(bench.port, key=bench.key) as device,
    ):
        assert device.machine == "carousel-38"


def test_firmware_without_line_numbers_is_smaller_and_otherwise_identical() -> None:
    machine = find("carousel-38")
    with_lines, without = compiled(machine), compiled(machine, lines=False)
    sizes = [
        sum(file.stat().st_size for file in folder.rglob("*.mpy"))
        for folder in (with_lines, without)
    ]
    assert sizes[1] < sizes[0]
    with Bench.start("carousel-38", seed=1, lines=False) as bench:
        assert Path(f"/proc/{bench.status()['pid']}/cwd").readlink() == without


def test_every_command_finds_the_key_in_the_folder_of_the_bench(bench: Bench) -> None:
    first = KeyStore(Path(bench.folder)).get(bench.serial)
    assert first == bench.key
    bench.factory(seed=2)
    assert KeyStore(Path(bench.folder)).get(bench.serial) == bench.key != first


# Cards that the device has to see


@pytest.mark.parametrize(("machine", "kind"), [("carousel-38", Shuffler), ("shoe-8", Shoe)])
def test_put_is_answered_when_the_device_has_seen_the_cards(
    machine: str, kind: type[Shuffler] | type[Shoe]
) -> None:
    with Bench.start(machine, seed=1) as bench, kind.open(bench.port, key=bench.key) as device:
        before = bench.do("status")["milliseconds"]
        assert bench.put(1) == 52
        debounce = find(machine).whole("timing.debounce")
        assert bench.do("status")["milliseconds"] > before + debounce
        loaded = device.load(1) if isinstance(device, Shuffler) else device.stack(1)
        assert loaded.cards == 52


def first_cards(seed: int, chance: Callable[[int], bytes]) -> list[str]:
    """Return the first cards that a shuffler deals if the host waits for it to rest."""
    with (
        Bench.start("carousel-38", seed=seed, decks=1) as bench,
        Shuffler.open(bench.port, key=bench.key, randomness=chance) as shuffler,
    ):
        bench.settle()
        shuffler.load(decks=1)
        bench.settle()
        dealt = []
        for _ in range(8):
            dealt.append(str(shuffler.deal().card))
            bench.settle()
    return dealt


def test_seed_repeats_the_cards_of_a_shuffler_if_the_host_repeats_its_randomness() -> None:
    once = first_cards(7, Random(7).randbytes)
    assert first_cards(7, Random(7).randbytes) == once
    assert first_cards(7, Random(8).randbytes) != once


def test_seed_repeats_the_order_of_the_cards_in_a_shoe() -> None:
    def order(seed: int) -> list[str]:
        with Bench.start("shoe-8", seed=seed, decks=6) as bench:
            return [card["card"] for card in bench.cards()["stack"]]

    assert order(7) == order(7) != order(8)
