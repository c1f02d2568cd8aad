"""Measures the twin beside openssl, on one core (`python -m rng_certification.twin.bench`)."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from cutcard.machines import find
from rng_certification.twin.streams import Mechanism, carousel_at_a_table, start

BYTES = 8 << 20
CARDS = 4_000_000
COMPRESSIONS_A_REQUEST = 10  # eight blocks of output, and two for the step that hides the past
REQUEST_BYTES = 256
REPEATS = 5


def _a_second(amount: int, work: Callable[[], object]) -> float:
    """Of processor time, the best of several runs, reseeds from noise included."""
    work()
    times = []
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return amount / min(times)


def openssl_compressions() -> float | None:
    """How many one-block messages openssl hashes in a second; None without openssl.

    The best of several runs, as the twin's is: whoever shares the core slows one of them.
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
    """Whether openssl has instructions for SHA-256 here: the ratio depends on nothing as much."""
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    return "with" if re.search(r"\b(sha_ni|sha2)\b", flags) else "without"


def main() -> None:
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
    for name in ("carousel-38", "carousel-44"):
        carousel = carousel_at_a_table(start("carousel"), Mechanism.of(find(name)), 312, 0)
        cards = _a_second(CARDS, partial(carousel.deal, CARDS))
        print(f"cards through {name}{cards / 1e6:8.2f} million a second (target 10)")


if __name__ == "__main__":
    main()
