"""The register: every rule of every rulebook, with its kind, its implementation and its case."""

from cutcard.rulebooks.register.entries import AMENDMENTS, REGISTERS, Registered, register

__all__ = ["AMENDMENTS", "REGISTERS", "Registered", "register"]
