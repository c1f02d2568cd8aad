"""Constants become numbers across the modules of an image, and no other code changes."""

from __future__ import annotations

import ast

import pytest

from cutcard.image.compiling import modules
from cutcard.image.constants import inlined
from cutcard.machines.schema import KINDS


def together(**texts: str) -> dict[str, str]:
    return inlined({f"core/{name}.py": text for name, text in texts.items()})


def test_a_constant_of_another_module_is_replaced_by_its_number() -> None:
    made = together(
        state="MODE = 3\n",
        shoe="from . import state as st\ndef mode(numbers):\n    return numbers[st.MODE]\n",
    )
    assert "return numbers[3]" in made["core/shoe.py"]
    assert "MODE" not in made["core/state.py"]


def test_import_of_a_constant_is_removed_and_of_a_function_kept() -> None:
    made = together(
        sensors="DOOR = 8\ndef since(): pass\n",
        shoe="from .sensors import (\n    DOOR,\n    since,\n)\nprint(DOOR, since())\n",
    )
    assert " ".join(made["core/shoe.py"].split()) == "from .sensors import since print(8, since())"


def test_line_numbers_stay_the_same() -> None:
    text = "from .sensors import (\n    DOOR,\n    since,\n)\n\ndef f():\n    return DOOR\n"
    made = together(sensors="DOOR = 8\n", shoe=text)["core/shoe.py"]
    assert made.split("\n")[6] == "    return 8"


@pytest.mark.parametrize(
    ("definition", "number"),
    [
        ("A = 1 << 10", 1024),
        ("B = 4\nA = B * 2 + 1", 9),
        ("A = -1", -1),
        ("A = const(6)", 6),
        ("Z, A = range(2)", 1),
    ],
)
def test_computed_constant_is_replaced(definition: str, number: int) -> None:
    made = together(one=definition, two="from .one import A\nprint(A)")
    assert eval(made["core/two.py"].split("print")[1]) == number


@pytest.mark.parametrize(
    "text",
    [
        "A = 1\nA = 2\nprint(A)",
        "A = 1\ndef f(A):\n    return A",
        "A = 1\ndef f():\n    global A\n    A = 2",
        "A = len(b)",
        "A = 1 << 40\nprint(A)",
        "A = 'text'\nprint(A)",
        "a = 1\nprint(a)",
    ],
)
def test_name_that_is_not_a_constant_is_kept(text: str) -> None:
    assert together(one=text)["core/one.py"] == text


def test_constants_of_a_module_passed_as_an_object_are_kept() -> None:
    made = inlined(
        {"machine_spec.py": "BINS = 8", "main.py": "import machine_spec\nf(machine_spec)"}
    )
    assert made["machine_spec.py"] == "BINS = 8"


def test_constant_read_under_an_ambiguous_name_is_kept() -> None:
    made = together(
        one="A = 1", two="from .one import A\ndef f():\n    from .one import A\n    g(A)"
    )
    assert made["core/one.py"] == "A = 1"
    assert "g(A)" in made["core/two.py"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("board", ["rp2", "bench"])
def test_every_imported_name_of_an_image_exists(kind: str, board: str) -> None:
    texts = inlined(modules(board, kind))
    for path, text in texts.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.level or node.module != "core"):
                folder = "core/" if node.level else ""
                source = f"{folder}{(node.module or '').replace('.', '/')}.py"
                defined = ast.unparse(ast.parse(texts.get(source, "")))
                for alias in node.names:
                    assert source not in texts or alias.name in defined, (path, alias.name)
