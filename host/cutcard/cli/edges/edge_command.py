"""`cutcard edge`: the house edge of wagers, exactly and by simulation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import typer

from cutcard.cli.loading import Command, LoadedWhenCalled


class _Commands(LoadedWhenCalled):
    """Commands that are loaded separately: the compiled parts are large."""

    elsewhere: ClassVar[Mapping[str, Command]] = {
        "side": Command(
            "cutcard.cli.edges.side:side_command",
            "The house edge of side wagers: exact fractions, and one figure for those that depend "
            "on play.",
        ),
        "prizes": Command(
            "cutcard.cli.edges.side:prizes_command",
            "Mean, variance and chances of the prizes that a jackpot button draws.",
        ),
        "page": Command(
            "cutcard.cli.edges.side:page_command",
            "Print docs/reference/rulebooks/side-bet-arithmetic.md.",
        ),
        "game": Command(
            "cutcard.cli.edges.game:game_command",
            "The house edge of a main game, exactly, and its best strategy.",
        ),
        "beside": Command(
            "cutcard.cli.edges.beside:beside_command",
            "Side wagers that depend on play, under the best play.",
        ),
        "sweep": Command(
            "cutcard.cli.edges.sweep:sweep_command",
            "Every game that the rulebooks allow, those that favour the player first.",
        ),
        "figures": Command(
            "cutcard.cli.edges.sweep:figures_command",
            "Print docs/reference/edges.md.",
        ),
        "simulate": Command(
            "cutcard.cli.edges.simulate:simulate_command",
            "Simulate millions of rounds of a game, as the engine plays it.",
        ),
        "machines": Command(
            "cutcard.cli.edges.machines:machines_command",
            "The same game on each machine and in a shoe, and a counter's gain.",
        ),
        "counting": Command(
            "cutcard.cli.edges.counting:counting_command",
            "The bets, win rate and risk of a card counter, and the indices of a count.",
        ),
        "risk": Command(
            "cutcard.cli.edges.machines:risk_command",
            "The risk of ruin, and the time until a defect shows, for an edge and a variance.",
        ),
    }


app = typer.Typer(
    cls=_Commands,
    help="House edges: exact, in fractions, by dealing every card; and by simulation.",
    no_args_is_help=True,
)
