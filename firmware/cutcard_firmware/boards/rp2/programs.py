# ruff: noqa: F405
"""The three PIO programs. They run independently of the processor.

`firmware/tests/test_pio_programs.py` runs them, cycle by cycle, in a model of a state machine.
"""

from rp2 import PIO, asm_pio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rp2.asm_pio import *  # noqa: F403

SAMPLE_HZ = 20_000  # of the state machine: a sample takes 20 cycles, one millisecond
STEP_HZ = 1_000_000


@asm_pio(in_shiftdir=PIO.SHIFT_LEFT, autopush=True, push_thresh=29, fifo_join=PIO.JOIN_RX)
def sample():
    """Sample all pins, once a millisecond. `in_base` is GP0."""
    in_(pins, 29)[19]


@asm_pio(set_init=PIO.OUT_LOW, out_shiftdir=PIO.SHIFT_RIGHT, fifo_join=PIO.JOIN_TX)
def turn():
    """Output pulses by stretches (see `steps`), then an interrupt. `set_base` is the step pin."""
    label("next")
    pull(block)
    out(x, 16)
    jmp(not_x, "over")
    out(isr, 16)
    jmp(x_dec, "pulse")  # always taken: the loop below counts one less
    label("pulse")
    set(pins, 1)
    mov(y, isr)
    label("high")
    jmp(y_dec, "high")
    set(pins, 0)
    mov(y, isr)
    label("low")
    jmp(y_dec, "low")
    jmp(x_dec, "pulse")
    jmp("next")
    label("over")
    irq(rel(0))


@asm_pio(set_init=PIO.OUT_LOW, out_shiftdir=PIO.SHIFT_RIGHT)
def home():
    """Output pulses by stretches (see `steps.search`) until the pin `jmp_pin` is high.

    The wheel then always stops on the same step. The pin must be high in hundreds of reads in a
    row, for the duration of a pulse.
    """
    pull(block)
    out(x, 16)
    out(isr, 16)
    label("next")
    mov(y, isr)
    label("look")
    jmp(pin, "covered")
    set(pins, 1)
    mov(y, isr)
    label("high")
    jmp(y_dec, "high")
    set(pins, 0)
    mov(y, isr)
    label("low")
    jmp(y_dec, "low")
    jmp(x_dec, "next")
    jmp("over")
    label("covered")
    jmp(y_dec, "look")
    label("over")
    nop()
