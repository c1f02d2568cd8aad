"""Packages of the core exist in the sources only: an image has one flat folder."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from cutcard.image.build import texts
from cutcard.image.compiling import SOURCES, image, modules
from cutcard.image.flat_layout import LayoutError, flattened, packages
from cutcard.machines import find

GROUPS = frozenset({"crypto", "storage"})


def one(path: str, text: str) -> str:
    """Return the text of a single module in the flat layout."""
    (flat,) = flattened({path: text}, GROUPS).values()
    return flat


@pytest.mark.parametrize(
    ("path", "grouped", "flat"),
    [
        ("core/storage/state.py", "from ..crypto.mac import Mac", "from .mac import Mac"),
        ("core/storage/state.py", "from ..crypto import mac", "from . import mac"),
        ("core/storage/state.py", "from ..loops import mix", "from .loops import mix"),
        ("core/storage/state.py", "from .record import Record", "from .record import Record"),
        ("core/app.py", "from .storage import state as st", "from . import state as st"),
        ("core/app.py", "from .sweep import sweep", "from .sweep import sweep"),
        ("board.py", "from core.crypto.mac import Mac", "from core.mac import Mac"),
        ("board.py", "from core.crypto import mac", "from core import mac"),
        ("board.py", "from struct import pack", "from struct import pack"),
        ("core/module_loading.py", 'A = ("crypto.mac", "crypto")', 'A = ("mac", "crypto")'),
        ("core/module_loading.py", 'modules[package + ".crypto.mac"]', 'modules[package + ".mac"]'),
        ("core/module_loading.py", 'log("crypto.mac failed")', 'log("crypto.mac failed")'),
    ],
)
def test_import_of_a_package_becomes_an_import_from_the_flat_folder(
    path: str, grouped: str, flat: str
) -> None:
    assert one(path, grouped) == flat


def test_flat_module_keeps_the_numbers_of_its_lines() -> None:
    text = "x = 1\nfrom ..crypto.mac import (\n    Mac,\n    wipe,\n)\ny = 2\n"
    assert one("core/storage/state.py", text) == text.replace("..crypto.mac", ".mac")


@pytest.mark.parametrize(
    ("sources", "problem"),
    [
        ({"core/crypto/state.py": "", "core/storage/state.py": ""}, "another module"),
        ({"core/crypto/__init__.py": "A = 1"}, "has code"),
        ({"core/crypto/mac.py": "from ...machines import x"}, "leaves core"),
        ({"board.py": "import core.crypto.mac"}, "has no flat form"),
    ],
)
def test_sources_without_a_flat_form_are_rejected(sources: dict[str, str], problem: str) -> None:
    with pytest.raises(LayoutError, match=problem):
        flattened(sources, GROUPS)


def flat_copy(folder: Path) -> Path:
    """Copy the firmware's sources into one flat core, edited by search and replace."""
    shutil.copytree(SOURCES, folder, ignore=shutil.ignore_patterns("__pycache__", "tests"))
    names = "|".join(packages(SOURCES))
    for file in folder.rglob("*.py"):
        inside = file.parent.name in packages(SOURCES)
        core = r"\.\." if inside else r"(?:core|)\."
        start = "." if inside or file.parent.name == "core" else "core."
        text = re.sub(rf"(?m)^(\s*from ){core}(?:{names})\.", rf"\1{start}", file.read_text())
        text = re.sub(rf"(?m)^(\s*from ){core}(?:{names})(?= )", rf"\1{start[:-1] or '.'}", text)
        text = re.sub(r"(?m)^(\s*from )\.\.(?=[\w ])", r"\1.", text)
        file.write_text(re.sub(rf'"(\.?)(?:{names})\.(\w+)"', r'"\1\2"', text))
    for package in [each.parent for each in folder.rglob("core/*/__init__.py")]:
        (package / "__init__.py").unlink()
        for file in package.glob("*.py"):
            file.rename(package.parent / file.name)
        shutil.rmtree(package)
    return folder


@pytest.mark.parametrize("machine", ["carousel-38", "shoe-8", "controller-4"])
def test_image_from_packages_equals_the_image_from_a_flat_copy(
    machine: str, tmp_path: Path
) -> None:
    flat = flat_copy(tmp_path / "firmware")
    assert not packages(flat)
    for board in ("rp2", "bench"):
        grouped, copied = texts(board, find(machine)), texts(board, find(machine), flat)
        assert list(grouped) == list(copied)
        compiled = [name for name in grouped if not name.startswith("/")]
        assert image({name: grouped[name] for name in compiled}) == image(
            {name: copied[name] for name in compiled}
        )
    assert set(modules("rp2", "shoe")) == set(modules("rp2", "shoe", flat))
