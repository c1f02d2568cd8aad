// Small blocks that rp2040js leaves out: the ring oscillator with its random bit, the cause of the
// last reset, and as much of the second core as MicroPython asks for without ever starting it.
import { BasePeripheral } from 'rp2040js';

/** Registers that keep what was written. */
class Kept extends BasePeripheral {
  constructor(mcu, name, values) {
    super(mcu, name);
    this.values = values;
  }

  readUint32(offset) {
    return this.values[offset] ?? 0;
  }

  writeUint32(offset, value) {
    this.values[offset] = value >>> 0;
  }
}

const STATUS = 0x18;
const RANDOMBIT = 0x1c;
const STABLE_AND_ENABLED = 0x80001000;

/** `bit()` is the next sample of the oscillator's random bit. */
export class RingOscillator extends Kept {
  constructor(mcu, bit) {
    super(mcu, 'ROSC', { 0x00: 0xfabaa0, 0x10: 0xab0 });
    this.bit = bit;
  }

  readUint32(offset) {
    if (offset === STATUS) return STABLE_AND_ENABLED;
    if (offset === RANDOMBIT) return this.bit();
    return super.readUint32(offset);
  }
}

const HAD_POWER_ON_RESET = 0x100;

export class ChipReset extends Kept {
  constructor(mcu, byPower) {
    super(mcu, 'VREG_AND_CHIP_RESET', {
      0x00: 0x10b1,
      0x04: 0x92,
      0x08: byPower ? HAD_POWER_ON_RESET : 0,
    });
  }
}

const FIFO_ST = 0x50;
const FIFO_WR = 0x54;
const FIFO_RD = 0x58;
const READABLE = 1;
const WRITABLE = 2;
const FRCE_OFF = 0x04;
const PROC1 = 1 << 16;
const CLEAR = 3;

/** Core 1 answers that it has come out of its reset, and stays there; the answers that nobody has
 * taken yet. `launched` is called if anybody starts it after all: that is not emulated. */
export function standInForCore1(mcu, launched) {
  const waiting = [];
  const { sio } = mcu;
  const psm = mcu.peripherals[0x40010];
  const read = sio.readUint32.bind(sio);
  const write = sio.writeUint32.bind(sio);
  const writePower = psm.writeUint32Atomic.bind(psm);
  sio.readUint32 = (offset) => {
    if (offset === FIFO_ST) return WRITABLE | (waiting.length ? READABLE : 0);
    if (offset === FIFO_RD) return waiting.shift() ?? 0;
    return read(offset);
  };
  sio.writeUint32 = (offset, value) => {
    if (offset === FIFO_WR) launched();
    else if (offset !== FIFO_ST) write(offset, value);
  };
  psm.writeUint32Atomic = (offset, value, how) => {
    if (offset === FRCE_OFF && value & PROC1 && how === CLEAR) waiting.push(0);
    writePower(offset, value, how);
  };
  return waiting;
}
