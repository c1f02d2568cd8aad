"""The rulebook keys named in code, and the keys with a value read by code, found in syntax trees.

A key is a text: a literal, a choice of two, a combination, the value of a variable or an argument.
Other forms are not found.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cutcard.rulebooks.schema import schema

CODE = Path(__file__).parents[2] / "cutcard"
ASKS_THE_VALUE = ("flag", "says", "says_no")
VALUES = ("value", "odds")
TOPICS = {key.partition(".")[0] for key in schema()}
_KEY = re.compile(rf"({'|'.join(TOPICS)})\\\.\S")


class Named(NamedTuple):
    """A text in the code that is a key, or the pattern of several keys."""

    pattern: str
    where: str

    def fits(self, key: str) -> bool:
        return re.fullmatch(self.pattern, key) is not None


@cache
def trees() -> list[tuple[str, ast.Module]]:
    """Return the syntax trees of files with a text that starts with a topic and a dot."""
    begins = re.compile(rf"[\"']({'|'.join(TOPICS)})\.")
    return [
        (str(file.relative_to(CODE)), ast.parse(text))
        for file in sorted(CODE.rglob("*.py"))
        if begins.search(text := file.read_text("utf-8"))
    ]


def keys_named() -> Iterator[Named]:
    """Return every text in the form of a key."""
    for file, tree in trees():
        texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant | ast.JoinedStr)]
        parts = {part for text in texts if isinstance(text, ast.JoinedStr) for part in text.values}
        for node in texts:
            if node not in parts and (pattern := _pattern(node)) and _KEY.match(pattern):
                yield Named(pattern, f"{file}:{node.lineno}")


def keys_valued() -> Iterator[Named]:
    """Return every key with a value that is read."""
    return _followed(_valued)


def keys_demanded() -> Iterator[Named]:
    """Return every key that is read without a check that it exists."""
    return _followed(_demanded)


Ask = Callable[[ast.FunctionDef], Iterator[ast.expr]]


def _followed(ask: Ask) -> Iterator[Named]:
    """Return the keys that a function reads, and those that its callers pass to it."""
    for file, tree in trees():
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        handed_on = {f.name: _parameters(f, ask) for f in functions}
        for function in functions:
            assigned = _assignments(function)
            for node in (*ask(function), *_handed(function, handed_on)):
                for pattern in filter(_KEY.match, _texts(node, assigned)):
                    yield Named(pattern, f"{file}:{node.lineno}")


def _valued(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """Return the key in `book[key].value`, `book.flag(key)`, `entry = book[key]` … `entry.odds`."""
    read = {
        node.value.id
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute)
        and node.attr in VALUES
        and isinstance(node.value, ast.Name)
    }
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and node.attr in VALUES:
            yield from _key_of(node.value)
        elif isinstance(node, ast.Call):
            yield from _argument(node, *ASKS_THE_VALUE)
        elif isinstance(node, ast.Assign | ast.NamedExpr):
            for target, value in _pairs(node):
                if isinstance(target, ast.Name) and target.id in read:
                    yield from _key_of(value)


def _demanded(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """Return the key in `book[key]` and `book.rules(key)`."""
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript):
            yield node.slice
        elif isinstance(node, ast.Call):
            yield from _argument(node, "rules")


def _pairs(node: ast.Assign | ast.NamedExpr) -> Iterator[tuple[ast.expr, ast.expr]]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=True)
        else:
            yield target, node.value


def _key_of(node: ast.expr) -> Iterator[ast.expr]:
    """Return the key in `anything[key]` and `anything.get(key)`."""
    if isinstance(node, ast.Subscript):
        yield node.slice
    elif isinstance(node, ast.Call):
        yield from _argument(node, "get")


def _argument(call: ast.Call, *methods: str) -> Iterator[ast.expr]:
    if isinstance(call.func, ast.Attribute) and call.func.attr in methods:
        yield from call.args[:1]


def _parameters(function: ast.FunctionDef, ask: Ask) -> list[int]:
    """Return the positions of the parameters that are used as keys."""
    names = [argument.arg for argument in function.args.args]
    asked = {node.id for node in ask(function) if isinstance(node, ast.Name)}
    return [place for place, name in enumerate(names) if name in asked]


def _handed(function: ast.FunctionDef, to: dict[str, list[int]]) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            for place in to.get(node.func.id, ()):
                if place < len(node.args):
                    yield node.args[place]


def _assignments(function: ast.FunctionDef) -> dict[str, list[ast.expr]]:
    assigned: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.NamedExpr):
            for target, value in _pairs(node):
                if isinstance(target, ast.Name):
                    assigned.setdefault(target.id, []).append(value)
    return assigned


def _texts(node: ast.expr, assigned: dict[str, list[ast.expr]]) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from (*_texts(node.body, assigned), *_texts(node.orelse, assigned))
    elif isinstance(node, ast.Name):
        for value in assigned.get(node.id, ()):
            yield from _texts(value, {})
    elif pattern := _pattern(node):
        yield pattern


def _pattern(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.escape(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_pattern(part) or ".+" for part in node.values)
    return None
