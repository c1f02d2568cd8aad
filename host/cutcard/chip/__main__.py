"""`python -m cutcard.chip SETTINGS`: a chip for a program, as `python -m cutcard.bench`."""

from __future__ import annotations

from cutcard.bench.__main__ import serve
from cutcard.chip.chip_bench import ChipBench

if __name__ == "__main__":
    serve(ChipBench)
