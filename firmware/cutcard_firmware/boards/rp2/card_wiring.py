"""The parts on the pins of a shuffler or a shoe: sensors, motors, and the reader in the mouth."""

import gc
import time

import pins
import programs
import rp2
from machine import Pin, disable_irq, enable_irq
from motors import Motors, ShoeMotors, Stepper
from reader import Reader

# In the order of core.devices.sensors: the index is the sensor's number.
SENSORS = ("tray", "entry", "home", "exit", "chute", "mouth", "face", "cut", "door", "stall")
LINE = "reader"
_TURNER, _HOMER = 1, 2  # state machines of the first PIO; the sampler uses the first one


def reader(edges):
    return Reader(edges)


def motors(spec, now):
    wiring = spec.PINS
    outputs = pins.outputs(wiring)
    guards = pins.guards(wiring)
    stepper = _stepper(wiring)
    irqs = disable_irq, enable_irq
    if spec.KIND == "shoe":
        made = ShoeMotors(spec, outputs, guards, stepper, now, gc.collect, *irqs)
    else:
        homer = _homer(wiring)
        made = Motors(spec, outputs, guards, stepper, homer, now, time.sleep_ms, gc.collect, *irqs)
    stepper.machine.irq(made.turned, hard=True)
    for guard in guards:
        guard.irq(made.cut, Pin.IRQ_RISING, hard=True)
    return made


def _stepper(wiring):
    step = wiring["pointer_step"] if "pointer_step" in wiring else wiring["turn_step"]

    def load():
        return rp2.StateMachine(_TURNER, programs.turn, freq=programs.STEP_HZ, set_base=Pin(step))

    return Stepper(load)


def _homer(wiring):
    def load():
        return rp2.StateMachine(
            _HOMER,
            programs.home,
            freq=programs.STEP_HZ,
            set_base=Pin(wiring["turn_step"]),
            jmp_pin=Pin(wiring["home"]),
        )

    return Stepper(load)
