"""Port strings, what they open, and boards that are found by their USB id."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest

from cutcard.devices.discovery import Board, find_boards
from cutcard.devices.errors import BadPort, PortLost, PortNotFound
from cutcard.devices.ports import SerialPort, SocketPort, parse
from tests.devices.peer import PtyPeer


@pytest.mark.parametrize("text", ["", "ttyACM0", "socket:/x", "bench"])
def test_what_is_no_port_says_what_a_port_looks_like(text: str) -> None:
    with pytest.raises(BadPort, match="Write bench:carousel-38, socket://HOST:PORT"):
        parse(text)


@pytest.mark.parametrize("text", ["socket://", "socket://host", "socket://host:x"])
def test_a_socket_needs_host_and_port(text: str) -> None:
    with pytest.raises(BadPort, match="Write socket://HOST:PORT"):
        parse(text)


def test_a_port_string_names_its_kind() -> None:
    assert isinstance(parse("socket://localhost:4000"), SocketPort)
    assert isinstance(parse("/dev/ttyACM0"), SerialPort)
    assert isinstance(parse("rfc2217://localhost:4000"), SerialPort)


def test_an_unknown_scheme_is_no_port() -> None:
    with pytest.raises(BadPort, match="is not a port"):
        parse("carrier-pigeon://roof").connect()


def test_a_device_file_that_is_not_there() -> None:
    with pytest.raises(PortNotFound, match="Check that the board is plugged in"):
        parse("/dev/ttyNoSuchThing").connect()


def test_a_plain_file_is_no_serial_device(tmp_path: Path) -> None:
    file = tmp_path / "notes"
    file.write_text("")
    with pytest.raises(BadPort, match="is a file, not a serial device"):
        parse(str(file)).connect()


def test_nobody_listens_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
    with pytest.raises(PortNotFound, match="nobody answers there"):
        parse(f"socket://127.0.0.1:{number}").connect()


def test_a_line_that_is_hung_up_is_lost() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        line = parse(f"socket://127.0.0.1:{server.getsockname()[1]}").connect()
        other, _ = server.accept()
        other.sendall(b"abc")
        assert line.read(1.0) == b"abc"
        other.close()
        with pytest.raises(PortLost, match="hung up"):
            line.read(1.0)
        line.close()


def test_a_serial_line_carries_all_bytes_both_ways() -> None:
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


def test_a_closed_port_can_be_opened_again(pty_peer: PtyPeer) -> None:
    port = parse(pty_peer.port)
    port.connect().close()
    port.connect().close()


def found(device: Path, vid: int | None, serial: str | None = None) -> SimpleNamespace:
    return SimpleNamespace(device=str(device), vid=vid, serial_number=serial, product="Board")


def test_boards_are_found_by_usb_id_under_their_lasting_name(tmp_path: Path) -> None:
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


def test_a_board_without_a_lasting_name_is_found_too(tmp_path: Path) -> None:
    ports = [found(tmp_path / "ttyACM0", 0x2E8A, "42")]
    assert [board.port for board in find_boards(lambda: ports, tmp_path / "none")] == [
        str(tmp_path / "ttyACM0")
    ]


def test_a_board_that_comes_back_under_another_name_is_found_by_its_serial_number(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first, second = os.openpty(), os.openpty()
    here = {"name": os.ttyname(first[1])}
    link = tmp_path / "ttyACM0"
    link.symlink_to(here["name"])

    def comports() -> list[SimpleNamespace]:
        return [SimpleNamespace(device=here["name"], serial_number="42")]

    monkeypatch.setattr("cutcard.devices.ports.list_ports.comports", comports)
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
