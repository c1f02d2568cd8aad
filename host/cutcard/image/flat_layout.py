"""Maps the packages of the firmware's core to the one flat folder that a device imports from.

The sources are grouped for their readers: the module `random/drbg.py` of the core is
`core/drbg.py` in an image, because each package costs a device memory and time at every start.
Only imports are rewritten, and each line keeps its number.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_CORE = "core"


class LayoutError(ValueError):
    """Raised for sources that cannot be laid out in one folder; the text names the file."""


def packages(sources: Path) -> frozenset[str]:
    """Return the names of the packages below the core of these sources."""
    return frozenset(file.parent.name for file in (sources / _CORE).glob("*/__init__.py"))


def flattened(texts: dict[str, str], groups: frozenset[str]) -> dict[str, str]:
    """Return modules by their paths on the device, from modules by their paths in the sources.

    `groups` are the packages of the core. Raises LayoutError for two modules of one name, for a
    package whose `__init__.py` has code, and for an import that has no flat form.
    """
    moved: dict[str, str] = {}
    for path, text in texts.items():
        target = _flat(path)
        if path.endswith("/__init__.py") and target != path:
            if ast.parse(text).body[_docstrings(text) :]:
                raise LayoutError(f"{path} has code: move it into a module of the package")
        elif target in moved:
            raise LayoutError(
                f"{path}: another module of the core has the name {target}; rename one"
            )
        else:
            moved[target] = _rewritten(path, text, groups)
    return moved


@functools.lru_cache(maxsize=256)
def _rewritten(path: str, text: str, groups: frozenset[str]) -> str:
    nodes = tuple(ast.walk(ast.parse(text)))
    return _Rewriting(path, text, groups, nodes).result()


def _flat(path: str) -> str:
    folder, *inner = path.split("/")
    return path if folder != _CORE else f"{_CORE}/{inner[-1]}"


def _docstrings(text: str) -> int:
    return int(ast.get_docstring(ast.parse(text)) is not None)


@dataclass(frozen=True)
class _Rewriting:
    path: str
    text: str
    groups: frozenset[str]
    nodes: tuple[ast.AST, ...]

    def result(self) -> str:
        lines = self.text.split("\n")
        for node, source in self._imports():
            row = lines[node.lineno - 1]
            old = row.index("import", node.col_offset)
            lines[node.lineno - 1] = f"{row[: node.col_offset]}from {source} {row[old:]}"
        for path in self._paths():
            row, end = lines[path.lineno - 1], path.end_col_offset
            assert end is not None
            lines[path.lineno - 1] = f'{row[: path.col_offset]}"{_ungrouped(path)}"{row[end:]}'
        return "\n".join(lines)

    def _imports(self) -> Iterator[tuple[ast.ImportFrom, str]]:
        """Yield each import of a grouped module with its source in the flat folder."""
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.partition(".")[2].partition(".")[0] in self.groups:
                        raise LayoutError(
                            f"{self.path}, line {node.lineno}: `import {alias.name}` has no flat "
                            "form; use `from ... import ...`"
                        )
            elif isinstance(node, ast.ImportFrom):
                source = self._source(node)
                if source != "." * node.level + (node.module or ""):
                    yield node, source

    def _source(self, node: ast.ImportFrom) -> str:
        parts = (node.module or "").split(".") if node.module else []
        if node.level == 0:
            if parts[0] == _CORE and parts[1:2] and parts[1] in self.groups:
                del parts[1]
            return ".".join(parts)
        package = self.path.split("/")[:-1]
        inside = [*package[: len(package) - node.level + 1], *parts]
        if inside[:1] != [_CORE]:
            raise LayoutError(
                f"{self.path}, line {node.lineno}: this import leaves {_CORE}; a device has no "
                "package around it"
            )
        if inside[1:2] and inside[1] in self.groups:
            del inside[1]
        return "." + ".".join(inside[1:])

    def _paths(self) -> list[ast.Constant]:
        """Return the texts `group.module`, from the last to the first.

        The core uses such names to load and drop rarely used modules.
        """
        found = [
            node
            for node in self.nodes
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and _ungrouped(node).removeprefix(".").isidentifier()
            and node.value.removeprefix(".").partition(".")[0] in self.groups
        ]
        return sorted(found, key=lambda node: (node.lineno, node.col_offset), reverse=True)


def _ungrouped(node: ast.Constant) -> str:
    """Return `module` for the text `group.module`, and `.module` for `.group.module`."""
    text = str(node.value)
    dot = "." if text.startswith(".") else ""
    return dot + text.removeprefix(".").partition(".")[2]
