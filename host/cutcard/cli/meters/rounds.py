"""`cutcard meter`: requests of a table in a round, and of players about their balances."""

from __future__ import annotations

from typing import Annotated

import typer

from cutcard.cli.meters.arguments import (
    BoxNumber,
    DatabaseOption,
    JsonFlag,
    KeyOption,
    RoundNumber,
    TableName,
    answer,
    new_key,
)
from cutcard.meters.errors import BadTermsError
from cutcard.meters.terms import parse_money, quoted
from cutcard.meters.wagering import BOXES

ManagerName = Annotated[
    str, typer.Argument(metavar="MANAGER", help="The Personal Bet Manager's number.")
]


def deposit(
    manager: ManagerName,
    amount: Annotated[str, typer.Argument(help="Dollars: 50, or 12.50.")],
    key: KeyOption = "",
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Credit a Personal Bet Manager with a player's payment (21.6).

    For example: cutcard meter deposit 12 50 --key receipt-881
    """
    answer(database, as_json, lambda m: m.deposit(manager, parse_money(amount), new_key(key)))


def cash_out(
    manager: ManagerName,
    amount: Annotated[str, typer.Argument(help="Dollars; default: the entire balance.")] = "",
    key: KeyOption = "",
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Pay a balance, or a part of it, out in chips (21.6.4). Exit 1: the balance is too small."""

    def cents() -> int | None:
        return parse_money(amount) if amount else None

    answer(database, as_json, lambda m: m.cash_out(manager, new_key(key), cents()))


def wager(
    table: TableName,
    round: RoundNumber,
    box: BoxNumber,
    manager: Annotated[
        str, typer.Option(help="The Personal Bet Manager that pays; not used for supernova.")
    ] = "",
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Place a jackpot wager before the first card; every meter of the system grows by its rate.

    For example: cutcard meter wager T1 7 3 --manager 12. Table, round and box are its key: a
    repeated request counts once. Exit 1: the balance is too small, or the round is over.
    """
    answer(database, as_json, lambda m: m.wager(table, round, box, manager or None))


def retract(
    table: TableName,
    round: RoundNumber,
    box: BoxNumber,
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Withdraw a wager that the dealer entered too late (21.11.3, 24.10.3)."""
    answer(database, as_json, lambda m: m.retract(table, round, box))


def settle(
    table: TableName,
    round: RoundNumber,
    winners: Annotated[
        list[str] | None, typer.Argument(metavar="[BOX=HAND]...", help="3=suited-aces, ...")
    ] = None,
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Record a round's outcome, all winning boxes together: they share one meter's prize.

    For example: cutcard meter settle T1 7 3=suited-aces-spades 5=three-aces. Without a winner, omit
    the boxes. blackjack-jackpots pays for suited-aces-spades, suited-aces, three-aces,
    suited-blackjack and unsuited-blackjack, supernova for major and minor.
    """
    answer(database, as_json, lambda m: m.settle(table, round, _hands(winners or [])))


def pick(
    table: TableName,
    round: RoundNumber,
    box: BoxNumber,
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Pay the box that the jackpot system picked: Lucky Player, or the Mystery Jackpot."""
    answer(database, as_json, lambda m: m.pick(table, round, box))


def void(
    table: TableName,
    round: RoundNumber,
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Void a round: settled wagers remain settled, other wagers are returned (21.11.2, 24.10.2)."""
    answer(database, as_json, lambda m: m.void(table, round))


BOXES_WRITTEN = tuple(map(str, BOXES))
COMMANDS = (deposit, cash_out, wager, retract, settle, pick, void)


def _hands(texts: list[str]) -> dict[int, str]:
    hands: dict[int, str] = {}
    for text in texts:
        box, equals, hand = text.partition("=")
        if not (equals and hand and box in BOXES_WRITTEN) or int(box) in hands:
            raise BadTermsError(
                f"{quoted(text)} is not BOX=HAND, or names a box again",
                "As in 3=suited-aces; boxes are 1 to 9.",
            )
        hands[int(box)] = hand
    return hands
