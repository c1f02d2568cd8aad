"""docs/reference/api.md, generated from the docstrings of the public packages by `make pages`.

The public names of a package are those in its `__all__`. Each name has its signature and the first
sentence of its docstring, each class has its documented methods.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import is_dataclass
from enum import Enum
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, ForwardRef, get_args, get_origin

PACKAGES = (
    "cutcard.devices",
    "cutcard.bench",
    "cutcard.testing",
    "cutcard.cards",
    "cutcard.rulebooks",
    "cutcard.engine",
    "cutcard.rulings",
    "cutcard.prizes",
    "cutcard.machines",
    "cutcard.edge.interface",
    "rng_certification.arrays",
)
MADE_BY_US = ("Laboratory", "Round")  # a program gets them and looks into them
OURS = ("cutcard", "cutcard_firmware", "rng_certification")
HEAD = """# The programming interface

Programs may import and rely on the names of this page. [programming.md](../how-to/programming.md)
has the first steps. Any other name may change with any version; these change only as
[CONTRIBUTING.md](../../CONTRIBUTING.md#versions) states. The base class of a class is in brackets;
its attributes belong to the class too. `make pages` writes this page.
"""


def page() -> str:
    """Return the text of docs/reference/api.md."""
    parts = [HEAD]
    for name in PACKAGES:
        package = import_module(name)
        parts.append(f"## {name}\n\n{sentence(package)}\n")
        parts.append("\n".join(_entries(package)) + "\n")
    return "\n".join(parts)


def public(package: ModuleType) -> dict[str, Any]:
    """Return the public names of a package: functions, then classes, then errors."""
    found = {name: getattr(package, name) for name in package.__all__}
    return dict(sorted(found.items(), key=lambda item: (_rank(item[1]), item[0].lower())))


def methods(kind: type, shown: Collection[type]) -> Iterator[tuple[str, Any]]:
    """Yield the documented methods and properties of a class, with those of a base class of cutcard
    that has no entry."""
    seen: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.split(".")[0] in OURS and (base is kind or base not in shown):
            for name, value in vars(base).items():
                if not name.startswith("_") and _is_method(value) and sentence(value):
                    seen[name] = value
    yield from seen.items()


def sentence(thing: Any) -> str:
    """The first sentence of a docstring, in one line."""
    text = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    end = text.find(". ")
    return text if end < 0 else text[: end + 1]


def _entries(package: ModuleType) -> Iterator[str]:
    shown = [thing for thing in public(package).values() if isinstance(thing, type)]
    for name, thing in public(package).items():
        if not isinstance(thing, type):
            yield _line(f"{name}{signature(thing)}", about(thing))
            continue
        bases = [base for base in thing.__bases__ if base in shown]
        above = "".join(f"({base.__name__}) " for base in bases)
        yield _line(f"{name}{constructor(thing)}", above + about(thing))
        if issubclass(thing, BaseException):
            continue
        for method, value in methods(thing, shown):
            yield "  " + _line(f"{method}{signature(value)}", sentence(value))


def _line(code: str, text: str) -> str:
    return f"- `{code}` {text}".rstrip()


def _rank(thing: Any) -> int:
    if not isinstance(thing, type):
        return 0
    return 2 if issubclass(thing, BaseException) else 1


def _is_method(value: Any) -> bool:
    return isinstance(value, FunctionType | property | classmethod | staticmethod)


def about(thing: Any) -> str:
    if isinstance(thing, type) and issubclass(thing, Enum):
        return f"{sentence(thing)} {_one_of(each.name for each in thing)}"
    if get_origin(thing) is Callable:
        return "The type of a callback for every frame."
    if get_args(thing):
        return _one_of(each.__name__ for each in get_args(thing))
    if callable(thing):
        return sentence(thing)
    return _one_of(each.value if isinstance(each, Enum) else each for each in thing)


def _one_of(names: Iterable[str]) -> str:
    return "One of " + ", ".join(f"`{name}`" for name in names) + "."


def constructor(kind: type) -> str:
    """Return the parameters of a class that programs create; "" for other classes."""
    if kind.__name__ in MADE_BY_US:
        return ""
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        return signature(kind.__init__ if is_dataclass(kind) else kind.__new__, returns=False)
    return ""


def signature(thing: Any, returns: bool = True) -> str:
    if isinstance(thing, property):
        made = inspect.signature(thing.fget) if thing.fget else None
        return f": {_name(made.return_annotation)}" if made else ""
    if isinstance(thing, classmethod | staticmethod):
        thing = thing.__func__
    thing = inspect.unwrap(thing) if callable(thing) else thing
    if not isinstance(thing, FunctionType):
        return ""
    made = inspect.signature(thing)
    parameters = [each for each in made.parameters.values() if each.name not in _FIRST]
    written: list[str] = []
    for each in parameters:
        if each.kind is each.KEYWORD_ONLY and not any(one.startswith("*") for one in written):
            written.append("*")
        written.append(_parameter(each))
    answer = f" -> {_name(made.return_annotation)}" if returns else ""
    return f"({', '.join(written)}){answer}"


_FIRST = ("self", "cls", "_cls")


def _parameter(each: inspect.Parameter) -> str:
    stars = (
        "*" if each.kind is each.VAR_POSITIONAL else "**" if each.kind is each.VAR_KEYWORD else ""
    )
    text = stars + each.name
    if each.annotation is not each.empty:
        text += f": {_name(each.annotation)}"
    if each.default is not each.empty:
        text += f" = {_default(each.default)}"
    return text


def _default(value: Any) -> str:
    """Return a default without addresses in memory, which differ from run to run."""
    if isinstance(value, FunctionType) or callable(value):
        return str(getattr(value, "__name__", "..."))
    if isinstance(value, Enum):
        return str(value)
    text = repr(value)
    return "..." if "<" in text else text


def _name(annotation: Any) -> str:
    """As a program would write it: without the modules that it is written in."""
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    text = str(annotation if isinstance(annotation, str) else getattr(annotation, "__name__", ""))
    return re.sub(r"\b[a-z_]+\.(?=[A-Z])", "", text or str(annotation))
