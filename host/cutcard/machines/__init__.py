"""Machine files: one TOML file describes a machine; it is checked, and compiled into firmware."""

from cutcard.machines.library import DEFAULT_MACHINE, Machine, find, load, shipped
from cutcard.machines.schema import MachineFileError
from cutcard.machines.spec import spec_text
from cutcard.machines.weight_rows import Row

__all__ = [
    "DEFAULT_MACHINE",
    "Machine",
    "MachineFileError",
    "Row",
    "find",
    "load",
    "shipped",
    "spec_text",
]
