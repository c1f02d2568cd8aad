"""Power-up, watchdog reset and crash are distinguished, and each is reported once."""

import restart
from board_doubles import Registers
from core.schema.messages import CAUSES
from doubles import raised

PICO = "Raspberry Pi Pico with RP2040"
PICO_2 = "Raspberry Pi Pico2 with RP2350"


class Machine:
    PWRON_RESET = 1
    WDT_RESET = 3

    def __init__(self, cause):
        self.mem32 = Registers()
        self._cause = cause

    def reset_cause(self):
        return self._cause


def named(machine, chip=PICO):
    return CAUSES[restart.cause(machine, chip)]


def test_power_up():
    assert named(Machine(Machine.PWRON_RESET)) == "power"


def test_watchdog_reset():
    assert named(Machine(Machine.WDT_RESET)) == "watchdog"


def test_crash_resets_the_device_and_is_reported_once():
    for chip in (PICO, PICO_2):
        machine = Machine(Machine.WDT_RESET)
        restart.note_crash(machine, chip)
        assert named(machine, chip) == "reset"
        assert named(machine, chip) == "watchdog"


def test_a_chip_with_unknown_registers_is_refused():
    raised(ValueError, restart.cause, Machine(1), "Feather with SAMD51")
