"""Millions of rounds, compiled: the engine's game again, verified to be the same."""
