"""`cutcard edge`: what the house keeps of a wager, exactly and by simulation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import typer

from cutcard.cli.loading import Command, LoadedWhenCalled


class _Commands(LoadedWhenCalled):
    """Each is loaded alone: what is compiled needs what the others do not."""

    elsewhere: ClassVar[Mapping[str, Command]] = {
        "side": Command(
            "cutcard.cli.edges.side:side_command",
            "The house edge of side wagers: exact fractions, and one figure for those that hang "
            "on play.",
        ),
        "prizes": Command(
            "cutcard.cli.edges.side:prizes_command",
            "Mean, variance and chances of the prizes that a jackpot button draws.",
        ),
        "page": Command(
            "cutcard.cli.edges.side:page_command",
            "Print docs/reference/rulebooks/side-bet-arithmetic.md anew.",
        ),
        "game": Command(
            "cutcard.cli.edges.game:game_command",
            "What a main game costs, exactly, and how it is best played.",
        ),
        "beside": Command(
            "cutcard.cli.edges.beside:beside_command",
            "Side wagers that hang on how a game is played, under its best play.",
        ),
        "sweep": Command(
            "cutcard.cli.edges.sweep:sweep_command",
            "Every game that the rulebooks allow, those that favour the player on top.",
        ),
        "figures": Command(
            "cutcard.cli.edges.sweep:figures_command",
            "Print docs/reference/edges.md anew.",
        ),
        "simulate": Command(
            "cutcard.cli.edges.simulate:simulate_command",
            "Play a game by the million rounds, as the engine plays it.",
        ),
        "machines": Command(
            "cutcard.cli.edges.machines:machines_command",
            "The same game on each machine and in a shoe, and what a counter wins there.",
        ),
        "risk": Command(
            "cutcard.cli.edges.machines:risk_command",
            "What an edge and a variance mean: ruin, and how long a defect hides.",
        ),
    }


app = typer.Typer(
    cls=_Commands,
    help="House edges: exact, in fractions, by dealing every card; and by simulation.",
    no_args_is_help=True,
)
