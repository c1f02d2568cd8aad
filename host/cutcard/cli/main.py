"""The command `cutcard`: what there is to type, and where each command is written.

A command is loaded when it is called: somebody who asks for the version, or for one card, does
not wait for the statistics to be loaded.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from cutcard import __version__, extras


class Command(NamedTuple):
    """Where a command is written (`module:function`, or `module:app` for a group), and its line
    in `cutcard --help`."""

    written: str
    help: str


COMMANDS = {
    "attest": Command("cutcard.cli.attest:attest", "Check the whole flash of a device."),
    "bench": Command("cutcard.cli.bench:bench", "Run a device on the bench, without hardware."),
    "case": Command("cutcard.cli.case:app", "Rounds as files: run them, explain them."),
    "certify": Command("rng_certification.cli.certify:app", "Certify randomness; judge any data."),
    "device": Command("cutcard.cli.device:app", "Work a machine: load, deal, mend, watch."),
    "devices": Command("cutcard.cli.devices:devices", "List the devices on this computer."),
    "doctor": Command("cutcard.cli.doctor:doctor", "Say what is missing on this computer."),
    "edge": Command("cutcard.cli.edge:app", "What the house keeps of each side wager, exactly."),
    "flash": Command("cutcard.cli.flash:flash", "Put a signed image onto a board or a bench."),
    "image": Command("cutcard.cli.image:app", "Build and check signed firmware images."),
    "journal": Command("cutcard.cli.journal:app", "Read and check the record of a table."),
    "keys": Command("cutcard.cli.keys:app", "Keys that sign firmware images and reports."),
    "machine": Command("cutcard.cli.machine:app", "Machine files: list them, check one."),
    "meter": Command("cutcard.cli.meter:app", "Progressive prize meters and Bet Managers."),
    "play": Command("cutcard.cli.play:play", "Play one round in the terminal."),
    "prize": Command("cutcard.cli.prize:app", "Jackpot draws: prize tables, keys, proofs."),
    "provision": Command("cutcard.cli.devices:provision", "Give a new device its key."),
    "reference": Command("cutcard.cli.attest:reference", "Make what `attest` compares with."),
    "rulebook": Command("cutcard.cli.rulebook:app", "What the rulebooks say, rule by rule."),
    "rulings": Command(
        "cutcard.cli.rulings:rulings", "What the rulebooks rule when it goes wrong."
    ),
    "table": Command("cutcard.cli.table:app", "Live tables on the bench or on real devices."),
    "tournament": Command("cutcard.cli.tournament:app", "Tournament play: who plays, who wins."),
}


class _LoadedWhenCalled(TyperGroup):
    """The commands of the table above; `cutcard --help` is printed from the table alone."""

    _only_shown = False

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | TyperGroup | None:
        if cmd_name not in COMMANDS:
            return None
        if self._only_shown:
            return TyperCommand(cmd_name, help=COMMANDS[cmd_name].help)
        return _loaded(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self._only_shown = True
        super().format_help(ctx, formatter)
        self._only_shown = False


def _loaded(name: str) -> TyperCommand | TyperGroup:
    module, _, written = COMMANDS[name].written.partition(":")
    command = getattr(import_module(module), written)
    if isinstance(command, typer.Typer):
        found = typer.main.get_group(command)
        found.name = name
        return found
    alone = typer.Typer(
        add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False
    )
    alone.command(name)(command)
    single = typer.main.get_command(alone)
    assert isinstance(single, TyperCommand)
    return single


app = typer.Typer(
    cls=_LoadedWhenCalled,
    name="cutcard",
    help="Firmware, driver, rules engine and certification for card shufflers and shoes.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def cutcard(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    if version:
        typer.echo(f"cutcard {__version__}")
        raise typer.Exit


def main(arguments: Sequence[str] | None = None) -> None:
    try:
        app(arguments)
    except ModuleNotFoundError as error:
        said = extras.explain(error)
        if said is None:
            raise
        typer.echo(said, err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
