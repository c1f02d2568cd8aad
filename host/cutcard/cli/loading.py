"""Commands that are loaded on demand, so that unused code costs no time."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import typer
import typer.main
from typer._click.exceptions import UsageError
from typer.core import TyperCommand, TyperGroup

from cutcard.cli.help_text import readable
from cutcard.cli.plain_values import take_plainly


class Command(NamedTuple):
    """The place of a command (`module:function`, or `module:app` for a group), and its line in the
    help of its group."""

    written: str
    help: str


class LoadedWhenCalled(TyperGroup):
    """A group with commands in other modules; its help is printed without loading them."""

    elsewhere: ClassVar[Mapping[str, Command]] = {}
    _only_shown = False

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *self.elsewhere]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = self.elsewhere.get(cmd_name)
        if command is None:
            return super().get_command(ctx, cmd_name)
        if self._only_shown:
            return TyperCommand(cmd_name, help=command.help)
        return _loaded(cmd_name, command)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that `args` names; suggest one of a similar name if there is none."""
        try:
            return super().resolve_command(ctx, args)
        except UsageError as error:
            similar = get_close_matches(args[0], self.elsewhere)
            if similar and "Did you mean" not in error.message:
                named = ", ".join(f"'{name}'" for name in similar)
                error.message = f"{error.message.rstrip('.')}. Did you mean {named}?"
            raise

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self._only_shown = True
        super().format_help(ctx, formatter)
        self._only_shown = False


def _loaded(name: str, command: Command) -> TyperCommand | TyperGroup:
    module, _, written = command.written.partition(":")
    with staying():
        found = getattr(import_module(module), written)
    if isinstance(found, typer.Typer):
        group = typer.main.get_group(found)
        group.name = name
        readable(group)
        take_plainly(group)
        return group
    alone = typer.Typer(
        add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False
    )
    alone.command(name)(found)
    single = typer.main.get_command(alone)
    assert isinstance(single, TyperCommand)
    readable(single)
    take_plainly(single)
    return single


@contextmanager
def staying() -> Iterator[None]:
    """Freeze objects loaded here, so that the garbage collector does not scan them.

    In a command that takes a second, these scans are a fifth of the time, most of it at the end.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
