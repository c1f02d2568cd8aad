"""Play and settle a round: `start` places the wagers, `step` takes one event, `finish` settles.

    table = Table(open_rulebook("uk-blackjack"), decks=6)
    round = start(table, [Placed(1, "Ann", "main", 1000)])  # box, player, bet, cents
    round = step(round, Deal(Card.parse("9s")))
    obligations(round)  # the next steps, as data
    results(finish(round))  # one line for each wager, with its rules

A refused event raises RefusedError with the rule, and the round stays unchanged. Every error of the
engine is an EngineError. Amounts are whole cents; a place is a box ("2"), a hand of a split box
("2.1") or "dealer".
"""

from cutcard.engine.choices import Choice, Option
from cutcard.engine.claims import claims_to_insure
from cutcard.engine.cutting import NoCutError
from cutcard.engine.entitlement import Entitlement, claims_to_wager, entitled
from cutcard.engine.events import Act, Deal, Event, Irregularity, Metered, Press, Ruling, Settled
from cutcard.engine.ledger import Key
from cutcard.engine.obligations import (
    Button,
    Decision,
    NextCard,
    Obligation,
    Offered,
    RulingDue,
    Settlement,
    obligations,
)
from cutcard.engine.refusal import (
    BadValueError,
    EngineError,
    IncompleteError,
    OutOfTurnError,
    RefusedError,
)
from cutcard.engine.results import WagerResult, results
from cutcard.engine.round import finish, owed, start, step
from cutcard.engine.state import Phase, Placed, Round, Table

__all__ = [
    "Act",
    "BadValueError",
    "Button",
    "Choice",
    "Deal",
    "Decision",
    "EngineError",
    "Entitlement",
    "Event",
    "IncompleteError",
    "Irregularity",
    "Key",
    "Metered",
    "NextCard",
    "NoCutError",
    "Obligation",
    "Offered",
    "Option",
    "OutOfTurnError",
    "Phase",
    "Placed",
    "Press",
    "RefusedError",
    "Round",
    "Ruling",
    "RulingDue",
    "Settled",
    "Settlement",
    "Table",
    "WagerResult",
    "claims_to_insure",
    "claims_to_wager",
    "entitled",
    "finish",
    "obligations",
    "owed",
    "results",
    "start",
    "step",
]
