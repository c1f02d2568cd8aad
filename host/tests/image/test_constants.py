"""Constants become numbers across the modules of an image, and nothing else changes."""

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


def test_the_import_of_a_constant_goes_and_that_of_a_function_stays() -> None:
    made = together(
        sensors="DOOR = 8\ndef since(): pass\n",
        shoe="from .sensors import (\n    DOOR,\n    since,\n)\nprint(DOOR, since())\n",
    )
    assert " ".join(made["core/shoe.py"].split()) == "from .sensors import since print(8, since())"


def test_every_line_stays_where_it_was() -> None:
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
def test_a_constant_may_be_worked_out(definition: str, number: int) -> None:
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
def test_what_is_no_constant_stays_as_it_is(text: str) -> None:
    assert together(one=text)["core/one.py"] == text


def test_the_values_of_a_module_that_is_handed_on_stay() -> None:
    made = inlined(
        {"machine_spec.py": "BINS = 8", "main.py": "import machine_spec\nf(machine_spec)"}
    )
    assert made["machine_spec.py"] == "BINS = 8"


def test_a_constant_stays_where_somebody_reads_it_under_a_name_with_two_meanings() -> None:
    made = together(
        one="A = 1", two="from .one import A\ndef f():\n    from .one import A\n    g(A)"
    )
    assert made["core/one.py"] == "A = 1"
    assert "g(A)" in made["core/two.py"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("board", ["rp2", "bench"])
def test_every_name_that_an_image_imports_is_still_there(kind: str, board: str) -> None:
    texts = inlined(modules(board, kind))
    for path, text in texts.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.level or node.module != "core"):
                folder = "core/" if node.level else ""
                source = f"{folder}{(node.module or '').replace('.', '/')}.py"
                defined = ast.unparse(ast.parse(texts.get(source, "")))
                for alias in node.names:
                    assert source not in texts or alias.name in defined, (path, alias.name)
