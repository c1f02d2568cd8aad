"""Shortening names that only readers of the source use, since a board pays for each letter.

A name with one leading underscore is not used outside the firmware, and an argument's name not
outside its function unless a call uses it. Still an image contains them, and a board keeps them in
memory and compares others with them at every start. So if line numbers are not needed either, all
modules of an image are processed together. A private name becomes the shortest unused one, the same
in all modules; an argument becomes the first letter that its function does not use.
"""

from __future__ import annotations

import ast
import io
import itertools
import re
import string
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator

_PRIVATE = re.compile(r"_[A-Za-z][A-Za-z0-9_]+(?<!__)")
_BY_NAME = "cmd_"  # functions called with the fields of a message, by their names


def shortened(texts: dict[str, str]) -> dict[str, str]:
    """Return the modules of one image, by path on the device, with short names."""
    return _private(_arguments(texts))


class CannotShortenError(ValueError):
    """Raised for a module whose meaning would change with short names."""


def _arguments(texts: dict[str, str]) -> dict[str, str]:
    nodes = {name: list(ast.walk(ast.parse(text))) for name, text in texts.items()}
    for name, found in nodes.items():
        _check_calls(name, found)
    said = {node.arg for found in nodes.values() for node in found if isinstance(node, ast.keyword)}
    changed = {}
    for name, found in nodes.items():
        places: dict[tuple[int, int], tuple[str, str]] = {}
        for function in found:
            if isinstance(function, ast.FunctionDef) and _may_change(function):
                places |= _places(function, said)
        changed[name] = _replaced(texts[name], _by_letters(texts[name], places))
    return changed


def _check_calls(name: str, nodes: list[ast.AST]) -> None:
    """Refuse `**` in a call except of a message handler: it may use any argument's name."""
    for node in nodes:
        if not isinstance(node, ast.Call) or all(each.arg for each in node.keywords):
            continue
        if _BY_NAME not in ast.unparse(node.func):
            raise CannotShortenError(
                f"{name}, line {node.lineno}: ** in a call of another than cmd_..."
            )


def _by_letters(
    text: str, places: dict[tuple[int, int], tuple[str, str]]
) -> dict[tuple[int, int], tuple[str, str]]:
    """Return the same places with columns counted in characters: `ast` counts bytes."""
    lines = [line.encode() for line in text.split("\n")]
    return {
        (row, len(lines[row - 1][:column].decode())): names
        for (row, column), names in places.items()
    }


def _may_change(function: ast.FunctionDef) -> bool:
    """Return whether names may change: not if one has two meanings or names a register."""
    inside = (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.Global, ast.Nonlocal)
    return (
        not function.name.startswith(_BY_NAME)
        and not any("asm_thumb" in ast.unparse(each) for each in function.decorator_list)
        and not any(isinstance(node, inside) for node in ast.walk(function) if node is not function)
    )


def _places(
    function: ast.FunctionDef, said: set[str | None]
) -> dict[tuple[int, int], tuple[str, str]]:
    """Return line and column of each name to change, with the old and the new name."""
    # Defaults and decorators are outside: a name there does not refer to the argument.
    body = [node for part in function.body for node in ast.walk(part)]
    names = [node for node in body if isinstance(node, ast.Name)]
    arguments = [node for node in ast.walk(function.args) if isinstance(node, ast.arg)]
    caught = {node.name for node in body if isinstance(node, ast.ExceptHandler)}
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            caught |= {(each.asname or each.name).partition(".")[0] for each in node.names}
    used = {node.id for node in names} | {node.arg for node in arguments} | caught
    letters = (letter for letter in string.ascii_lowercase if letter not in used)
    new = {
        node.arg: letter
        for node, letter in zip(
            (each for each in arguments if each.arg not in said | caught), letters, strict=False
        )
    }
    found = [(node, node.id) for node in names] + [(node, node.arg) for node in arguments]
    return {(node.lineno, node.col_offset): (old, new[old]) for node, old in found if old in new}


def _private(texts: dict[str, str]) -> dict[str, str]:
    tokens = {name: list(_tokens(text)) for name, text in texts.items()}
    every = [token for module in tokens.values() for token in module]
    found = Counter(token.string for token in every if token.type == tokenize.NAME)
    # A name that occurs in a string, or starts with one, may be used by that string. Names of
    # MicroPython cannot be changed.
    spoken = "\n".join(token.string for token in every if token.type == tokenize.STRING)
    begun = tuple(_begun(texts.values()))
    private = [
        name
        for name, _ in found.most_common()
        if _PRIVATE.fullmatch(name)
        and name not in spoken
        and not name.startswith(begun)
        and any(_defines(name, text) for text in texts.values())
    ]
    new = (name for name in _short_names() if name not in found)
    short = dict(zip(private, new, strict=False))
    return {
        name: _replaced(
            text,
            {
                token.start: (token.string, short[token.string])
                for token in tokens[name]
                if token.type == tokenize.NAME and token.string in short
            },
        )
        for name, text in texts.items()
    }


def _begun(texts: Iterable[str]) -> Iterator[str]:
    """Yield strings that a private name may start with: `"_on_" + what`."""
    for text in texts:
        for node in ast.walk(ast.parse(text)):
            said = node.value if isinstance(node, ast.Constant) else None
            if isinstance(said, str) and re.fullmatch(r"_[A-Za-z]\w*", said):
                yield said


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    return tokenize.generate_tokens(io.StringIO(text).readline)


def _short_names() -> Iterator[str]:
    for size in itertools.count(1):
        for letters in itertools.product(string.ascii_lowercase, repeat=size):
            yield "_" + "".join(letters)


def _defines(name: str, text: str) -> bool:
    """Return whether a module assigns it: as a function, a class, a variable or a field."""
    return (
        name in text
        and re.search(rf"\b(def|class) {name}\b|\b{name}\b[^=\n]*=[^=]", text) is not None
    )


def _replaced(text: str, places: dict[tuple[int, int], tuple[str, str]]) -> str:
    """Replace from the last to the first, so that earlier places do not move."""
    lines = text.split("\n")
    for (row, column), (old, new) in sorted(places.items(), reverse=True):
        line = lines[row - 1]
        assert line.startswith(old, column), f"line {row}: {line}"
        lines[row - 1] = line[:column] + new + line[column + len(old) :]
    return "\n".join(lines)
