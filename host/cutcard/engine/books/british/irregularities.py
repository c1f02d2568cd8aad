"""The British rulebook has no rules for irregularities: the manager decides, no rule is cited."""

from __future__ import annotations

from cutcard.engine.books.british import BRITISH
from cutcard.engine.events import Irregularity
from cutcard.engine.irregularities.procedure import handles
from cutcard.engine.irregularities.silence import management_decides
from cutcard.engine.state import Round
from cutcard.rulebooks.readings import reading


@handles(BRITISH, "anything else")
def rulebook_is_silent(round: Round, irregularity: Irregularity) -> None:
    management_decides(round, irregularity, "manager", voiding=(reading("british-void-round"),))
