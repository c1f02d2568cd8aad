"""`cutcard device PORT ...`: what a person does at a machine, without writing a program."""

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
    help="Work a machine by hand: look at it, load it, deal, mend it, and watch its wire.\n\n"
    "PORT comes first and is the only thing that tells a bench from a board: /dev/ttyACM0, the "
    "port that `cutcard bench` prints, or bench:carousel-38 for a bench that lasts as long as the "
    "command. The machine keeps what it tells (at most 24 events) for the table's journal, unless "
    "--take says that nobody else needs it.\n\n"
    "    cutcard device /dev/ttyACM0 status",
    no_args_is_help=True,
    subcommand_metavar=f"{'|'.join(WORDS)} ...",
)
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object, for scripts.")]
Take = Annotated[
    bool,
    typer.Option("--take", help="Let the machine forget the events that this command was told."),
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
    """Say which machine it is, what it does, and where its cards are. Changes nothing.

    In a fault it says what to do about it. Exit 1: the machine could not be reached.

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
    """Take decks in and count them: a shuffler from its tray; a shoe is told what lies in it.

    Put the cards in first. Exit 1: the count differs, a card jammed, or it holds cards already.

        cutcard device /dev/ttyACM0 load 6

        cutcard device 'bench:shoe-8?decks=6' load 6
    """
    with _at(context, as_json, take, f"loading {decks * pack} cards") as machine:
        if isinstance(machine, Shoe):
            loaded = machine.stack(decks, pack)
        else:
            loaded = _shuffler(machine, "load", as_json).load(decks, pack)
    _print_result({"cards": loaded.cards}, f"{loaded.cards} cards are in, and counted.", as_json)


@app.command("deal")
def deal(
    context: typer.Context,
    cards: Annotated[int, typer.Argument(min=1, help="How many, one after the other.")] = 1,
    wait: Annotated[float, typer.Option(help="Seconds to wait for a hand, each card.")] = (
        HAND_SECONDS
    ),
    take: Take = False,
    as_json: AsJson = False,
) -> None:
    """Call for cards and say which were drawn, a line for each; `?` could not be read.

    Whoever stands at the machine draws them. A card that nobody drew in time is called back.
    Exit 1: a fault came up, or nobody drew.

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
        int | None, typer.Argument(min=1, help="How many; without it, all that are outside.")
    ] = None,
    wait: Annotated[float, typer.Option(help="Seconds to wait for them.")] = HAND_SECONDS,
    take: Take = False,
    as_json: AsJson = False,
) -> None:
    """Wait until the discards in the tray are back in the shuffler, and say how many went in.

    Put them into the tray; the machine takes them in by itself. A shoe takes none back: it is
    unloaded, shuffled elsewhere and loaded again. Exit 1: they did not come, or the machine is in
    a fault, which is named.

        cutcard device /dev/ttyACM0 return
    """
    with _at(context, as_json, take, "waiting for cards in the tray") as machine:
        went_in = _shuffler(machine, "return", as_json).wait_for_returned(cards, wait)
        left = machine.status().outside
    words = f"{went_in} cards went back in; {left} are outside."
    _print_result({"returned": went_in, "outside": left}, words, as_json)


@app.command("recover")
def recover(
    context: typer.Context,
    outside: Annotated[
        int | None,
        typer.Argument(
            min=0,
            help="Cards that are not in the machine, counted by a person; asked for at a terminal.",
        ),
    ] = None,
    table: Annotated[
        int, typer.Option(min=0, help="Of a controller: which table; 0 for the whole.")
    ] = 0,
    take: Take = False,
    as_json: AsJson = False,
) -> None:
    """End a fault whose cause was removed: the machine counts its cards and compares.

    Free the card or close the door first; `status` says what to do. Then count the cards that are
    not in the machine. Three counts are compared at most, also by several commands; the number
    that the machine expects is shown before the last. Cards may come out while the machine counts,
    and the command says where they go. A controller has no cards: it just continues. Exit 1: the
    count does not match, or the cause is still there.

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
    """Compare the count that was typed, or ask for counts at a terminal."""
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
        "Count them, those in the tray too: cutcard device PORT recover 4",
        as_json,
    )


@app.command("unload")
def unload(context: typer.Context, take: Take = False, as_json: AsJson = False) -> None:
    """Give every card out, until the machine is empty and has counted them.

    Whoever stands at the machine draws them. Exit 1: a fault came up, or the count differs.

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
        bool, typer.Option("--events", help="Only what it tells; not the frames beneath.")
    ] = False,
    seconds: Annotated[
        float | None, typer.Option("--for", min=0, help="End after so many seconds.")
    ] = None,
    take: Take = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON, an object a line.")] = False,
) -> None:
    """Show the decoded wire, live: every frame by name, every event with its number and time.

    `->` goes to the machine, `<-` comes from it. Times are this computer's. It begins with the
    events that the machine still keeps. A heartbeat that tells nothing new is left out. Ctrl-C
    ends it. Exit 1: the line broke and did not come back.

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
    """The machine at the port; what goes wrong is said and ends the command. `so_far` is what a
    script must know of the work that was done until then."""
    with working(doing) if doing else nullcontext() as work:

        def progress(frame: Frame) -> None:
            """The driver asks for the status while it waits."""
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
            "Use status, recover and watch with it; `cutcard prize` has its draws.",
            as_json,
        )
    return machine


def _shuffler(machine: AnyDevice, word: str, as_json: bool) -> Shuffler:
    dealer = _card_device(machine, word, as_json)
    if isinstance(dealer, Shoe):
        _wrong(
            f"{machine.port.text} is a shoe: it takes no card back.",
            "Unload it, have the cards shuffled, put them in, then: cutcard device PORT load DECKS",
            as_json,
        )
    return dealer


def _print_result(said: dict[str, Any], words: str, as_json: bool) -> None:
    print(json.dumps(said) if as_json else words)


def _wrong(problem: str, hint: str, as_json: bool) -> NoReturn:
    fail(BadArgumentError(problem, hint), as_json, "PORT")
