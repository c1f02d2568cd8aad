"""The ring that `samples` reads: PIO samples the pins, two DMA channels write them to memory.

Each channel writes the entire ring once and then starts the other, forever. This needs no interrupt
and no processor, so a flash erase or a long computation of up to a second loses no samples.
"""

from array import array

import programs
import rp2
from machine import Pin
from uctypes import addressof

_RING_BITS = 12  # of its size in bytes
WORDS = 1 << _RING_BITS >> 2  # a little more than a second, at a sample a millisecond
_STATE_MACHINE = 0
_DREQ_PIO0_RX0 = 4


class Sampler:
    def __init__(self):
        # DMA wraps at a multiple of the ring's size, but memory has any alignment.
        self.words = array("I", bytes(8 * WORDS))
        begin = addressof(self.words)
        self.base = (begin + 4 * WORDS - 1) & ~(4 * WORDS - 1)
        self.first = (self.base - begin) >> 2
        machine = rp2.StateMachine(
            _STATE_MACHINE, programs.sample, freq=programs.SAMPLE_HZ, in_base=Pin(0)
        )
        self.odd = rp2.DMA()
        self.even = rp2.DMA()
        self._configure(self.even, self.odd, machine, False)
        self._configure(self.odd, self.even, machine, True)
        machine.active(1)

    def position(self):
        """Return the position in the ring of the next sample."""
        writer = self.odd if self.odd.active() else self.even
        return (writer.write - self.base) >> 2  # type: ignore[attr-defined]  # stubs forgot it

    def _configure(self, channel, following, machine, begin):
        control = channel.pack_ctrl(
            size=2,
            inc_read=False,
            inc_write=True,
            ring_size=_RING_BITS,
            ring_sel=True,
            chain_to=following.channel,
            treq_sel=_DREQ_PIO0_RX0 + _STATE_MACHINE,
        )
        channel.config(read=machine, write=self.base, count=WORDS, ctrl=control, trigger=begin)
