"""Compare the twin's speed with openssl, on one core (`python -m rng_certification.twin.speed`).

Also verify that the measured code deals the firmware's cards. Exit status 1 if it does not, or is
too slow.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from cutcard.machines import find
from rng_certification.twin.beside_firmware import deals_as_the_firmware
from rng_certification.twin.streams import Mechanism, carousel_at_a_table, start

BYTES = 8 << 20
CARDS = 4_000_000
TARGET = 10e6  # cards per second
COMPARED = 50_000  # cards from each machine, compared with those of the firmware in MicroPython
COMPRESSIONS_A_REQUEST = 10  # eight blocks of output, and two for the step that hides the past
REQUEST_BYTES = 256
REPEATS = 5


def _a_second(amount: int, work: Callable[[], object]) -> float:
    """Return the rate per second of processor time, the best of several runs, including reseeds."""
    work()
    times = []
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return amount / min(times)


def openssl_compressions() -> float | None:
    """Return the one-block messages that openssl hashes in a second; None without openssl.

    The best of several runs, as for the twin, because another process may slow a run.
    """
    command = ["openssl", "speed", "-seconds", "1", "-evp", "sha256", "-bytes", "55"]
    found = []
    for _ in range(3):
        try:
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return None
        if thousands := re.search(r"sha256\s+([0-9.]+)k", said):
            found.append(1000 * float(thousands[1]) / 55)
    return max(found, default=None)


def hashes_in_hardware() -> str:
    """Return whether openssl has instructions for SHA-256; the ratio depends mainly on this."""
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    return "with" if re.search(r"\b(sha_ni|sha2)\b", flags) else "without"


def main() -> int:
    source = start("bench")
    compressions = BYTES // REQUEST_BYTES * COMPRESSIONS_A_REQUEST
    twin = _a_second(compressions, lambda: source.bytes(BYTES))
    print(f"compressions             {twin / 1e6:8.2f} million a second")
    peer = openssl_compressions()
    if peer:
        print(
            f"openssl, 55 bytes        {peer / 1e6:8.2f} million a second: {twin / peer:.2f} of it "
            f"({hashes_in_hardware()} SHA instructions)"
        )
    draws = _a_second(CARDS, lambda: source.draws(52, CARDS))
    print(f"draws below 52           {draws / 1e6:8.2f} million a second")
    kept = True
    for name in ("carousel-38", "carousel-44"):
        machine = Mechanism.of(find(name))
        carousel = carousel_at_a_table(start("carousel"), machine, 312, 0)
        cards = _a_second(CARDS, partial(carousel.deal, CARDS))
        equal = deals_as_the_firmware(machine, 312, COMPARED)
        kept = kept and equal and cards >= TARGET
        print(
            f"cards through {name}{cards / 1e6:8.2f} million a second, {TARGET / 1e6:.0f} "
            f"wanted: {cards / TARGET:.2f} {'kept' if cards >= TARGET else 'missed'} "
            f"(load {os.getloadavg()[0]:.1f})\n  compared to firmware   {COMPARED:,} "
            f"cards and their bins {'are' if equal else 'ARE NOT'} the same in MicroPython"
        )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
