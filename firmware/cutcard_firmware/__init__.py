"""The sources of the firmware, which MicroPython runs on boards and on the bench."""
