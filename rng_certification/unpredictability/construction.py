"""The firmware's own tests of its random source, run in MicroPython, each a check.

Known answers of Hash_DRBG with SHA-256; health tests at their cutoffs; the start, the seed, the
buffer; backtracking and prediction resistance; laboratory mode.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cutcard.image.compiling import SOURCES
from rng_certification.base.finding import Finding
from rng_certification.base.interpreter import ScriptFailedError, in_micropython
from rng_certification.unpredictability.checks import check

SCRIPTS = SOURCES / "checks"
ABOUT = ("drbg", "health", "random_source", "uniform_numbers", "resistance", "laboratory")


def functions() -> Iterator[tuple[str, str]]:
    for script in ABOUT:
        for node in ast.parse((SCRIPTS / f"{script}.py").read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield script, node.name


def checks() -> tuple[list[Finding], list[str]]:
    """Return one finding for each function, and the interpreter's output if one failed."""
    found, said = [], []
    for script, function in functions():
        try:
            in_micropython(f"import {script}; {script}.{function}()", str(SCRIPTS))
            holds = True
        except ScriptFailedError as failed:
            holds = False
            said.append(f"{script}.{function}: {failed}")
        title = function.removeprefix("test_").replace("_", "-")
        found.append(check(f"construction/{script.replace('_', '-')}/{title}", holds))
    return found, said
