"""Replacing constants by their numbers across modules, since each name costs a board memory.

mpy-cross replaces a constant only within its own module. On a board, `state.MODE` is two look-ups
in dictionaries that stay in memory, and each module that uses it contains the name. So all modules
of an image are processed together before they are compiled: a name in capitals that is assigned an
integer once, and no other value, is replaced by that integer in every use, and its definition and
imports are removed. Line numbers stay the same.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import dataclass, field

_CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")
# On a board with 32 bits, a larger number is an object. So is this one, but only if it is used
# directly: the compiler computes `WRAP >> 1`, so no object remains.
_MOST = 1 << 30
_ARITHMETIC = (ast.Expression, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)


def inlined(texts: dict[str, str]) -> dict[str, str]:
    """Return the modules of one image, by path on the device, with their constants replaced."""
    modules = {name: _Module(name, text) for name, text in texts.items()}
    constants = {name: _constants(module, modules) for name, module in modules.items()}
    for module in modules.values():
        # Any code that gets a module as an object may read its names.
        for path in module.handed_on():
            constants.pop(path, None)
        for path, name in module.unclear():
            constants.get(path, {}).pop(name, None)
    return {name: module.rewritten(constants) for name, module in modules.items()}


@dataclass
class _Module:
    name: str
    text: str
    tree: ast.Module = field(init=False)
    nodes: list[ast.AST] = field(init=False)  # all of the tree
    aliases: dict[str, str] = field(init=False, default_factory=dict)  # name -> the module's path
    imported: dict[str, tuple[str, str]] = field(init=False, default_factory=dict)
    bound: Counter[str] = field(init=False)  # the number of assignments to each name

    def __post_init__(self) -> None:
        self.tree = ast.parse(self.text)
        self.nodes = list(ast.walk(self.tree))
        self.bound = Counter(_bindings(self.nodes))
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self.aliases[alias.asname or alias.name] = f"{alias.name}.py"
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.aliases[alias.asname or alias.name] = self._path(node, alias.name)
                    self.imported[alias.asname or alias.name] = (self._path(node), alias.name)

    def _path(self, node: ast.ImportFrom, name: str = "") -> str:
        """Return the path of the module that is imported from, or that is imported by that name."""
        package = self.name.rpartition("/")[0] if node.level else ""
        parts = [package, *(node.module or "").split("."), name]
        return "/".join(part for part in parts if part) + ".py"

    def handed_on(self) -> list[str]:
        looked_into = {id(node.value) for node in self.nodes if isinstance(node, ast.Attribute)}
        return [
            self.aliases[node.id]
            for node in self.nodes
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and node.id in self.aliases
            and id(node) not in looked_into
        ]

    def unclear(self) -> list[tuple[str, str]]:
        """Return (module, name) of each constant read here under a name with another meaning."""
        found = [self.imported[name] for name in self.imported if self.bound[name] != 1]
        for node in self.nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                alias = node.value.id
                if alias in self.aliases and self.bound[alias] != 1:
                    found.append((self.aliases[alias], node.attr))
        return found

    def number(self, node: ast.expr, constants: dict[str, dict[str, int]]) -> int | None:
        """Return the value of the name or attribute if it is a constant."""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            own = constants.get(self.name, {}).get(node.id)
            if own is not None or self.bound[node.id] != 1:
                return own
            path, name = self.imported.get(node.id, ("", ""))
            return constants.get(path, {}).get(name)
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Load)
            and isinstance(node.value, ast.Name)
            and self.bound[node.value.id] == 1
        ):
            path = self.aliases.get(node.value.id, "")
            return constants.get(path, {}).get(node.attr)
        return None

    def rewritten(self, constants: dict[str, dict[str, int]]) -> str:
        changes: list[tuple[ast.stmt | ast.expr, str]] = []
        own = constants.get(self.name, {})
        for node in self.nodes:
            if isinstance(node, ast.Attribute | ast.Name):
                number = self.number(node, constants)
                if number is not None:
                    changes.append((node, str(number) if number >= 0 else f"({number})"))
            elif isinstance(node, ast.ImportFrom):
                kept = [
                    ast.unparse(alias)
                    for alias in node.names
                    if self.bound[alias.asname or alias.name] != 1
                    or alias.name not in constants.get(self._path(node), {})
                ]
                if len(kept) < len(node.names):
                    source = "." * node.level + (node.module or "")
                    text = f"from {source} import {', '.join(kept)}" if kept else "pass"
                    changes.append((node, text))
        for statement in self.tree.body:
            if set(_defined(statement)) & set(own):
                # Replacements within the statement are dropped with it.
                inside = {id(node) for node in ast.walk(statement)}
                changes = [change for change in changes if id(change[0]) not in inside]
                changes.append((statement, "pass"))
        return _replaced(self.text, changes)


def _constants(module: _Module, modules: dict[str, _Module]) -> dict[str, int]:
    """Return the constants of a module in their order, since one may depend on others."""
    found: dict[str, int] = {}
    for statement in module.tree.body:
        names = _defined(statement)
        if not names or any(module.bound[name] != 1 for name in names):
            continue
        assert isinstance(statement, ast.Assign)
        values = _values(statement.value, len(names), module, modules, found)
        if values is not None and all(-_MOST <= value <= _MOST for value in values):
            found.update(zip(names, values, strict=True))
    return found


def _defined(statement: ast.stmt) -> list[str]:
    """Return the names of `A = ...` or `A, B = ...` if all of them can be constants."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    target = statement.targets[0]
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    fit = len(names) == len(parts) and all(_CONSTANT.fullmatch(name) for name in names)
    return names if fit else []


def _values(
    value: ast.expr,
    count: int,
    module: _Module,
    modules: dict[str, _Module],
    known: dict[str, int],
) -> list[int] | None:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and len(value.args) == 1:
        number = _value(value.args[0], module, modules, known)
        if value.func.id == "range" and number == count:
            return list(range(count))
        if value.func.id != "const" or number is None or count != 1:
            return None
        return [number]
    number = _value(value, module, modules, known) if count == 1 else None
    return None if number is None else [number]


def _value(
    expression: ast.expr, module: _Module, modules: dict[str, _Module], known: dict[str, int]
) -> int | None:
    """Return the integer value, or None unless the expression consists only of constants."""

    class Names(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            if node.id in known:
                return ast.Constant(known[node.id])
            path, name = module.imported.get(node.id, ("", ""))
            if path in modules:
                number = _constants(modules[path], modules).get(name)
                return node if number is None else ast.Constant(number)
            return node

    whole = Names().visit(ast.Expression(ast.parse(ast.unparse(expression), mode="eval").body))
    if not all(isinstance(node, _ARITHMETIC) for node in ast.walk(whole)):
        return None
    result = eval(compile(ast.fix_missing_locations(whole), module.name, "eval"), {})
    return result if type(result) is int else None


def _bindings(nodes: list[ast.AST]) -> list[str]:
    """Return every name once for each assignment to it, at any depth."""
    names: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.append(node.id)
        elif isinstance(node, ast.arg):
            names.append(node.arg)
        elif isinstance(node, ast.alias):
            names.append(node.asname or node.name)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler):
            names.append(node.name or "")
        elif isinstance(node, ast.Global):
            names.extend(node.names)
    return names


def _replaced(text: str, changes: list[tuple[ast.stmt | ast.expr, str]]) -> str:
    """Apply the changes from the last to the first, without changing the number of lines."""
    lines = [line.encode() for line in text.split("\n")]
    changes = sorted(changes, key=lambda change: (change[0].lineno, change[0].col_offset))
    for node, new in reversed(changes):
        assert node.end_lineno is not None
        first, last = node.lineno - 1, node.end_lineno - 1
        after = lines[last][node.end_col_offset :]
        lines[first : last + 1] = [
            lines[first][: node.col_offset] + new.encode() + (after if first == last else b""),
            *[b""] * (last - first),
        ]
        if first != last and after.strip() and not after.strip().startswith(b"#"):
            raise ValueError(f"line {last + 1}: other code follows a statement of several lines")
    return b"\n".join(lines).decode()
