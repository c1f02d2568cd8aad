"""Rounds by the million, compiled: the engine's game again, proven to be the same."""
