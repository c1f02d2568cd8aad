"""`cutcard rulings`: compare the rulings of jurisdictions."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from cutcard.cli.options import refuse
from cutcard.columns import show_table
from cutcard.engine.irregularities.stage import Stage
from cutcard.progress import working
from cutcard.rulebooks.book import RULEBOOKS
from cutcard.rulings.matrix import ROWS, STAGES, matrix
from cutcard.rulings.page import NAMES, line, page

Rulebooks = Annotated[
    list[str] | None,
    typer.Option(
        "--rulebook", "-r", help=f"Only this rulebook: {', '.join(RULEBOOKS)}. Repeatable."
    ),
]
Irregularities = Annotated[
    list[str] | None,
    typer.Option(
        "--irregularity", "-i", help="Only this irregularity, such as malfunction. Repeatable."
    ),
]
# The name of that option before version 0.2.
Faults = Annotated[list[str] | None, typer.Option("--fault", "-f", hidden=True)]
Stages = Annotated[
    list[str] | None,
    typer.Option("--stage", "-s", help='Only this stage, such as "initial deal". Repeatable.'),
]


def rulings(
    context: typer.Context,
    rulebook: Rulebooks = None,
    irregularity: Irregularities = None,
    fault: Faults = None,
    stage: Stages = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="JSON Lines, one object per cell.")
    ] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print docs/reference/rulebooks/rulings.md.")
    ] = False,
) -> None:
    """The ruling of each rulebook on each irregularity at each stage of a round.

    Every cell is the engine's own answer: a round is played into the stage, and the irregularity is
    reported to it. A ruling follows from the rules; for a choice, the cell has its owner, its
    options and its rule.
    """
    if markdown:
        why = "cannot be combined with --markdown, which prints the entire page"
        refuse(context, why, "rulebook", "irregularity", "fault", "stage", "as_json")
        with working("computing the rulings"):
            text = page()
        typer.echo(text, nl=False)
        return
    books = _among(rulebook, RULEBOOKS, "rulebook")
    known = [*(row.name for row in ROWS), *dict.fromkeys(row.irregularity.kind for row in ROWS)]
    named = [*(irregularity or ()), *(fault or ())]
    irregularities = _among(named, known, "irregularity") if named else []
    words = _among(stage, [stage.value for stage in STAGES], "stage")
    stages = [Stage(word) for word in words]
    with working("computing the rulings") as work:
        cells = []
        for cell in matrix(books, irregularities, stages):
            work.on(f"{cell.rulebook}: {cell.irregularity}")
            cells.append(cell)
    if as_json:
        for cell in cells:
            typer.echo(json.dumps(cell.as_json()))
        return
    for row in ROWS:
        found = {
            (cell.stage, cell.rulebook): cell for cell in cells if cell.irregularity == row.name
        }
        if not found:
            continue
        answers = [(at.value, *(line(found[at, book]) for book in books)) for at in stages]
        headings = ("stage", *(NAMES[book] for book in books))
        show_table(headings, answers, title=row.name, lines=True)


def _among(given: list[str] | None, known: tuple[str, ...] | list[str], what: str) -> list[str]:
    for name in given or ():
        if name not in known:
            raise typer.BadParameter(
                f"unknown {what} {name!r}; use one of {'; '.join(dict.fromkeys(known))}",
                param_hint=f"--{what}",
            )
    return list(given or known)
