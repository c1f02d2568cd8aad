"""The register: every rule of every rulebook, with its kind, its implementation and its case."""

from cutcard.rulebooks.register.entries import REGISTERS, Registered, register

__all__ = ["REGISTERS", "Registered", "register"]
