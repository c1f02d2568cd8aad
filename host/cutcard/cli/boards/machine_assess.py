"""`cutcard machine assess`: a machine's leaks by law and by sound, and possible improvements."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import wrap
from typing import Annotated, NoReturn

import typer

from cutcard import extras
from cutcard.columns import show_table
from cutcard.machines.library import Machine, find
from cutcard.machines.schema import MachineFileError
from cutcard.progress import working


def assess(
    file: Annotated[str, typer.Argument(help="A machine file, or the name of an included one.")],
    pack: Annotated[
        list[int] | None, typer.Option(help="Cards of a pack, such as 312. Default: every pack.")
    ] = None,
    thorough: Annotated[
        bool, typer.Option("--thorough", help="As much data as a certificate has; some minutes.")
    ] = False,
    start_stop: Annotated[
        float,
        typer.Option(
            help="Error in ms of the times at which motors are heard to start and stop.", min=0.1
        ),
    ] = 3.0,
    direction: Annotated[
        float,
        typer.Option(
            help="How often the direction of a leg is guessed right, if the file states that it is "
            "hidden and has no listening test.",
            min=0.5,
            max=1.0,
        ),
    ] = 0.75,
    picture: Annotated[
        Path | None, typer.Option(help="Write a picture: a file name ending in .svg or .png.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Measure how predictable a machine's next card is, and its speed; list the best improvements.

    Bits are measured by simulation: the information of the best counter, who sees every card dealt
    and put back, and of a listener who also hears the motors. Exit 1 if either is 0.25 bits or more
    above an ideal machine, with any pack.

    Example:

          cutcard machine assess carousel-60 --pack 416 --picture carousel-60.svg
    """
    machine = _machine(file)
    packs = _packs(machine, pack or [])
    if picture is not None and picture.suffix not in (".svg", ".png"):
        _called_wrongly(f"--picture {picture}: must end in .svg or .png")
    with _certification():
        from rng_certification.predictability import assessment, figures
        from rng_certification.predictability import picture as drawing
        from rng_certification.predictability.ear import Hearing
    learned = figures.ORDINARY if thorough else figures.QUICK
    try:
        with working(f"assessing {machine.name}") as work:
            hearing = Hearing(start_stop, direction=direction)
            found = assessment.assess(machine, packs, hearing, learned, work.on)
    except KeyboardInterrupt:
        typer.echo("Stopped; no file was written.", err=True)
        raise typer.Exit(130) from None
    if picture is not None:
        try:
            drawing.draw(found, picture)
        except OSError as error:
            _called_wrongly(f"{picture} cannot be written: {error.strerror}")
    if as_json:
        print(json.dumps(assessment.as_json(found)))
    else:
        _show(assessment.as_json(found))
    raise typer.Exit(0 if found.passes else 1)


def _machine(file: str) -> Machine:
    try:
        machine = find(file)
    except MachineFileError as error:
        _called_wrongly(str(error))
    if machine.kind != "shuffler":
        _called_wrongly(f"{machine.name} is a {machine.kind}: only a shuffler can be assessed")
    return machine


def _packs(machine: Machine, wanted: list[int]) -> list[int]:
    admitted = sorted({decks * deck for decks, deck in machine.admitted()})
    for pack in wanted:
        if pack not in admitted:
            known = ", ".join(map(str, admitted))
            _called_wrongly(f"--pack {pack}: {machine.name} admits {known}")
    return wanted


@contextmanager
def _certification() -> Iterator[None]:
    """Import the certification, which is an extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        _called_wrongly(extras.explain(error) or str(error))


def _show(found: dict[str, object]) -> None:
    rows = []
    packs = found["packs"]
    assert isinstance(packs, list)
    for pack in packs:
        strongest = max(pack["counters"], key=lambda figure: figure["bits"])
        rows.append(
            (
                str(pack["pack"]),
                f"{strongest['bits']:.2f} ± {strongest['error']:.2f}",
                strongest["by"],
                f"{pack['ear']['bits']:.2f} ± {pack['ear']['error']:.2f}",
                f"{pack['ideal']:.2f}",
                "pass" if pack["passes"] else "FAIL",
            )
        )
    headings = ("pack", "counter, bits", "who", "ear, bits", "ideal", "below 0.25")
    show_table(headings, rows, title=f"{found['machine']}: information about the next card")
    gains = [
        (
            str(pack["pack"]),
            gain["rulebook"],
            f"{gain['house_edge_percent']:.2f} %",
            f"{gain['gain_percent']:+.2f} %",
            f"{gain['upper_percent']:+.2f} %",
            f"{gain['allowed_percent']:.2f} %",
            "yes" if gain["passes"] else "no",
        )
        for pack in packs
        for gain in pack["gains"]
    ]
    if gains:
        columns = ("pack", "rulebook", "house edge", "gain", "upper limit", "allowed", "would pass")
        title = "Gain of a bettor who stakes 1 to 10 by the counter; a first estimate"
        show_table(columns, gains, title=title)
    pace = found["pace"]
    if isinstance(pace, dict):
        _say(
            f"Estimated: {pace['cards_an_hour']:,.0f} cards an hour; a hand that takes one a "
            f"second waits {pace['wait_ms']:.0f} ms. Wear: for each card {pace['turns']:.2f} turns "
            f"over {pace['bins']:.1f} bins in all, and {pace['pushes']:.2f} pushes."
        )
    for pack in packs:
        if pack["best_weights"]:
            weights = pack["best_weights"]
            typer.echo(f"[weights.{pack['pack']}]  # the best for this pack, for its machine file")
            for side in ("in", "out"):
                _say(f"{side} = {weights[side]}")
    changes = found["changes"]
    if isinstance(changes, list) and changes:
        helps = [(c["name"], f"{c['counter']:.2f}", f"{c['ear']:.2f}") for c in changes]
        title = f"Improvements, the largest first ({found['worst_pack']} cards; rough)"
        show_table(("change", "counter, bits", "ear, bits"), helps, title=title)


def _say(text: str) -> None:
    for line in wrap(text, 79, subsequent_indent="  "):
        typer.echo(line)


def _called_wrongly(problem: str) -> NoReturn:
    typer.echo(problem, err=True)
    raise typer.Exit(2)
