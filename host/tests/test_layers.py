"""A package imports only from lower layers, as `docs/explanation/architecture.md` draws them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

import pytest

from docs.site.layers import PAGE, ROOT, layers

OURS = {
    "cutcard": ROOT / "host",
    "rng_certification": ROOT,
    "cutcard_firmware": ROOT / "firmware",
}


def drawn() -> dict[str, int]:
    """Return each package with its line in the drawing; the top line is 0."""
    rows = layers(PAGE.read_text("utf-8"))
    return {name: number for number, names in enumerate(rows) for name in names}


def package_of(module: str) -> str:
    """Return the package of a module: one level below ours; the firmware is one package."""
    parts = module.split(".")
    return parts[0] if parts[0] == "cutcard_firmware" else ".".join(parts[:2])


def files() -> Iterator[tuple[str, Path]]:
    for name, folder in OURS.items():
        for file in sorted((folder / name).rglob("*.py")):
            place = file.relative_to(folder).with_suffix("").parts
            module = ".".join(place).removesuffix(".__init__")
            if not {"tests", "scripts"} & set(place) and module not in (
                "cutcard",
                "rng_certification",
            ):
                yield module, file


def imports(file: Path) -> Iterator[str]:
    """Return every module of ours that a file imports, at any place in it."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.split(".")[0] in OURS)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            if node.module in OURS:
                yield from (f"{node.module}.{name.name}" for name in node.names)
            elif node.module.split(".")[0] in OURS:
                yield node.module


def run_imports(file: Path, module: str, known: set[str]) -> Iterator[str]:
    """Return every module that a file loads when it runs, at the top or in a function.

    Imports under `if TYPE_CHECKING:` are only for type checkers and never run.
    """
    tree = ast.parse(file.read_text("utf-8"))
    unread = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in unread:
            continue
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in known)
        elif isinstance(node, ast.ImportFrom):
            package = module if file.name == "__init__.py" else module.rpartition(".")[0]
            start = resolve_name("." * node.level + (node.module or ""), package)
            for name in node.names:
                yield (inner if (inner := f"{start}.{name.name}") in known else start)


def upwards() -> Iterator[str]:
    """Return each import that the drawing does not allow, as a sentence."""
    height = drawn()
    for module, file in files():
        own = package_of(module)
        for name in imports(file):
            other = package_of(name)
            if other in height and other != own and height[other] <= height[own]:
                yield f"{module} imports {name}, which does not stand below {own}"


def test_module_imports_only_from_lower_layers() -> None:
    assert list(upwards()) == []


def test_modules_have_no_import_cycle() -> None:
    """Also within a package, and of any length."""
    found = dict(files())
    order = TopologicalSorter(
        {
            module: set(run_imports(file, module, set(found))) & set(found) - {module}
            for module, file in found.items()
        }
    )
    try:
        order.prepare()
    except CycleError as error:
        pytest.fail("a circle of imports: " + " <- ".join(error.args[1]))


def test_drawing_has_exactly_the_existing_packages() -> None:
    assert set(drawn()) == {package_of(module) for module, _ in files()}
