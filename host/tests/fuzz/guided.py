"""One target under atheris: what it reads with is instrumented before it is imported.

`python -m tests.fuzz.guided TARGET MEGABYTES [option of the engine ...]`
"""

from __future__ import annotations

import resource
import sys

import atheris

# Not the certification: what numba compiles must be as it was written.
READERS = ["cutcard", "cutcard_firmware", "tests.fuzz.planted", "tomllib"]

with atheris.instrument_imports(include=READERS):
    from tests.fuzz.planted import greedy, planted
    from tests.fuzz.targets import TARGETS, Target

    known = {
        **TARGETS,
        "planted": Target(planted, lambda: [b"-----"]),
        "greedy": Target(greedy, lambda: [b"-----"]),
    }
    target = known[sys.argv[1]]
    for data in target.seeds():
        target.run(data)  # imports what it needs, here, where it is instrumented


def limit_memory(megabytes: int) -> None:
    """An input that takes more than this of its own is a finding: MemoryError."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = megabytes << 20
    resource.setrlimit(
        resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
    )


def main() -> None:
    limit_memory(int(sys.argv[2]))
    atheris.Setup([sys.argv[0], *sys.argv[3:]], target.run)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
