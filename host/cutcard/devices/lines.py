"""Lines to a running device, over TCP or a serial cable, and the ports that open them."""

from __future__ import annotations

import errno
import os
import select
import socket
import stat
from abc import ABC, abstractmethod
from urllib.parse import urlsplit

import serial  # type: ignore[import-untyped]
from serial.tools import list_ports  # type: ignore[import-untyped]

from cutcard.devices.deadline import Deadline
from cutcard.devices.errors import (
    BadPortError,
    DeviceError,
    PortBusyError,
    PortLostError,
    PortNotFoundError,
)
from cutcard.devices.keys import DeviceKey
from cutcard.untrusted import why_unreadable

BAUD = 115_200  # for a UART; USB ignores it
CONNECT_SECONDS = 3.0
POLL_SECONDS = 0.02
BUSY = b"busy"  # sent by a bench to a second host before it disconnects
KNOWN_FORMS = (
    "Write bench:carousel-60, chip:carousel-60, socket://HOST:PORT, rfc2217://HOST:PORT or a "
    "serial device such as /dev/ttyACM0; `cutcard devices` lists the boards on this computer."
)


class Line(ABC):
    """An open line that carries bytes both ways. It raises only PortLostError."""

    @abstractmethod
    def read(self, timeout: float) -> bytes:
        """Return the received bytes, waiting at most `timeout` seconds for the first byte."""

    @abstractmethod
    def write(self, data: bytes) -> None: ...

    @abstractmethod
    def close(self) -> None: ...


class Port(ABC):
    """The place of a device. `connect` may be called again after a line broke."""

    key: DeviceKey | None = None  # for a port that starts its own device

    def __init__(self, text: str) -> None:
        self.text = text

    @abstractmethod
    def connect(self) -> Line: ...

    def start(self) -> None:  # noqa: B027 (most ports lead to a device that runs already)
        """Start the device. The time for this counts against no deadline."""

    def release(self) -> None:  # noqa: B027 (most ports own nothing beyond their line)
        """Stop everything that this port started."""

    def lost(self, cause: object) -> PortLostError:
        why = why_unreadable(cause) if isinstance(cause, BaseException) else cause
        return PortLostError(
            f"{self.text}: the line broke ({why}).",
            "Check cable and power; the driver reconnects by itself until the deadline is over.",
        )


def running(text: str) -> Port:
    """Return the port of a running device. Nothing is opened yet."""
    if text.startswith("socket://"):
        return SocketPort(text)
    if "://" in text or os.name == "nt":
        return SerialPort(text)
    # A path may be relative, for example a bench's folder.
    if ("/" in text and ":" not in text) or os.path.exists(text):
        return SerialPort(os.path.abspath(text))
    raise BadPortError(f"{text!r} is not a port.", KNOWN_FORMS)


class SocketPort(Port):
    """A TCP connection, read in large chunks (pyserial's own socket:// reads byte by byte)."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        try:
            parts = urlsplit(text)
            host, number = parts.hostname, parts.port
        except ValueError:
            host, number = None, None
        if host is None or number is None:
            raise BadPortError(
                f"{text!r} does not name host and port.", "Write socket://HOST:PORT."
            )
        self.where = (host, number)

    def connect(self) -> Line:
        try:
            return _SocketLine(self, socket.create_connection(self.where, CONNECT_SECONDS))
        except OSError as error:
            raise PortNotFoundError(
                f"{self.text}: no device answers there ({why_unreadable(error)}).",
                "Start the bench or check address and port; a bench prints its own when ready.",
            ) from error


class _SocketLine(Line):
    def __init__(self, port: SocketPort, connection: socket.socket) -> None:
        self._port = port
        self._connection = connection
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(CONNECT_SECONDS)
        self._heard = False

    def read(self, timeout: float) -> bytes:
        try:
            ready, _, _ = select.select([self._connection], [], [], Deadline(timeout).wait)
            if not ready:
                return b""
            data = self._connection.recv(4096)
        except (OSError, ValueError) as error:
            raise self._port.lost(error) from error
        if not data:
            raise self._port.lost("the other side hung up" + ("" if self._heard else " at once"))
        if not self._heard and data.startswith(BUSY):
            raise PortBusyError(
                f"{self._port.text}: another host is connected there.",
                "Close it first. A device has one host at a time.",
            )
        self._heard = True
        return data

    def write(self, data: bytes) -> None:
        try:
            self._connection.sendall(data)
        except OSError as error:
            if self._heard or error.errno not in (errno.EPIPE, errno.ECONNRESET):
                raise self._port.lost(error) from error
            # The device disconnected immediately; the next read may have the reason.

    def close(self) -> None:
        self._connection.close()


class SerialPort(Port):
    """A serial device or any other URL that pyserial supports, held exclusively.

    A board on USB may return under another name after a reset, so its USB serial number is stored
    and searched for; a `/dev/serial/by-id` path does not need that.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._usb_serial: str | None = None

    def connect(self) -> Line:
        name = self._current_name()
        if name.startswith("/") and os.path.exists(name) and not _is_character_device(name):
            raise BadPortError(f"{name} is a file, not a serial device.", KNOWN_FORMS)
        # Settings of a device file; a URL's handler may not have them.
        held = {} if "://" in name else {"exclusive": True, "write_timeout": CONNECT_SECONDS}
        try:
            handle = serial.serial_for_url(name, baudrate=BAUD, timeout=POLL_SECONDS, **held)
        except ValueError as error:
            raise BadPortError(f"{self.text!r} is not a port ({error}).", KNOWN_FORMS) from error
        except (serial.SerialException, OSError) as error:
            raise self._not_opened(name, error) from error
        if self._usb_serial is None:
            self._usb_serial = _usb_serial(name)
        return _SerialLine(self, handle)

    def _current_name(self) -> str:
        if self._usb_serial and not os.path.exists(self.text):
            for found in list_ports.comports():
                if found.serial_number == self._usb_serial:
                    return str(found.device)
        return self.text

    def _not_opened(self, name: str, error: OSError) -> DeviceError:
        if error.errno in (errno.EAGAIN, errno.EBUSY):
            return PortBusyError(
                f"{name}: another program holds the port.",
                f"Close it first (`fuser {name}` names it). A device has one host at a time.",
            )
        if error.errno in (errno.EACCES, errno.EPERM):
            return PortNotFoundError(
                f"{name}: this user may not open it.",
                "Type: sudo usermod -aG dialout $USER   then log in again.",
            )
        return PortNotFoundError(
            f"{name}: cannot be opened: {why_unreadable(error)}.",
            "Check that the board is plugged in; `cutcard devices` lists the connected boards.",
        )


class _SerialLine(Line):
    def __init__(self, port: SerialPort, handle: serial.SerialBase) -> None:
        self._port = port
        self._handle = handle
        # With a file descriptor, reading waits exactly as long as necessary. Otherwise (RFC 2217,
        # Windows) it polls: a port's own timeout cannot be changed for each read, because RFC 2217
        # would negotiate the port again.
        self._watch = [handle] if hasattr(handle, "fd") else None

    def read(self, timeout: float) -> bytes:
        deadline = Deadline(timeout)
        try:
            if self._watch and not select.select(self._watch, [], [], deadline.wait)[0]:
                return b""
            while True:
                data: bytes = self._handle.read(max(1, self._handle.in_waiting))
                if data or deadline.over:
                    return data
        except (serial.SerialException, OSError, TypeError, ValueError) as error:
            # TypeError, ValueError: raised when the port vanishes during a read.
            raise self._port.lost(error) from error

    def write(self, data: bytes) -> None:
        try:
            self._handle.write(data)
        except (serial.SerialException, OSError) as error:
            raise self._port.lost(error) from error

    def close(self) -> None:
        self._handle.close()


def _is_character_device(name: str) -> bool:
    return stat.S_ISCHR(os.stat(name).st_mode)


def _usb_serial(name: str) -> str | None:
    real = os.path.realpath(name)
    for found in list_ports.comports():
        if found.device in (name, real):
            number: str | None = found.serial_number
            return number
    return None
