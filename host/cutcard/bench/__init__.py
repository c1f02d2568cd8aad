"""A device on the bench: real firmware in MicroPython, and around it a model of everything else."""
