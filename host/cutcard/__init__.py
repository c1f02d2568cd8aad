"""The table's computer: driver, rules engine, journal and the tools around them."""

__version__ = "0.2.0"
