"""Generated sections of pages, each between `<!-- name: begin -->` and `<!-- name: end -->`."""

from __future__ import annotations


def between(text: str, name: str) -> str:
    """Return the section `name` of a page."""
    return text.split(_begin(name), 1)[1].split(_end(name), 1)[0].strip("\n")


def replace(text: str, name: str, new: str) -> str:
    """Return the page with `new` as its section `name`."""
    head, rest = text.split(_begin(name), 1)
    tail = rest.split(_end(name), 1)[1]
    return f"{head}{_begin(name)}\n{new}\n{_end(name)}{tail}"


def _begin(name: str) -> str:
    return f"<!-- {name}: begin -->"


def _end(name: str) -> str:
    return f"<!-- {name}: end -->"
