"""Kernels are cached next to their source: a cached kernel must not outlive its sources."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CALLER = """
from rng_certification.base.compiled import compiled
from callee import factor

@compiled
def scaled(number):
    return factor() * number

print(scaled(10))
"""
CALLEE = """
from rng_certification.base.compiled import compiled

@compiled
def factor():
    return {factor}
"""


def _run(folder: Path, factor: int) -> str:
    (folder / "callee.py").write_text(CALLEE.format(factor=factor))
    done = subprocess.run(
        [sys.executable, "caller.py"], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_kernel_is_compiled_again_after_a_change_of_a_called_kernel(tmp_path: Path) -> None:
    (tmp_path / "caller.py").write_text(CALLER)
    assert [_run(tmp_path, 2), _run(tmp_path, 3)] == ["20", "30"]
