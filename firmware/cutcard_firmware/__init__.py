"""The firmware of the devices, as sources: what MicroPython runs on a board and on the bench."""
