"""Hints of the driver as the commands print them: with commands instead of Python calls."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main
from typer._click.core import Context

import cutcard.devices
from cutcard.cli.devices.device_words import REFUSALS, state_in_words, typed
from cutcard.cli.main import app
from cutcard.devices import hints
from cutcard.devices.hints import fault_hint, refusal_text
from cutcard_firmware.core.schema import messages

KINDS = ("shuffler", "shoe", "controller")
# Quoted text that is not a command: a port string, a program of the system, a line of a file.
QUOTED = ("fuser ", "bench:", "chip:", "{kind}:", "NUMBER AMOUNT", "weights.")


def complaints(text: str) -> list[str]:
    """Return the parts in backticks that are no command of `cutcard`."""
    found = []
    for quoted in re.findall("`([^`]*)`", text):
        words = quoted.split()
        if words[0] != "cutcard":
            found += [] if quoted.startswith(QUOTED) else [quoted]
            continue
        command = typer.main.get_command(app)
        for word in words[1:]:
            if not hasattr(command, "get_command"):
                break
            below = command.get_command(Context(command), word)
            if below is not None:
                command = below
            elif word not in ("PORT", "{self.port.text}"):
                found.append(quoted)
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", messages.FAULTS)
def test_hint_for_a_fault_names_commands(fault: str, kind: str) -> None:
    assert complaints(typed(fault_hint(fault, 1, kind), "PORT")) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("refusal", hints.REFUSALS)
def test_hint_for_a_refusal_names_commands(refusal: str, kind: str) -> None:
    problem, hint = refusal_text(refusal, 1, 1, kind)
    assert complaints(typed(problem, "PORT")) == []
    assert complaints(typed(hint, "PORT", refusal)) == []


def sentences() -> Iterator[str]:
    """Yield the texts of the errors that the driver raises elsewhere."""
    for file in Path(cutcard.devices.__file__).parent.glob("*.py"):
        if file.name == "hints.py":
            continue
        tree = ast.parse(file.read_text("utf-8"))
        docs = {
            ast.get_docstring(each, clean=False)
            for each in ast.walk(tree)
            if isinstance(each, ast.Module | ast.ClassDef | ast.FunctionDef)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                yield ast.unparse(node)[2:-1]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
                yield "" if node.value in docs else str(node.value)


def test_other_errors_of_the_driver_name_commands() -> None:
    quoted = [text for text in sentences() if text.count("`") > 1]
    assert len(quoted) > 10
    assert [found for text in quoted for found in complaints(typed(text, "PORT"))] == []


def test_every_replaced_refusal_exists() -> None:
    assert set(REFUSALS) <= set(hints.REFUSALS)


OF_CONTROLLERS = (
    "door-open",
    "random-source",
    "state-lost",
    "power-lost",
    "watchdog",
    "display-failed",
    "button-stuck",
    "image-changed",
)


@pytest.mark.parametrize("fault", OF_CONTROLLERS)
def test_controller_gets_no_advice_on_cards(fault: str) -> None:
    assert not re.search("recover|unload|every card", fault_hint(fault, 1, "controller"))


@pytest.mark.parametrize("fault", messages.FAULTS)
@pytest.mark.parametrize("kind", ["shuffler", "shoe"])
def test_machine_with_cards_gets_no_advice_on_controllers(fault: str, kind: str) -> None:
    assert "controller" not in fault_hint(fault, 1, kind)


@pytest.mark.parametrize(
    ("mode", "fault", "expected"),
    [
        (
            "loading",
            None,
            "The machine is still taking cards in (20 of 52 cards are inside), and finishes "
            "without this command. Check it with `cutcard device PORT status`.",
        ),
        (
            "recovering",
            None,
            "The machine is still counting its cards, and finishes without this command. "
            "Check it with `cutcard device PORT status`.",
        ),
        ("ready", None, "The machine is ready; 20 of 52 cards are inside."),
        ("fault", "door-open", "The machine is in the fault door-open (detail 0). Close the door."),
    ],
)
def test_state_of_a_machine_after_an_interruption_is_described(
    mode: str, fault: str | None, expected: str
) -> None:
    said = {"port": "PORT", "kind": "shuffler", "mode": mode, "fault": fault, "detail": 0}
    said |= {"inside": 20, "pack": 52, "hint": "Close the door."}
    assert state_in_words(said) == expected
