"""The wagers that lie for the next round, at a table whose people are at a console.

Those of the table file lie there from the beginning. Whoever is put down at a console besides is
asked there for his decisions, and the table waits for the word to deal. A wager stays for the round
after, too, until somebody changes it. What was put down is in the journal: a table that goes on has
the same wagers, and the open round those that it began with.
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
    """Raised for a wager that may not lie there, with the rules that say so."""

    def __init__(self, why: str, rules: Rules = ()) -> None:
        super().__init__(why)
        self.rules = rules


class Wagering:
    """What lies on the layout. `began_after` is the record after which the last round began."""

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

    # What lies there

    @property
    def waits(self) -> bool:
        """Whether the next round waits for the word to deal, and does not begin by itself."""
        placed = self._placed(self._lying) if self._begun is None else self._begun
        return not placed or any(self.decides_here(wager.player) for wager in placed)

    def decides_here(self, player: str) -> bool:
        """Whether this player is asked at the console; those of the table file have a strategy."""
        return player not in self._by_strategy

    def for_round(self, record: int) -> list[Placed]:
        """The wagers of the round that begins now, after a record of the journal."""
        begun, self._begun = self._begun, None
        if begun is not None:
            return begun
        self.began_after = record
        return self._placed(self._lying)

    def kept(self) -> dict[str, Any]:
        """What the next program needs to have the same wagers."""
        return {"wagers": [[*key, cents] for key, cents in self._lying.items()]}

    def as_json(self) -> dict[str, Any]:
        """What lies, and what may be put down, for the page."""
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

    # What is put down

    def put(self, wager: Mapping[str, Any]) -> None:
        """Put a wager down that was looked at before; nothing takes it away."""
        self._lying = self._with(wager)

    def looked_at(self, wager: Mapping[str, Any]) -> tuple[str, Rules]:
        """What people should know of a wager that may lie there. Raises BadWagerError."""
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
        """How much of a wager counts; none is refused for its size, where the rules settle it."""
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
        """What lies with a wager besides; one of no cents is one that is taken back."""
        key = Key(wager["box"], wager["player"], wager["bet"])
        lying = self._lying | {key: wager["cents"]}
        return {each: cents for each, cents in lying.items() if cents}

    def _placed(self, lying: Mapping[Key, int]) -> list[Placed]:
        return [Placed(*key, cents) for key, cents in lying.items()]


def _check(wager: Mapping[str, Any]) -> None:
    """Before anything is made of it: it comes from the network, and goes into the journal."""
    if wager.keys() != {"box", "player", "bet", "cents"}:
        raise BadWagerError("A wager says its box, player, bet and cents.")
    box, player, bet, cents = (wager[name] for name in ("box", "player", "bet", "cents"))
    if type(box) is not int or not 1 <= box <= MOST_BOX:
        raise BadWagerError("There is no such box.")
    if type(cents) is not int or not 0 <= cents <= MOST_CENTS:
        raise BadWagerError(f"A wager is up to {dollars(MOST_CENTS)}; one of $0 is taken back.")
    if not is_name(player):
        raise BadWagerError(f"A player's name has 1 to {LONGEST_NAME} printable characters.")
    if not isinstance(bet, str) or len(bet) > LONGEST_NAME:
        raise BadWagerError("There is no such wager.")
