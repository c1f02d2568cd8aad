"""The command `cutcard`: each area brings its own commands, this file only names them."""

import typer

from cutcard import __version__
from cutcard.attestation.commands import attest, reference
from cutcard.bench.commands import bench
from cutcard.cases import commands as case
from cutcard.cases.play import play
from cutcard.devices.commands import devices, provision
from cutcard.doctor import doctor
from cutcard.edge import commands as edge
from cutcard.engine.rulings_command import rulings
from cutcard.flashing.commands import flash
from cutcard.image import commands as image
from cutcard.journal import commands as journal
from cutcard.keys import commands as keys
from cutcard.machines import commands as machine
from cutcard.meters import commands as meter
from cutcard.prizes import commands as prize
from cutcard.rulebooks import commands as rulebook
from cutcard.table import commands as table
from cutcard.tournament import commands as tournament
from rng_certification import commands as certify

app = typer.Typer(
    name="cutcard",
    help="Firmware, driver, rules engine and certification for card shufflers and shoes.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.add_typer(case.app, name="case")
app.add_typer(certify.app, name="certify")
app.add_typer(edge.app, name="edge")
app.add_typer(image.app, name="image")
app.add_typer(journal.app, name="journal")
app.add_typer(keys.app, name="keys")
app.add_typer(machine.app, name="machine")
app.add_typer(meter.app, name="meter")
app.add_typer(prize.app, name="prize")
app.add_typer(rulebook.app, name="rulebook")
app.add_typer(table.app, name="table")
app.add_typer(tournament.app, name="tournament")


@app.callback(invoke_without_command=True)
def cutcard(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    if version:
        typer.echo(f"cutcard {__version__}")
        raise typer.Exit


app.command()(bench)
app.command()(play)
app.command()(rulings)
app.command()(doctor)
app.command()(devices)
app.command()(provision)
app.command()(flash)
app.command()(attest)
app.command()(reference)


def main() -> None:
    app()


if __name__ == "__main__":
    main()
