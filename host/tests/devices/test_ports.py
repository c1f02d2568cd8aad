"""Port strings, their lines, and boards found by their USB id."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
import serial  # type: ignore[import-untyped]
from serial.rfc2217 import PortManager  # type: ignore[import-untyped]

from cutcard.devices import connection
from cutcard.devices.connection import Connection
from cutcard.devices.deadline import Deadline
from cutcard.devices.discovery import Board, find_boards
from cutcard.devices.errors import BadPortError, PortLostError, PortNotFoundError
from cutcard.devices.keys import KeyStore
from cutcard.devices.lines import Line, Port, SerialPort, SocketPort
from cutcard.devices.ports import parse
from tests.devices.conftest import Opener
from tests.devices.peer import PtyPeer


@pytest.mark.parametrize("text", ["", "ttyACM0", "socket:/x", "bench"])
def test_invalid_port_error_shows_a_valid_port(text: str) -> None:
    with pytest.raises(
        BadPortError, match="Write bench:carousel-60, chip:carousel-60, socket://HOST:PORT"
    ):
        parse(text)


def test_path_may_be_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").touch()
    for text in ("my-bench/port", "./my-bench/port", "here"):
        port = parse(text)
        assert isinstance(port, SerialPort)
        assert port.text == str(tmp_path / text.removeprefix("./"))


@pytest.mark.parametrize("text", ["socket://", "socket://host", "socket://host:x"])
def test_socket_needs_host_and_port(text: str) -> None:
    with pytest.raises(BadPortError, match="Write socket://HOST:PORT"):
        parse(text)


def test_port_string_names_its_kind() -> None:
    assert isinstance(parse("socket://localhost:4000"), SocketPort)
    assert isinstance(parse("/dev/ttyACM0"), SerialPort)
    assert isinstance(parse("rfc2217://localhost:4000"), SerialPort)


def test_unknown_scheme_is_rejected() -> None:
    with pytest.raises(BadPortError, match="is not a port"):
        parse("carrier-pigeon://roof").connect()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("bench:no-such-machine", r"no machine of this name.*file\. `bench:` without"),
        ("bench:?speed=9", "a bench has no option 'speed'"),
        ("bench:carousel-38?seed", "is not a list of options"),
    ],
)
def test_impossible_bench_is_rejected(text: str, problem: str) -> None:
    with pytest.raises(BadPortError, match=problem):
        parse(text)


@pytest.mark.parametrize("option", ["decks=9", "seed=x", "clock=sundial"])
def test_invalid_bench_option_is_rejected(option: str) -> None:
    with pytest.raises(BadPortError, match="Options are seed, decks, clock"):
        parse(f"bench:?{option}").connect()


def test_start_of_a_device_counts_against_no_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An emulated board is checked and tested before it can reply to a hello."""
    order: list[str] = []

    class Starting(Port):
        def start(self) -> None:
            order.append("started")

        def connect(self) -> Line:
            raise PortNotFoundError(self.text, "")

    def counted(seconds: float) -> Deadline:
        order.append("deadline")
        return Deadline(seconds)

    monkeypatch.setattr(connection, "Deadline", counted)
    with pytest.raises(PortNotFoundError):
        Connection(Starting("slow"), None, KeyStore()).open(1)
    assert order == ["started", "deadline"]


def test_missing_device_file_is_reported() -> None:
    with pytest.raises(PortNotFoundError, match="Check that the board is plugged in"):
        parse("/dev/ttyNoSuchThing").connect()


def test_plain_file_is_no_serial_device(tmp_path: Path) -> None:
    file = tmp_path / "notes"
    file.write_text("")
    with pytest.raises(BadPortError, match="is a file, not a serial device"):
        parse(str(file)).connect()


def test_port_without_a_listener_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
    with pytest.raises(PortNotFoundError, match="no device answers there"):
        parse(f"socket://127.0.0.1:{number}").connect()


def test_disconnected_line_is_lost() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        line = parse(f"socket://127.0.0.1:{server.getsockname()[1]}").connect()
        other, _ = server.accept()
        other.sendall(b"abc")
        assert line.read(1.0) == b"abc"
        other.close()
        with pytest.raises(PortLostError, match="hung up"):
            line.read(1.0)
        line.close()


def test_serial_line_carries_all_bytes_both_ways() -> None:
    master, slave = os.openpty()
    everything = bytes(range(256))
    line = parse(os.ttyname(slave)).connect()
    line.write(everything)
    assert os.read(master, 1000) == everything
    os.write(master, everything)
    heard = b""
    while len(heard) < len(everything):
        heard += line.read(1.0)
    assert heard == everything
    assert line.read(0.0) == b""
    line.close()
    os.close(master)
    os.close(slave)


def test_closed_port_can_be_opened_again(pty_peer: PtyPeer) -> None:
    port = parse(pty_peer.port)
    port.connect().close()
    port.connect().close()


class Terminal(serial.Serial):  # type: ignore[misc]
    """A serial port without modem lines, as a pseudo-terminal has none."""

    cts = dsr = ri = cd = dtr = rts = False


@pytest.fixture
def rfc2217(pty_peer: PtyPeer) -> Iterator[str]:
    """Offer the peer's serial port on the network by RFC 2217."""
    handle = Terminal(pty_peer.port, timeout=0.01)
    server = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def serve() -> None:
        connection, _ = server.accept()
        manager = PortManager(handle, SimpleNamespace(write=connection.sendall))
        connection.settimeout(0.01)
        while not ended.is_set():
            with suppress(TimeoutError):
                handle.write(b"".join(manager.filter(connection.recv(4096))))
            connection.sendall(b"".join(manager.escape(handle.read(4096))))
        connection.close()

    thread = threading.Thread(target=serve)
    thread.start()
    yield f"rfc2217://127.0.0.1:{server.getsockname()[1]}?ign_set_control"
    ended.set()
    thread.join()
    server.close()
    handle.close()


def test_port_on_another_computer_carries_a_session(rfc2217: str, opened: Opener) -> None:
    shuffler = opened(rfc2217)
    assert [shuffler.deal().number for _ in range(3)] == [2, 3, 4]
    shuffler.close()


def found(device: Path, vid: int | None, serial: str | None = None) -> SimpleNamespace:
    return SimpleNamespace(device=str(device), vid=vid, serial_number=serial, product="Board")


def test_boards_are_found_by_usb_id_under_their_persistent_name(tmp_path: Path) -> None:
    by_id = tmp_path / "by-id"
    by_id.mkdir()
    for name in ("ttyACM0", "ttyACM1", "ttyS0"):
        (tmp_path / name).write_text("")
    (by_id / "usb-Board_42-if00").symlink_to(tmp_path / "ttyACM1")
    ports = [
        found(tmp_path / "ttyS0", None),
        found(tmp_path / "ttyACM0", 0x1234),
        found(tmp_path / "ttyACM1", 0x2E8A, "42"),
    ]
    assert find_boards(lambda: ports, by_id) == [
        Board(str(by_id / "usb-Board_42-if00"), str(tmp_path / "ttyACM1"), "42", "Board")
    ]


def test_board_without_a_persistent_name_is_found(tmp_path: Path) -> None:
    ports = [found(tmp_path / "ttyACM0", 0x2E8A, "42")]
    assert [board.port for board in find_boards(lambda: ports, tmp_path / "none")] == [
        str(tmp_path / "ttyACM0")
    ]


def test_board_returning_under_another_name_is_found_by_its_serial_number(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first, second = os.openpty(), os.openpty()
    here = {"name": os.ttyname(first[1])}
    link = tmp_path / "ttyACM0"
    link.symlink_to(here["name"])

    def comports() -> list[SimpleNamespace]:
        return [SimpleNamespace(device=here["name"], serial_number="42")]

    monkeypatch.setattr("cutcard.devices.lines.list_ports.comports", comports)
    port = parse(str(link))
    port.connect().close()
    link.unlink()
    here["name"] = os.ttyname(second[1])
    line = port.connect()
    line.write(b"here")
    assert os.read(second[0], 10) == b"here"
    line.close()
    for end in (*first, *second):
        os.close(end)
