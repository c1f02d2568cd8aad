"""The cable to the host, a pseudo-terminal or a TCP port for one host; a person can pull it."""

from __future__ import annotations

import os
import pty
import socket
import tty
from pathlib import Path
from typing import Protocol

MOST_UNSENT = 65536  # bytes stored for a host that does not read; later bytes are lost
_CHUNK = 4096
BUSY = b"busy: another host is connected to this bench\n"


class Cable(Protocol):
    port: str

    def inputs(self) -> list[int]:
        """Return the file descriptors to watch for reading."""

    def output(self) -> int | None:
        """Return the file descriptor to watch for writing while bytes are waiting, else None."""

    def receive(self, source: int) -> bytes:
        """Return bytes from the host."""

    def send(self, data: bytes) -> None:
        """Send bytes to the host; without a host they are lost."""

    def flush(self) -> None:
        """Send the waiting bytes."""

    def unplug(self) -> None: ...

    def replug(self) -> None: ...

    def close(self) -> None: ...


class PseudoTerminal:
    """A pseudo-terminal behind a link whose name remains when the cable is plugged in again."""

    def __init__(self, link: Path) -> None:
        self.port = str(link)
        self._link = link
        self._master = self._slave = -1
        self._unsent = bytearray()
        self.replug()

    def inputs(self) -> list[int]:
        return [self._master] if self._master >= 0 else []

    def output(self) -> int | None:
        return self._master if self._unsent and self._master >= 0 else None

    def receive(self, source: int) -> bytes:
        return os.read(self._master, _CHUNK)

    def send(self, data: bytes) -> None:
        if self._master < 0 or len(self._unsent) + len(data) > MOST_UNSENT:
            return
        self._unsent += data
        self.flush()

    def flush(self) -> None:
        try:
            written = os.write(self._master, self._unsent)
        except BlockingIOError:
            return
        del self._unsent[:written]

    def unplug(self) -> None:
        self._unsent.clear()
        if self._master >= 0:
            self._link.unlink(missing_ok=True)
            os.close(self._master)
            os.close(self._slave)
            self._master = self._slave = -1

    def replug(self) -> None:
        if self._master < 0:
            self._master, self._slave = pty.openpty()
            tty.setraw(self._slave)
            os.set_blocking(self._master, False)
            self._link.unlink(missing_ok=True)
            self._link.symlink_to(os.ttyname(self._slave))

    def close(self) -> None:
        self.unplug()


class Network:
    """A TCP port. A second host gets an error and is disconnected."""

    def __init__(self, host: str, port: int) -> None:
        self._listener = socket.create_server((host, port))
        self._listener.setblocking(False)
        self._host: socket.socket | None = None
        self._plugged = True
        self._unsent = bytearray()
        address = self._listener.getsockname()
        self.port = f"socket://{address[0]}:{address[1]}"

    def inputs(self) -> list[int]:
        hosts = [self._host.fileno()] if self._host else []
        return [self._listener.fileno(), *hosts]

    def output(self) -> int | None:
        return self._host.fileno() if self._host and self._unsent else None

    def receive(self, source: int) -> bytes:
        if source == self._listener.fileno():
            self._accept()
        elif self._host is not None:
            try:
                data = self._host.recv(_CHUNK)
            except BlockingIOError:
                return b""
            except OSError:
                data = b""
            if not data:
                self._drop()
            return data
        return b""

    def _accept(self) -> None:
        connection, _ = self._listener.accept()
        if self._host is not None or not self._plugged:
            if self._plugged:
                connection.send(BUSY)
            connection.close()
            return
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._host = connection

    def send(self, data: bytes) -> None:
        if self._host is None or len(self._unsent) + len(data) > MOST_UNSENT:
            return
        self._unsent += data
        self.flush()

    def flush(self) -> None:
        assert self._host is not None
        try:
            written = self._host.send(self._unsent)
        except BlockingIOError:
            return
        except OSError:
            self._drop()
            return
        del self._unsent[:written]

    def _drop(self) -> None:
        self._unsent.clear()
        if self._host is not None:
            self._host.close()
            self._host = None

    def unplug(self) -> None:
        self._plugged = False
        self._drop()

    def replug(self) -> None:
        self._plugged = True

    def close(self) -> None:
        self._drop()
        self._listener.close()
