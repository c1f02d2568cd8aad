"""The pins of the machine file, by role, and a function that switches all outputs off."""

from machine import Pin

GUARDS = ("door", "stall")
OUTPUTS = (
    "feed",
    "eject",
    "gate",
    "turn_enable",
    "turn_direction",
    "turn_step",
    "pointer_step",
    "pointer_direction",
    "light_ready",
    "light_fault",
    "lamp_1",
    "lamp_2",
    "lamp_3",
    "lamp_4",
)


def make_safe(wiring):
    """Set every output low."""
    for name in OUTPUTS:
        if name in wiring:
            Pin(wiring[name], Pin.OUT, value=0)


def outputs(wiring):
    return {name: Pin(wiring[name], Pin.OUT, value=0) for name in OUTPUTS if name in wiring}


def sensors(wiring, names):
    """Return the GPIO of each sensor, None if the machine does not have it.

    A broken wire reads high: covered, open, stalled.
    """
    gpios = [wiring.get(name) for name in names]
    for gpio in gpios:
        if gpio is not None:
            Pin(gpio, Pin.IN, Pin.PULL_UP)
    return gpios


def guards(wiring):
    return [Pin(wiring[name], Pin.IN, Pin.PULL_UP) for name in GUARDS if name in wiring]
