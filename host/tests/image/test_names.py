"""Short names in an image keep the meaning of the long ones; names used from outside are kept."""

from __future__ import annotations

import pytest

from cutcard.image.names import CannotShortenError, shortened


def ran(texts: dict[str, str], name: str) -> dict[str, object]:
    found: dict[str, object] = {}
    exec(shortened(texts)[name], found)
    return found


def test_a_private_name_is_the_same_short_one_in_all_modules() -> None:
    texts = {
        "core/a.py": "class A:\n    _field = 1\n    def _method(x):\n        return x._field\n",
        "core/b.py": "def f(a):\n    a._field = 2\n    return a._method()\n",
    }
    new = shortened(texts)
    assert "_field" not in "".join(new.values())
    assert "_method" not in "".join(new.values())
    found: dict[str, object] = {}
    exec(new["core/a.py"] + new["core/b.py"] + "result = f(A())\n", found)
    assert found["result"] == 2


def test_names_in_strings_and_names_defined_elsewhere_are_kept() -> None:
    texts = {
        "a.py": "import sys\n_asked = 1\nx = getattr(sys, '_asked', 0)\ny = sys.path._machine\n",
    }
    assert shortened(texts) == texts


def test_short_name_is_never_an_existing_name() -> None:
    found = ran({"a.py": "_a = 1\n_b = 2\n_long = 3\nx = _a, _b, _long\n"}, "a.py")
    assert found["x"] == (1, 2, 3)


def test_arguments_are_letters_that_their_function_does_not_use() -> None:
    text = (
        "a = 5\n"
        "def f(first, *others):\n"
        "    b = first + a\n"
        "    try:\n"
        "        return [b + each for each in others]\n"
        "    except ValueError as c:\n"
        "        return c\n"
        "x = f(1, 2, 3)\n"
    )
    assert "def f(d, *e):" in shortened({"a.py": text})["a.py"]
    assert ran({"a.py": text}, "a.py")["x"] == [8, 9]


def test_arguments_passed_by_name_are_kept() -> None:
    texts = {
        "a.py": "def f(size, named):\n    return size - named\ndef cmd_deal(cards):\n    pass\n",
        "b.py": "from a import f\nf(3, named=2)\n",
    }
    new = shortened(texts)["a.py"]
    assert "def f(a, named):" in new
    assert "def cmd_deal(cards):" in new


def test_arguments_of_nested_and_assembler_functions_are_kept() -> None:
    text = (
        "def f(outer):\n"
        "    def g():\n"
        "        return outer\n"
        "    return g\n"
        "@micropython.asm_thumb\n"
        "def h(r0):\n"
        "    mov(r0, r0)\n"
    )
    assert shortened({"a.py": text}) == {"a.py": text}


@pytest.mark.parametrize(
    "text",
    [
        "def f(first):\n    from os import sep as b\n    from os import sep as a\n"
        "    return first\nx = f(1)\n",
        "size = 1\ndef f(y, size=size):\n    return size\nx = f(2)\n",
        "def same(g):\n    return g\n@same\ndef f(same):\n    return same\nx = f(1)\n",
        "def f(size):\n    class A:\n        size = 1\n    return A.size\nx = f(2)\n",
        "class A:\n    def _on_card(self):\n        return 1\n"
        "x = getattr(A(), '_on_' + 'card')()\n",
        "def f(size):\n    return len('ü') * size\nx = f(1)\n",
    ],
    ids=["import", "default", "decorator", "class", "begun name", "umlaut"],
)
def test_name_that_only_looks_like_an_argument_is_kept(text: str) -> None:
    assert ran({"a.py": text}, "a.py")["x"] == 1


def test_a_call_by_a_dictionary_of_names_is_refused() -> None:
    with pytest.raises(CannotShortenError, match="line 3"):
        shortened({"a.py": "def f(size):\n    return size\nx = f(**{'size': 1})\n"})
