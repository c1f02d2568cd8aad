"""The public interface: names and docstrings exist, and its errors can be caught."""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import pkgutil
import subprocess
import sys
import textwrap
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from docs.site.api import PACKAGES, public, sentence

# Errors that never reach a caller of a package: its own processes and modules handle them.
INNER = {
    "NotUsableError",  # the check of a machine file leaves such a value to another check
    "SessionLostError",  # the connection opens another session
    # Within the bench's process, which reports them as a BenchError:
    "BenchFailedError",
    "FirmwareError",
    "FolderDamagedError",
    "PowerCutError",
    "ProvisionError",
    "WordError",
}

TYPED = """
from cutcard.devices import InFaultError, Shuffler
from cutcard.engine import Placed, Table, start
from cutcard.rulebooks import open_rulebook

reveal_type(Shuffler.open("bench:").deal().card)
reveal_type(start(Table(open_rulebook("uk-blackjack"), decks=6), [Placed(1, "Ann", "main", 5)]))

def what_to_do(fault: InFaultError) -> None:
    reveal_type(fault.hint)

Shuffler.open(7)
"""


def modules(package: ModuleType) -> list[ModuleType]:
    if not hasattr(package, "__path__"):
        return [package]
    found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    return [import_module(each.name) for each in found if not each.name.endswith("__main__")]


@pytest.mark.parametrize("name", PACKAGES)
def test_every_public_name_has_a_docstring(name: str) -> None:
    package = import_module(name)
    undocumented = [
        each
        for each, thing in public(package).items()
        if (isinstance(thing, type) or inspect.isroutine(thing)) and not sentence(thing)
    ]
    assert undocumented == []
    assert sentence(package)


def calls(package: ModuleType) -> list[ast.Call]:
    """Return the calls in the examples of a package's docstring."""
    found: list[ast.Call] = []
    for block in (inspect.getdoc(package) or "").split("\n\n"):
        with contextlib.suppress(SyntaxError):  # prose
            tree = ast.parse(textwrap.dedent(block))
            found += [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return found


@pytest.mark.parametrize("name", PACKAGES)
def test_example_of_a_package_uses_its_real_signatures(name: str) -> None:
    package = import_module(name)
    for call in calls(package):
        first, *rest = ast.unparse(call.func).split(".")
        if first not in public(package):
            continue
        thing: Any = functools.reduce(getattr, rest, public(package)[first])
        given = {word.arg: None for word in call.keywords if word.arg is not None}
        inspect.signature(thing).bind_partial(*call.args, **given)


def test_most_packages_show_an_example() -> None:
    with_one = [name for name in PACKAGES if calls(import_module(name))]
    assert len(with_one) > len(PACKAGES) / 2


@pytest.mark.parametrize("name", PACKAGES)
def test_every_error_is_a_public_name_of_its_package(name: str) -> None:
    package = import_module(name)
    errors = {
        each.__name__
        for module in modules(package)
        for each in vars(module).values()
        if isinstance(each, type)
        and issubclass(each, Exception)
        and each.__module__.startswith(name)
        and not each.__name__.startswith("_")
    }
    assert errors - INNER <= set(package.__all__)


def test_other_programs_see_the_types(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(TYPED)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "program.py"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    card, round, hint = [line for line in done.stdout.splitlines() if "Revealed" in line]
    assert "cutcard.cards.Card" in card
    assert '"cutcard.engine.state.Round"' in round
    assert '"str"' in hint
    assert done.stdout.count("error:") == 1
    assert "[arg-type]" in done.stdout
