"""Run one target under atheris; the modules that read its input are instrumented on import.

`python -m tests.fuzz.guided TARGET MEGABYTES [option of the engine ...]`
"""

from __future__ import annotations

import resource
import sys

import atheris

# Not the certification: numba cannot compile instrumented code.
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
        target.run(data)  # the target's imports run here, so they are instrumented


def limit_memory(megabytes: int) -> None:
    """Raise `MemoryError` for an input that allocates more than `megabytes`: a finding."""
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
