"""READMEs of large packages: the modules that they name exist, and their imports are complete."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

import pytest

from docs.site.layers import PAGE, ROOT, layers

HEIGHT = {name: row for row, names in enumerate(layers(PAGE.read_text("utf-8"))) for name in names}
FOLDERS = ("firmware/cutcard_firmware", "host/cutcard", "rng_certification", "hil_tests")
LARGE = 6  # Python files in the folder itself
OURS = {"cutcard", "cutcard_firmware", "docs", "firmware", "hil_tests", "rng_certification"}
EVERY = "every lower layer"
ON_DEVICE = {"boards", "core", "start"}  # the firmware's own names for its packages


def large_packages() -> list[Path]:
    """Return every folder with at least `LARGE` modules, by its path in the repository."""
    found = {file.parent for top in FOLDERS for file in (ROOT / top).rglob("*.py")}
    large = [
        folder
        for folder in found
        if "node_modules" not in folder.parts and len(list(folder.glob("*.py"))) >= LARGE
    ]
    return sorted(folder.relative_to(ROOT) for folder in large)


def dotted(folder: Path) -> str:
    """Return the name of a package for a Python import."""
    parts = folder.parts
    return ".".join(parts[1:] if parts[:2] in TOP_OF_PATH else parts)


TOP_OF_PATH = {("firmware", "cutcard_firmware"), ("host", "cutcard")}


def full(name: str) -> str:
    """Return the name of a module relative to the repository."""
    return f"cutcard_firmware.{name}" if name.split(".")[0] in ON_DEVICE else name


def imported(package: Path) -> Iterator[str]:
    """Return each name of ours that a module of the package imports from outside the package."""
    own = dotted(package)
    for file in sorted((ROOT / package).glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                start = resolve_name("." * node.level + (node.module or ""), own)
                names = [f"{start}.{alias.name}" for alias in node.names]
            else:
                continue
            for name in map(full, names):
                is_module = name.rpartition(".")[2] not in ("__version__", name)
                if name.split(".")[0] in OURS and is_module and not within(name, own):
                    yield name


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def paragraph(text: str, label: str) -> str:
    """Return the paragraph or list item that starts with the label."""
    found = re.search(rf"^(?:- )?{label}:(.*?)(?=\n\n|\n- |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def layer(name: str) -> str:
    """Return the entry of the layers list for a module."""
    parts = name.split(".")
    return parts[0] if parts[0] == "cutcard_firmware" else ".".join(parts[:2])


def allowed(package: Path) -> list[str]:
    """Return the packages and modules that a README allows its package to import."""
    text = " ".join(paragraph(readme(package), "May import").split())
    names = [full(name) for name in re.findall(r"`([\w.]+)`", text)]
    if EVERY in text:
        own = HEIGHT[layer(dotted(package))]
        names += [name for name, height in HEIGHT.items() if height > own]
    return names


def exists(module: str) -> bool:
    place = Path(*module.split("."))
    return any(
        (ROOT / top / place).is_dir() or (ROOT / top / place).with_suffix(".py").is_file()
        for top in ("", "host", "firmware")
    )


def readme(package: Path) -> str:
    return (ROOT / package / "README.md").read_text("utf-8")


@pytest.mark.parametrize("package", large_packages(), ids=str)
def test_large_package_has_a_readme_with_entry_point_imports_and_first_file(package: Path) -> None:
    assert (ROOT / package / "README.md").is_file(), "write it, like those of other packages"
    text = readme(package)
    assert text.startswith("# ")
    labels = ("Entry point", "May import", "Start reading")
    assert [label for label in labels if not paragraph(text, label).strip()] == []


@pytest.mark.parametrize("package", large_packages(), ids=str)
def test_readme_of_a_package_names_only_modules_that_exist(package: Path) -> None:
    text = readme(package)
    named = re.findall(r"`([\w./-]+\.(?:py|toml|md|js|html))`", text)
    assert re.findall(r"`([\w./-]+\.py)`", paragraph(text, "Start reading")), "name a module"
    above = [ROOT / package, *(ROOT / parent for parent in package.parents)]
    missing = [
        name
        for name in named
        if not any((folder / name).exists() for folder in above)
        and not any((ROOT / package).rglob(name))
    ]
    assert missing == []


@pytest.mark.parametrize("package", large_packages(), ids=str)
def test_readme_of_a_package_lists_every_import_from_other_packages(package: Path) -> None:
    names = allowed(package)
    assert [name for name in names if not exists(name)] == []
    missing = {name for name in imported(package) if not any(within(name, one) for one in names)}
    assert missing == set(), f"add it to 'May import' of {package / 'README.md'}"


@pytest.mark.parametrize("package", large_packages(), ids=str)
def test_readme_of_a_package_allows_only_imports_from_lower_layers(package: Path) -> None:
    own = layer(dotted(package))
    if own in HEIGHT:  # tests may import everything
        names = [name for name in allowed(package) if layer(name) != own]
        assert [name for name in names if HEIGHT.get(layer(name), -1) <= HEIGHT[own]] == []
