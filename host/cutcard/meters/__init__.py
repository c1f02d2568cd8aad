"""Progressive prize meters for groups of tables; Personal Bet Managers (Crown 21.5, 21.6, 24)."""

from cutcard.meters.errors import MeterError
from cutcard.meters.meters import Meters
from cutcard.meters.terms import MeterTerms, SystemTerms

__all__ = ["MeterError", "MeterTerms", "Meters", "SystemTerms"]
