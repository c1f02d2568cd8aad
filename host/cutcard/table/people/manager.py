"""The person who acknowledges a machine that differs from its journal, or that was exchanged."""

from __future__ import annotations

from dataclasses import dataclass

from cutcard.engine.choices import PLAYER, may_rule
from cutcard.engine.events import Irregularity
from cutcard.engine.round import start, step
from cutcard.engine.state import Placed, Round, Table
from cutcard.table.display_names import job

_ANY_WAGER = 1000


class BadManagerError(Exception):
    """Raised for a person who may not acknowledge a machine, or who gives no reason."""


@dataclass(frozen=True, slots=True)
class Manager:
    """A person with a title of the rulebook, and that person's reason.

    The name is claimed: the person who starts the table can type any name.
    """

    name: str
    title: str
    reason: str

    def as_json(self) -> dict[str, str]:
        return {"by": self.name, "title": self.title, "reason": self.reason}

    def __str__(self) -> str:
        return f"{self.name}, {job(self.title)}"


def manager(table: Table, person: str, reason: str) -> Manager:
    """Return the person of `NAME, TITLE`. Raises BadManagerError if the title does not suffice."""
    name, _, title = (part.strip() for part in person.rpartition(","))
    if not name or not title:
        raise BadManagerError(f"--acknowledge {person!r}: write it as 'NAME, TITLE'.")
    if not reason.strip():
        raise BadManagerError(
            "--acknowledge needs a reason for the journal: --because 'the machine was in repair'."
        )
    role = title.lower().replace(" ", "-")
    round, lowest, rules = _as_for_a_malfunction(table)
    cited = f" [{', '.join(rules)}]" if rules else ""
    entitled = f"{job(lowest).lower()} or above{cited}"
    if role not in table.book.roles:
        raise BadManagerError(
            f"--acknowledge {person!r}: {title!r} is not a title of this rulebook. The required "
            f"title is {entitled}."
        )
    if not may_rule(round, role, lowest):
        raise BadManagerError(
            f"--acknowledge {person!r}: this title does not suffice. The required title is "
            f"{entitled}."
        )
    return Manager(name, role, reason.strip())


def _as_for_a_malfunction(table: Table) -> tuple[Round, str, tuple[str, ...]]:
    """Return the lowest title that may rule on a malfunction of the machine, with the rules."""
    round = start(table, [Placed(1, "a player", "main", table.minimum or _ANY_WAGER)])
    device = "shoe" if table.shuffler == "shoe" else "shuffler"
    after = step(round, Irregularity("malfunction", device=device))
    roles = table.book.roles
    options = [option for choice in after.choices for option in choice.options]
    entitled = [option for option in options if option.by not in (None, PLAYER)]
    if not entitled:
        return round, roles[-1], ()
    lowest = min(entitled, key=lambda option: roles.index(option.by or roles[-1]))
    return round, lowest.by or roles[-1], lowest.rules
