"""`cutcard rulebook check` and `keys`: for authors of rulebooks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from cutcard.columns import show_table, wrapped
from cutcard.rulebooks.folder import mistakes_of, read_folder
from cutcard.rulebooks.layer import BASE, VARIANT, mistakes_in
from cutcard.rulebooks.schema import RulebookKey, schema
from cutcard.rulebooks.text import MalformedRulebookError, Mistake, parse
from cutcard.untrusted import MOST_TOML, BadContentError, content, text_of


def check(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="FILE_OR_FOLDER",
            help=f"The folder with {BASE}.toml and {VARIANT}NAME.toml; or one of these files.",
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for scripts.")] = False,
) -> None:
    """Check your own rulebook, and print all mistakes together.

    Mistakes are unknown keys, invalid values, and missing keys that a game requires. A single file
    is checked by itself; missing keys of its folder are found only in the folder. `cutcard rulebook
    keys` lists the valid keys.

    Exit 0: it can be played. 1: it has mistakes. 2: there are no files to check.
    """
    is_folder = path.is_dir()
    try:
        mistakes = _mistakes_of_folder(path) if is_folder else _mistakes_of_file(path)
    except OSError as error:
        typer.echo(f"{path}: {error.strerror}; name a folder, or a file of one", err=True)
        raise typer.Exit(2) from error
    if as_json:
        listed = [mistake._asdict() for mistake in mistakes]
        typer.echo(json.dumps({"path": str(path), "ok": not mistakes, "mistakes": listed}))
    elif mistakes:
        for mistake in mistakes:
            typer.echo("\n".join(wrapped(str(mistake), later="    ")))
        number = len(mistakes)
        typer.echo(f"{path}: {number} mistake{'s' if number > 1 else ''}")
    else:
        alone = f"no mistakes in this file; check {path.parent} for missing keys"
        play = f"no mistakes; play it with: cutcard play {_called(path)}"
        typer.echo(f"{path}: {play if is_folder else alone}")
    if mistakes:
        raise typer.Exit(1)


def keys(
    topic: Annotated[str, typer.Argument(help="Only this topic, such as double.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for scripts.")] = False,
) -> None:
    """List every key of a rulebook, with its meaning and its valid values.

    The value of a key either decides, or the key is only cited: then the engine always does the
    same, and the entry exists for its rule.
    """
    chosen = [key for key in schema().values() if topic in ("", key.name.partition(".")[0])]
    if not chosen:
        topics = dict.fromkeys(key.partition(".")[0] for key in schema())
        typer.echo(f"unknown topic {topic!r}; use one of {', '.join(topics)}", err=True)
        raise typer.Exit(2)
    if as_json:
        typer.echo(json.dumps([_as_json(key) for key in chosen]))
        return
    rows = [(key.name, key.says, key.allowed, _role(key)) for key in chosen]
    show_table(("key", "meaning", "is", "role"), rows)


def _mistakes_of_folder(path: Path) -> list[Mistake]:
    try:
        return mistakes_of(read_folder(path))
    except MalformedRulebookError as error:
        return list(error.mistakes)


def _mistakes_of_file(path: Path) -> list[Mistake]:
    file = path.name.removesuffix(".toml")
    if path.suffix != ".toml" or not (file == BASE or file.startswith(VARIANT)):
        path.stat()
        return [Mistake(path.name, "", f"must be called {BASE}.toml or {VARIANT}NAME.toml")]
    try:
        return list(mistakes_in(file, parse(path.name, text_of(content(path, MOST_TOML)))))
    except BadContentError as error:
        return [Mistake(path.name, "", str(error))]
    except MalformedRulebookError as error:
        return list(error.mistakes)


def _called(path: Path) -> str:
    return str(path) if path.is_absolute() or str(path).startswith(".") else f"./{path}"


def _role(key: RulebookKey) -> str:
    role = "only cited" if key.cited else "decides"
    if key.needed:
        return f"{role}, needed"
    if key.needed_where is not None:
        return f"{role}, needed with {' and '.join(key.needed_where)}"
    return role


def _as_json(key: RulebookKey) -> dict[str, Any]:
    return {
        "key": key.name,
        "kind": key.kind,
        "allowed": key.allowed,
        "among": list(key.among),
        "decides": not key.cited,
        "needed": key.needed if key.needed_where is None else dict(key.needed_where),
        "says": key.says,
    }
