"""The Magnificent Sevens Tournament by Crown 13.8: rounds, progress and prize pool."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import groupby


class NoSuchScheduleError(LookupError):
    """Raised for a number of entrants that is not in table 3 of 13.8.6."""


class TiedError(ValueError):
    """Raised if players are tied for a place and must play on.

    `players` are all the players in the tie. `rules` define how they break it: over one shoe, or
    with additional hands.
    """

    def __init__(self, players: Sequence[str], why: str, rules: Sequence[str]) -> None:
        super().__init__(
            f"{', '.join(players)} are tied for {why} (rule {', '.join(rules)}); "
            "then count their chips again"
        )
        self.players = tuple(players)
        self.rules = tuple(rules)


@dataclass(frozen=True, slots=True)
class TournamentRound:
    """One round of heats. The final has one table and no later round."""

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
        """The number of players that progress: the best of each table and the next of all."""
        return self.tables * self.through + self.others


@dataclass(frozen=True, slots=True)
class Schedule:
    """One column of table 3."""

    entrants: int
    rounds: tuple[TournamentRound, ...]
    pool: int
    prizes: tuple[int, ...]


@cache
def schedules() -> Mapping[int, Schedule]:
    """Return all columns of the table by the number of eligible entrants."""
    path = resources.files("cutcard.tournament") / "magnificent_sevens.toml"
    data = tomllib.loads(path.read_text("utf-8"))
    return {
        entry["entrants"]: Schedule(
            entry["entrants"],
            tuple(TournamentRound(**played) for played in entry["rounds"]),
            entry["pool"],
            tuple(entry["prizes"]),
        )
        for entry in data["schedule"]
    }


def schedule_for(entrants: int) -> Schedule:
    """Return the schedule of a tournament. Raises NoSuchScheduleError for an unlisted number."""
    known = schedules()
    if entrants not in known:
        numbers = ", ".join(str(number) for number in known)
        raise NoSuchScheduleError(
            f"rule 13.8.6 has schedules for {numbers} entrants, not {entrants}: the heats wait "
            "for enough entrants (13.8.4)"
        )
    return known[entrants]


def progress(played: TournamentRound, tables: Sequence[Mapping[str, int]]) -> list[str]:
    """Return the players that progress, given the chips of each player at each table (13.8.5(c)).

    Raises TiedError if a tie prevents the decision, and ValueError if the number of tables differs
    from the round's.
    """
    if len(tables) != played.tables:
        raise ValueError(f"the round has {played.tables} tables, not {len(tables)}")
    winners: list[str] = []
    left: dict[str, int] = {}
    for chips in tables:
        best = _highest(chips, played.through)
        winners += best
        left |= {player: count for player, count in chips.items() if player not in best}
    return winners + _highest(left, played.others)


def placings(
    final: Mapping[str, int], schedule: Schedule, play_offs: Sequence[Mapping[str, int]] = ()
) -> list[tuple[str, int]]:
    """Return the players of the final with their prizes in dollars, from first place down.

    `play_offs` are the chips that tied players had after each play-off, in order. A play-off only
    ranks the players of its tie: no other player moves. Raises TiedError for the highest tie that
    is left, and ValueError if a play-off was not between exactly the players of one tie.
    """
    banks = {player: [chips] for player, chips in final.items()}
    for counted in play_offs:
        if set(counted) not in [set(tied) for tied in _ties(banks)]:
            names = ", ".join(sorted(counted))
            raise ValueError(f"{names} are not all the players of one tie")
        for player, chips in counted.items():
            banks[player].append(chips)
    order, ties = _by_chips(banks), _ties(banks)
    if ties:
        tied = ties[0]
        raise _tied_in_the_final(tied, order.index(tied[0]) + 1, shoes=len(banks[tied[0]]) - 1)
    return list(zip(order, schedule.prizes, strict=False))


def _by_chips(banks: Mapping[str, list[int]]) -> list[str]:
    return sorted(banks, key=lambda player: banks[player], reverse=True)


def _ties(banks: Mapping[str, list[int]]) -> list[list[str]]:
    """Return all groups of players with equal chips, from the highest place down."""
    groups = groupby(_by_chips(banks), key=lambda player: banks[player])
    return [tied for _, players in groups if len(tied := list(players)) > 1]


def _tied_in_the_final(tied: Sequence[str], place: int, shoes: int) -> TiedError:
    """Return the error for a tie: first place plays one shoe (13.8.5(e)), others hands ((f))."""
    if place == 1 and not shoes:
        return TiedError(tied, "first place in the final: let them play one shoe", ("13.8.5(e)",))
    rule = "13.8.5(e)" if place == 1 else "13.8.5(f)"
    why = f"place {place} in the final: deal additional hands until the tie is broken"
    return TiedError(tied, why, (rule, "13.8.5(d)"))


def _highest(chips: Mapping[str, int], places: int) -> list[str]:
    order = sorted(chips, key=lambda player: -chips[player])
    if 0 < places < len(order) and chips[order[places - 1]] == chips[order[places]]:
        level = chips[order[places]]
        tied = [player for player in order if chips[player] == level]
        why = "the last place: deal additional hands until the tie is broken"
        raise TiedError(tied, why, ("13.8.5(d)",))
    return order[:places]
