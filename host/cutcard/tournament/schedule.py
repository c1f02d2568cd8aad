"""The Magnificent Sevens Tournament as Crown 13.8 schedules it: rounds, progress and prize pool."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise


class NoSuchScheduleError(LookupError):
    """Raised for a number of entrants that table 3 of 13.8.6 has no column for."""


class TiedError(ValueError):
    """Raised where a tie stands between players who progress and players who do not.

    `players` must play additional hands until it is broken (13.8.5(d)).
    """

    def __init__(self, players: Sequence[str]) -> None:
        super().__init__(
            f"{', '.join(players)} are tied for the last place: deal additional hands to them "
            "until the tie is broken (rule 13.8.5(d)) and count their chips again"
        )
        self.players = tuple(players)


@dataclass(frozen=True, slots=True)
class Round:
    """One round of heats; the final has one table, and nobody goes on from it."""

    entrants: int
    tables: int
    heats: int = 0
    through: int = 0
    others: int = 0

    @property
    def is_final(self) -> bool:
        return self.tables == 1

    @property
    def progressing(self) -> int:
        """How many go on: the best of each table, and the next highest chip counts of all."""
        return self.tables * self.through + self.others


@dataclass(frozen=True, slots=True)
class Schedule:
    """One column of table 3."""

    entrants: int
    rounds: tuple[Round, ...]
    pool: int
    prizes: tuple[int, ...]


@cache
def schedules() -> Mapping[int, Schedule]:
    """All columns of the table by the number of eligible entrants."""
    path = resources.files("cutcard.tournament") / "magnificent_sevens.toml"
    data = tomllib.loads(path.read_text("utf-8"))
    return {
        entry["entrants"]: Schedule(
            entry["entrants"],
            tuple(Round(**played) for played in entry["rounds"]),
            entry["pool"],
            tuple(entry["prizes"]),
        )
        for entry in data["schedule"]
    }


def schedule_for(entrants: int) -> Schedule:
    """The schedule of a tournament. Raises NoSuchScheduleError for a number not in the table."""
    known = schedules()
    if entrants not in known:
        numbers = ", ".join(str(number) for number in known)
        raise NoSuchScheduleError(
            f"rule 13.8.6 schedules {numbers} entrants, not {entrants}: heats wait until there "
            "are enough (13.8.4)"
        )
    return known[entrants]


def progress(played: Round, tables: Sequence[Mapping[str, int]]) -> list[str]:
    """Who goes on from a round, given the chips of each player at each table (13.8.5(c)).

    Raises TiedError where the chips do not say who, ValueError where the tables are not those of
    the round.
    """
    if len(tables) != played.tables:
        raise ValueError(f"the round has {played.tables} tables, and {len(tables)} were counted")
    winners: list[str] = []
    left: dict[str, int] = {}
    for chips in tables:
        best = _highest(chips, played.through)
        winners += best
        left |= {player: count for player, count in chips.items() if player not in best}
    return winners + _highest(left, played.others)


def placings(final: Mapping[str, int], schedule: Schedule) -> list[tuple[str, int]]:
    """The players of the final with their prizes in dollars, from first place down.

    A tie for a place is played off before it is asked here (13.8.5(e), (f)): TiedError.
    """
    order = sorted(final, key=lambda player: -final[player])
    for first, second in pairwise(order):
        if final[first] == final[second]:
            raise TiedError([first, second])
    return list(zip(order, schedule.prizes, strict=False))


def _highest(chips: Mapping[str, int], places: int) -> list[str]:
    order = sorted(chips, key=lambda player: -chips[player])
    if 0 < places < len(order) and chips[order[places - 1]] == chips[order[places]]:
        level = chips[order[places]]
        raise TiedError([player for player in order if chips[player] == level])
    return order[:places]
