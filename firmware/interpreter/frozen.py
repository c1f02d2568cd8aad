# What is frozen into MicroPython: what its own port has, without the drivers of other chips.
freeze("$(PORT_DIR)/modules")  # noqa: F821
include("$(MPY_DIR)/extmod/asyncio")  # noqa: F821
