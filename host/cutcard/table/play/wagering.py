"""The wagers for the next round, at a table with people at a console.

Wagers of the table file are placed from the beginning. Other players are entered at a console,
which asks for their decisions, and the table waits for the command to deal. A wager remains for the
next round, too, until it is changed. Placed wagers are in the journal: a resumed table has the same
wagers, and the open round has the wagers with which it began.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cutcard.engine.ledger import Key, dollars
from cutcard.engine.limits import LimitShare, counted, counted_side_wager, is_under_minimum
from cutcard.engine.state import Placed, Table
from cutcard.engine.tables import refusals
from cutcard.rulebooks.book import Rules
from cutcard.table.display_names import words
from cutcard.table.plan.players import LONGEST_NAME, Player, is_name
from cutcard.table.replay.replay_log import REQUEST, ReplayLog

MAIN = "main"
MOST_BOX = 30
MOST_CENTS = 100_000_000
MOST_WAGERS = 200


class BadWagerError(Exception):
    """Raised for an invalid wager, with its rules."""

    def __init__(self, why: str, rules: Rules = ()) -> None:
        super().__init__(why)
        self.rules = rules


class Wagering:
    """The wagers on the layout. `began_after` is the record after which the last round began."""

    def __init__(self, table: Table, players: Sequence[Player], memory: ReplayLog) -> None:
        self._table = table
        self._by_strategy = frozenset(player.name for player in players)
        self._begun: list[Placed] | None = None  # of a round that a killed program had begun
        self.began_after = 0
        kept = memory.kept.get("wagers")
        self._lying: dict[Key, int] = (
            {bet.key: bet.amount for player in players for bet in player.bets()}
            if kept is None
            else {Key(box, player, bet): cents for box, player, bet, cents in kept}
        )
        for record in memory.journal.tail:
            if record.kind == REQUEST and "wager" in record.data:
                self.put(record.data["wager"])
            elif record.kind == "round":
                self._begun, self.began_after = self._placed(self._lying), record.number - 1

    # The layout

    @property
    def waits(self) -> bool:
        """Return whether the next round waits for the command to deal, instead of starting by
        itself."""
        placed = self._placed(self._lying) if self._begun is None else self._begun
        return not placed or any(self.decides_here(wager.player) for wager in placed)

    def decides_here(self, player: str) -> bool:
        """Return whether this player decides at the console; players of the table file have a
        strategy."""
        return player not in self._by_strategy

    def for_round(self, record: int) -> list[Placed]:
        """Return the wagers of the round that begins now, after a record of the journal."""
        begun, self._begun = self._begun, None
        if begun is not None:
            return begun
        self.began_after = record
        return self._placed(self._lying)

    def kept(self) -> dict[str, Any]:
        """Return the state that gives the next program the same wagers."""
        return {"wagers": [[*key, cents] for key, cents in self._lying.items()]}

    def as_json(self) -> dict[str, Any]:
        """Return the wagers on the layout, and the allowed wagers, for the page."""
        return {
            "boxes": self._table.book["boxes.most"].value or MOST_BOX,
            "bets": [[bet, words(bet)] for bet in (MAIN, *self._table.offers)],
            "lying": [
                {
                    "box": key.box,
                    "player": key.player,
                    "bet": key.bet,
                    "words": words(key.bet),
                    "cents": cents,
                    "here": self.decides_here(key.player),
                }
                for key, cents in self._lying.items()
            ],
        }

    # Changes

    def put(self, wager: Mapping[str, Any]) -> None:
        """Place a wager that was checked before; this cannot fail."""
        self._lying = self._with(wager)

    def looked_at(self, wager: Mapping[str, Any]) -> tuple[str, Rules]:
        """Return a note about a valid wager. Raises BadWagerError for an invalid one."""
        _check(wager)
        lying = self._with(wager)
        if len(lying) > MOST_WAGERS:
            raise BadWagerError(f"A table takes at most {MOST_WAGERS} wagers.")
        placed = self._placed(lying)
        self._refuse(placed)
        key = Key(wager["box"], wager["player"], wager["bet"])
        return ("Wager withdrawn.", ()) if key not in lying else self._counts(key, placed)

    def check_layout(self) -> None:
        """Raise BadWagerError if no round can begin with the wagers on the layout."""
        placed = self._placed(self._lying)
        if not placed:
            raise BadWagerError("No wagers yet.")
        self._refuse(placed)

    def _refuse(self, placed: Sequence[Placed]) -> None:
        if against := refusals(self._table, placed):
            why = "; ".join(dict.fromkeys(each.why for each in against))
            rules = tuple(dict.fromkeys(rule for each in against for rule in each.rules))
            raise BadWagerError(f"{why[0].upper()}{why[1:]}.", rules)

    def _counts(self, key: Key, placed: Sequence[Placed]) -> tuple[str, Rules]:
        """Return how much of a wager counts; wagers below the minimum are accepted if the rules
        settle them."""
        wager = next(each for each in placed if each.key == key)
        found = self._counted(wager, placed)
        if found.amount < wager.amount:
            return f"Wager accepted. Only {dollars(found.amount)} of it counts.", found.rules
        if is_under_minimum(self._table, wager):
            return "Wager accepted. It is below the minimum.", found.rules
        return "Wager accepted.", ()

    def _counted(self, wager: Placed, placed: Sequence[Placed]) -> LimitShare:
        if wager.bet != MAIN:
            return counted_side_wager(self._table, wager)
        mains = [each for each in placed if (each.box, each.bet) == (wager.box, MAIN)]
        return counted(self._table, mains)[mains.index(wager)]

    def _with(self, wager: Mapping[str, Any]) -> dict[Key, int]:
        """Return the layout with a wager; a wager of 0 cents is withdrawn."""
        key = Key(wager["box"], wager["player"], wager["bet"])
        lying = self._lying | {key: wager["cents"]}
        return {each: cents for each, cents in lying.items() if cents}

    def _placed(self, lying: Mapping[Key, int]) -> list[Placed]:
        return [Placed(*key, cents) for key, cents in lying.items()]


def _check(wager: Mapping[str, Any]) -> None:
    """Check a wager before it is used: it comes from the network, and is stored in the journal."""
    if wager.keys() != {"box", "player", "bet", "cents"}:
        raise BadWagerError("A wager has a box, a player, a bet and an amount in cents.")
    box, player, bet, cents = (wager[name] for name in ("box", "player", "bet", "cents"))
    if type(box) is not int or not 1 <= box <= MOST_BOX:
        raise BadWagerError("This box does not exist.")
    if type(cents) is not int or not 0 <= cents <= MOST_CENTS:
        raise BadWagerError(f"A wager is at most {dollars(MOST_CENTS)}; $0 withdraws it.")
    if not is_name(player):
        raise BadWagerError(f"A player's name has 1 to {LONGEST_NAME} printable characters.")
    if not isinstance(bet, str) or len(bet) > LONGEST_NAME:
        raise BadWagerError("This wager does not exist.")
