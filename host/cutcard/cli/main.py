"""The command `cutcard`: its subcommands, and the module of each.

A command is loaded on demand: printing the version or one card does not load the statistics.
"""

from __future__ import annotations

import atexit
import gc
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import typer

from cutcard import __version__, extras
from cutcard.cli.help_text import readable
from cutcard.cli.loading import Command, LoadedWhenCalled
from cutcard.cli.standard_output import report_output_errors

COMMANDS = {
    "attest": Command("cutcard.cli.boards.attest:attest", "Verify the entire flash of a device."),
    "bench": Command(
        "cutcard.cli.boards.bench_command:bench", "Run a device on the bench, without hardware."
    ),
    "case": Command("cutcard.cli.rulebooks.case:app", "Rounds as files: replay and explain them."),
    "certify": Command("rng_certification.cli.certify:app", "Certify randomness; judge any data."),
    "chip": Command("cutcard.cli.boards.chip_command:chip", "Run a device on an emulated Pico."),
    "console": Command(
        "cutcard.cli.tables.console_command:console", "A web page to watch tables and make rulings."
    ),
    "device": Command(
        "cutcard.cli.devices.device_command:app", "Operate a machine: load, deal, recover, watch."
    ),
    "devices": Command(
        "cutcard.cli.devices.device_list:devices", "List the devices on this computer."
    ),
    "doctor": Command("cutcard.cli.doctor:doctor", "List missing parts on this computer."),
    "edge": Command(
        "cutcard.cli.edges.edge_command:app", "House edges, exactly and by simulation."
    ),
    "flash": Command(
        "cutcard.cli.boards.flash:flash", "Flash a signed image onto a board or a bench."
    ),
    "image": Command("cutcard.cli.boards.image:app", "Build and check signed firmware images."),
    "journal": Command("cutcard.cli.tables.journal:app", "Read and verify the record of a table."),
    "keys": Command("cutcard.cli.boards.keys:app", "Keys that sign firmware images and reports."),
    "machine": Command(
        "cutcard.cli.boards.machine_command:app", "Machine files: list them, check one."
    ),
    "meter": Command(
        "cutcard.cli.meters.meter_command:app", "Progressive prize meters and Bet Managers."
    ),
    "person": Command("cutcard.cli.tables.person:app", "Users of the console."),
    "play": Command("cutcard.cli.tables.play:play", "Play one round in the terminal."),
    "prize": Command("cutcard.cli.meters.prize:app", "Jackpot draws: prize tables, keys, proofs."),
    "provision": Command("cutcard.cli.devices.device_list:provision", "Give a new device its key."),
    "reference": Command("cutcard.cli.boards.attest:reference", "Make the reference for `attest`."),
    "rulebook": Command(
        "cutcard.cli.rulebooks.rulebook_command:app", "The rulebooks, rule by rule."
    ),
    "rulings": Command(
        "cutcard.cli.rulebooks.rulings:rulings", "The rulings of the rulebooks on irregularities."
    ),
    "table": Command(
        "cutcard.cli.tables.table_command:app", "Live tables on the bench or on real devices."
    ),
    "tournament": Command(
        "cutcard.cli.tables.tournament:app", "Tournament play: terms, schedule, prizes."
    ),
    "witness": Command(
        "cutcard.cli.tables.witness:witness", "Cosign the journals of tables, on another computer."
    ),
}


class _Commands(LoadedWhenCalled):
    elsewhere = COMMANDS

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for parameter in self.get_params(ctx):
            if getattr(parameter, "is_flag", False) and parameter.default is None:
                # Colour is off: to resolve its None, typer would load pydantic for every command.
                parameter.default = False
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        readable(self)
        super().format_help(ctx, formatter)


app = typer.Typer(
    cls=_Commands,
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
    # A command has no log to pass, so its user can do nothing about this warning.
    warnings.filterwarnings("ignore", message=".* the device is opened without a log")
    atexit.register(gc.freeze)  # remaining objects are freed with the process, not one by one
    try:
        with report_output_errors():
            app(arguments)
    except ModuleNotFoundError as error:
        said = extras.explain(error)
        if said is None:
            raise
        typer.echo(said, err=True)
        sys.exit(2)
    except OSError as error:  # a file named by the user, without a more specific message
        if error.filename is None:
            raise
        from cutcard.untrusted import why_unreadable  # only an error needs it

        typer.echo(f"{error.filename}: {why_unreadable(error)}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
