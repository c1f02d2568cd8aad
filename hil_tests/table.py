"""What the tests here call a table: a device on the bench, its driver, and a person beside it."""

from cutcard.testing import BenchDevice as Table

__all__ = ["Table"]
