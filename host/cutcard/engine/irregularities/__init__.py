"""What a fault does to a round: one module a rulebook, and the procedure that they share."""

from cutcard.engine.irregularities.procedure import notice

__all__ = ["notice"]
