"""The command `cutcard console` ends properly."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path


def test_signal_right_after_the_link_ends_the_console_properly(evening: Path) -> None:
    """The link is printed when the server handles signals, so none is lost or kills it."""
    command = [sys.executable, "-m", "cutcard.cli", "console", str(evening), "--http-port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as console:
        assert console.stdout is not None
        while b"http://" not in console.stdout.readline():
            pass
        console.send_signal(signal.SIGTERM)
        assert console.wait() == 0
