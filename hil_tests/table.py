"""The fixture type `Table`: a device on the bench, its driver, and the simulated person."""

from cutcard.testing import BenchDevice as Table

__all__ = ["Table"]
