"""`cutcard device PORT ...`: operate a machine without writing a program."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Annotated, Any, NoReturn

import typer

from cutcard.cli.devices.device_errors import fail
from cutcard.cli.devices.device_recover import Attempts
from cutcard.cli.devices.device_watch import Watch
from cutcard.cli.devices.device_words import (
    event_as_json,
    state_in_words,
    status_as_json,
    status_in_words,
)
from cutcard.cli.options import complain
from cutcard.devices import (
    AnyDevice,
    BadArgumentError,
    Controller,
    DeviceError,
    Frame,
    InFaultError,
    NotInTimeError,
    Recovered,
    Shoe,
    Shuffler,
    open_device,
)
from cutcard.devices.device import HAND_SECONDS
from cutcard.progress import working
from cutcard.table.people.terminal import Terminal

INTERRUPTED = 130
WORDS = ("status", "load", "deal", "return", "recover", "unload", "watch")

app = typer.Typer(
    help="Operate a machine: status, load, deal, recover, unload, and watch its wire.\n\n"
    "PORT comes first and selects a board or a bench: /dev/ttyACM0, the "
    "port that `cutcard bench` prints, or bench:carousel-60 for a bench that lasts as long as the "
    "command. The machine stores its events (at most 24) for the table's journal, unless "
    "--take declares that no journal needs them.\n\n"
    "    cutcard device /dev/ttyACM0 status",
    no_args_is_help=True,
    subcommand_metavar=f"{'|'.join(WORDS)} ...",
)
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object, for scripts.")]
Take = Annotated[
    bool,
    typer.Option("--take", help="Let the machine forget the events received by this command."),
]


def _port(given: str) -> str:
    if given in WORDS:
        raise typer.BadParameter(f"the port comes first: cutcard device PORT {given}")
    return given


@app.callback()
def device(
    context: typer.Context,
    port: Annotated[
        str,
        typer.Argument(
            metavar="PORT",
            callback=_port,
            help="Port string of the machine; `cutcard devices` lists the boards.",
        ),
    ],
) -> None:
    context.obj = port


@app.command("status")
def status(context: typer.Context, as_json: AsJson = False) -> None:
    """Print the machine's identity, mode and counts of cards. Changes nothing.

    In a fault it also prints the next step. Exit 1: the machine cannot be reached.

        cutcard device /dev/ttyACM0 status --json
    """
    with _at(context, as_json) as machine:
        said = status_as_json(machine, machine.status())
    _print_result(said, status_in_words(said), as_json)


@app.command("load")
def load(
    context: typer.Context,
    decks: Annotated[int, typer.Argument(min=1, max=255, help="How many decks.")],
    pack: Annotated[
        int, typer.Option(min=1, max=255, help="Cards in each: 52, or 48 without the tens.")
    ] = 52,
    take: Take = False,
    as_json: AsJson = False,
) -> None:
    """Load decks and count them: a shuffler takes them from its tray; for a shoe, report its stack.

    Put the cards in first. Exit 1: the count differs, a card jammed, or it holds cards already.

        cutcard device /dev/ttyACM0 load 6

        cutcard device 'bench:shoe-8?decks=6' load 6
    """
    with _at(context, as_json, take, f"loading {decks * pack} cards") as machine:
        if isinstance(machine, Shoe):
            loaded = machine.stack(decks, pack)
        else:
            loaded = _shuffler(machine, "load", as_json).load(decks, pack)
    _print_result({"cards": loaded.cards}, f"{loaded.cards} cards loaded and counted.", as_json)


@app.command("deal")
def deal(
    context: typer.Context,
    cards: Annotated[int, typer.Argument(min=1, help="Number of cards, one after the other.")] = 1,
    wait: Annotated[float, typer.Option(help="Seconds to wait for a hand, for each card.")] = (
        HAND_SECONDS
    ),
    take: Take = False,
    as_json: AsJson = False,
) -> None:
    """Call for cards and print each drawn card on a line; `?` could not be read.

    A person at the machine draws them. The call for a card not drawn in time is cancelled. Exit 1:
    a fault occurred, or a card was not drawn.

        cutcard device /dev/ttyACM0 deal 3
    """
    dealt: list[str | None] = []
    with _at(context, as_json, take, so_far={"cards": dealt}) as machine:
        dealer = _card_device(machine, "deal", as_json)
        for _ in range(cards):
            try:
                card = dealer.deal(wait).card
            except (NotInTimeError, KeyboardInterrupt):
                dealer.disarm()
                raise
            dealt.append(None if card is None else str(card))
            if not as_json:
                print(dealt[-1] or "?", flush=True)
    if as_json:
        print(json.dumps({"cards": dealt}))


@app.command("return")
def return_cards(
    context: typer.Context,
    cards: Annotated[
        int | None, typer.Argument(min=1, help="Number of cards; default: all cards outside.")
    ] = None,
    wait: Annotated[float, typer.Option(help="Seconds to wait for the cards.")] = HAND_SECONDS,
    take: Take = False,
    as_json: AsJson = False,
) -> None:
    """Wait until the shuffler has taken the discards from its tray, and print their number.

    Put them into the tray; the machine takes them by itself. A shoe takes no cards back: unload it,
    shuffle the cards elsewhere and load it again. Exit 1: cards were not taken, or the machine is
    in a fault, which is named.

        cutcard device /dev/ttyACM0 return
    """
    with _at(context, as_json, take, "waiting for cards in the tray") as machine:
        went_in = _shuffler(machine, "return", as_json).wait_for_returned(cards, wait)
        left = machine.status().outside
    words = f"{went_in} cards were taken back; {left} are outside."
    _print_result({"returned": went_in, "outside": left}, words, as_json)


@app.command("recover")
def recover(
    context: typer.Context,
    outside: Annotated[
        int | None,
        typer.Argument(
            min=0,
            help="Cards outside the machine, counted by a person; asked for at a terminal.",
        ),
    ] = None,
    table: Annotated[
        int, typer.Option(min=0, help="Of a controller: the table; 0 for the entire controller.")
    ] = 0,
    take: Take = False,
    as_json: AsJson = False,
) -> None:
    """End a fault after its cause was removed: the machine counts its cards and compares.

    First free the card or close the door; `status` names the next step. Then count the cards that
    are not in the machine. At most three counts are compared, also over several commands; the
    number that the machine expects is shown before the last. Cards may come out while the machine
    counts, and the command prints where to put them. A controller has no cards: it just continues.
    Exit 1: the count does not match, or the cause is still present.

        cutcard device /dev/ttyACM0 recover
    """
    so_far: dict[str, Any] = {}
    with _at(context, as_json, take, so_far=so_far) as machine:
        if isinstance(machine, Controller):
            machine.resume(table)
            said: dict[str, Any] = {"table": table}
            words = "The fault is over."
        else:
            found = _recovered(machine, outside, so_far, as_json)
            said = event_as_json(found) | {"next_step": found.next_step}
            words = f"The fault is over: {found.inside} cards inside, {found.outside} outside."
            words += f"\n{found.next_step}"
    _print_result(said, words, as_json)


def _recovered(
    machine: Shuffler | Shoe, outside: int | None, so_far: dict[str, Any], as_json: bool
) -> Recovered:
    """Compare the count given on the command line, or ask for counts at a terminal."""
    attempts = Attempts(machine)
    try:
        if outside is not None:
            return attempts.compare(outside)
        if sys.stdin.isatty() and not as_json:
            return attempts.ask(Terminal().number, typer.echo)
    finally:
        so_far["failed_attempts"] = attempts.failed.attempts
    _wrong(
        "recover needs the number of cards outside the machine.",
        "Count them, including those in the tray: cutcard device PORT recover 4",
        as_json,
    )


@app.command("unload")
def unload(context: typer.Context, take: Take = False, as_json: AsJson = False) -> None:
    """Eject all cards, until the machine is empty and has counted them.

    A person at the machine draws them. Exit 1: a fault occurred, or the count differs.

        cutcard device /dev/ttyACM0 unload
    """
    with _at(context, as_json, take, "unloading") as machine:
        unloaded = _card_device(machine, "unload", as_json).unload()
    _print_result(
        {"cards": unloaded.cards}, f"{unloaded.cards} cards came out; it is empty.", as_json
    )


@app.command("watch")
def watch(
    context: typer.Context,
    only_events: Annotated[
        bool, typer.Option("--events", help="Only events, without frames.")
    ] = False,
    seconds: Annotated[
        float | None, typer.Option("--for", min=0, help="End after this many seconds.")
    ] = None,
    take: Take = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON, one object per line.")] = False,
) -> None:
    """Show the decoded wire, live: every frame by name, every event with its number and time.

    `->` goes to the machine, `<-` comes from it. Times are this computer's. It begins with the
    events that the machine still stores. A heartbeat without news is left out. Ctrl-C ends it. Exit
    1: the line broke and did not return.

        cutcard device /dev/ttyACM0 watch --events
    """
    try:
        Watch(context.obj, as_json, only_events).run(take, seconds)
    except DeviceError as error:
        fail(error, as_json, context.obj)


@contextmanager
def _at(
    context: typer.Context,
    as_json: bool,
    take: bool = False,
    doing: str = "",
    so_far: dict[str, Any] | None = None,
) -> Iterator[AnyDevice]:
    """Open the machine at the port; a failure is printed and ends the command.

    `so_far` is the work done until then, for the JSON output.
    """
    with working(doing) if doing else nullcontext() as work:

        def progress(frame: Frame) -> None:
            """Show the status that the driver requests while it waits."""
            if work is not None and (frame.kind, frame.name) == ("reply", "status"):
                work.on(f"{frame.fields['inside']} inside, {frame.fields['outside']} outside")

        try:
            with open_device(context.obj, tap=progress, acknowledge=take) as machine:
                try:
                    yield machine
                except KeyboardInterrupt:
                    _end_interrupted(machine, as_json, **(so_far or {}))
        except DeviceError as error:
            more = (so_far or {}) | _fault(error)
            fail(_with_cards_shown(error), as_json, context.obj, **more)


def _end_interrupted(machine: AnyDevice, as_json: bool, **so_far: Any) -> NoReturn:
    """Report the state of the machine after Ctrl-C, and exit with status 130."""
    said = status_as_json(machine, machine.status())
    if as_json:
        print(json.dumps({"error": "interrupted", "status": said} | so_far))
    else:
        complain(f"Interrupted. {state_in_words(said)}")
    raise typer.Exit(INTERRUPTED)


def _with_cards_shown(error: DeviceError) -> DeviceError:
    """Add the cards of a simultaneous draw to the problem."""
    if isinstance(error, InFaultError) and error.event is not None and error.event.cards:
        shown = " ".join("?" if card is None else str(card) for card in error.event.cards)
        order = "" if error.event.order_known else ", in an order that cannot be known"
        error.problem += f" The draw showed {shown}{order}."
    return error


def _fault(error: DeviceError) -> dict[str, Any]:
    if not isinstance(error, InFaultError):
        return {}
    event = event_as_json(error.event) if error.event is not None else None
    said = {"fault": error.fault, "detail": error.detail, "event": event}
    return said | ({"came_out": error.came_out} if error.came_out else {})


def _card_device(machine: AnyDevice, word: str, as_json: bool) -> Shuffler | Shoe:
    if isinstance(machine, Controller):
        _wrong(
            f"{machine.port.text} is a controller: it has no cards to {word}.",
            "Use status, recover and watch with it; `cutcard prize` exports its draws.",
            as_json,
        )
    return machine


def _shuffler(machine: AnyDevice, word: str, as_json: bool) -> Shuffler:
    dealer = _card_device(machine, word, as_json)
    if isinstance(dealer, Shoe):
        _wrong(
            f"{machine.port.text} is a shoe: it takes no cards back.",
            "Unload it, shuffle the cards, put them in, then type: cutcard device PORT load DECKS",
            as_json,
        )
    return dealer


def _print_result(said: dict[str, Any], words: str, as_json: bool) -> None:
    print(json.dumps(said) if as_json else words)


def _wrong(problem: str, hint: str, as_json: bool) -> NoReturn:
    fail(BadArgumentError(problem, hint), as_json, "PORT")
