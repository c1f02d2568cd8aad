"""One target under atheris: what it reads with is instrumented before it is imported."""

from __future__ import annotations

import sys

import atheris

# Not the certification: what numba compiles must be as it was written.
READERS = ["cutcard", "cutcard_firmware", "tests.fuzz.planted", "tomllib"]

with atheris.instrument_imports(include=READERS):
    from tests.fuzz.planted import planted
    from tests.fuzz.targets import TARGETS, Target

    known = {**TARGETS, "planted": Target(planted, lambda: [b"-----"])}
    target = known[sys.argv[1]]
    for data in target.seeds():
        target.run(data)  # imports what it needs, here, where it is instrumented


def main() -> None:
    atheris.Setup([sys.argv[0], *sys.argv[2:]], target.run)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
