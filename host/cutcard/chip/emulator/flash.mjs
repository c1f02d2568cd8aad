// The flash chip of a Pico: NOR memory on a serial bus, which programs and erases in its own time.
//
// The processor reads it as memory; it changes it by commands through the SSI block, byte by byte,
// with the chip-select line held by hand (IO_QSPI). The boot ROM does that, as on a board.
import { BasePeripheral } from 'rp2040js';

export const SIZE = 0x200000;
const SECTOR = 4096;
const PAGE = 256;
const BLOCK = 65536;

const WRITE_ENABLE = 0x06;
const WRITE_DISABLE = 0x04;
const READ_STATUS = 0x05;
const READ_STATUS_2 = 0x35;
const READ = 0x03;
const READ_UNIQUE_ID = 0x4b;
const READ_JEDEC_ID = 0x9f;
const PROGRAM_PAGE = 0x02;
const ERASE_SECTOR = 0x20;
const ERASE_BLOCK = 0xd8;

const JEDEC_ID = [0xef, 0x40, 0x15]; // W25Q16JV, as on a Pico
const BUSY = 1;
const ENABLED = 2;
const QUAD = 2;

// Nanoseconds: what the maker calls typical. `erase` can be set to the maximum, 400 ms.
const TYPICAL = { program: 0.4e6, erase: 45e6 };

export class NorFlash {
  /** `changed(what, address, bytes)` is told of every program and of every sector that is erased. */
  constructor(clock, memory, uniqueId, changed) {
    this.clock = clock;
    this.memory = memory;
    this.uniqueId = uniqueId;
    this.changed = changed;
    this.times = { ...TYPICAL };
    this.selected = false;
    this.enabled = false;
    this.busyUntil = 0;
    this.heard = [];
  }

  get busy() {
    return this.clock.nanos < this.busyUntil;
  }

  select() {
    if (!this.selected) {
      this.selected = true;
      this.heard = [];
    }
  }

  /** A command is carried out when the line is let go. */
  deselect() {
    if (!this.selected) return;
    this.selected = false;
    const [command] = this.heard;
    if (command === WRITE_ENABLE) this.enabled = true;
    else if (command === WRITE_DISABLE) this.enabled = false;
    else if (this.enabled && this.heard.length >= 4) this.#change(command);
  }

  #change(command) {
    if (command === ERASE_SECTOR) this.#erase(SECTOR);
    else if (command === ERASE_BLOCK) this.#erase(BLOCK);
    else if (command === PROGRAM_PAGE) this.#program(this.heard.slice(4));
    else return;
    this.enabled = false;
  }

  #erase(size) {
    const first = this.#address() & ~(size - 1);
    for (let sector = first; sector < first + size; sector += SECTOR) {
      this.memory.fill(0xff, sector, sector + SECTOR);
      this.changed('erase', sector, null);
    }
    this.busyUntil = this.clock.nanos + this.times.erase * (size === BLOCK ? 150 / 45 : 1);
  }

  /** Clears bits and sets none; what runs over the end of a page begins again at its start. */
  #program(bytes) {
    const page = this.#address() & ~(PAGE - 1);
    const whole = new Uint8Array(PAGE).fill(0xff);
    let at = this.#address() & (PAGE - 1);
    for (const byte of bytes) {
      whole[at] = byte;
      at = (at + 1) % PAGE;
    }
    for (let i = 0; i < PAGE; i++) this.memory[page + i] &= whole[i];
    this.changed('program', page, whole);
    this.busyUntil = this.clock.nanos + this.times.program;
  }

  #address() {
    const [, high, middle, low] = this.heard;
    return ((high << 16) | (middle << 8) | low) & (SIZE - 1);
  }

  /** One byte out, one in. */
  transfer(byte) {
    const place = this.heard.length;
    this.heard.push(byte & 0xff);
    if (place === 0) return 0xff;
    switch (this.heard[0]) {
      case READ_STATUS:
        return this.#status();
      case READ_STATUS_2:
        return QUAD;
      case READ_JEDEC_ID:
        return JEDEC_ID[place - 1] ?? 0;
      case READ_UNIQUE_ID:
        return place >= 5 ? this.uniqueId[(place - 5) & 7] : 0;
      case READ:
        return place >= 4 ? this.memory[(this.#address() + place - 4) & (SIZE - 1)] : 0xff;
    }
    return 0xff;
  }

  /** Whoever asks does nothing but ask again until it is ready: let that time pass at once. */
  #status() {
    if (this.busy) {
      this.clock.tick(this.busyUntil - this.clock.nanos);
      return BUSY | (this.enabled ? ENABLED : 0);
    }
    return this.enabled ? ENABLED : 0;
  }
}

// Registers of the SSI, by offset.
const CTRLR0 = 0x00;
const SSIENR = 0x08;
const TXFLR = 0x20;
const RXFLR = 0x24;
const SR = 0x28;
const RISR = 0x34;
const IDR = 0x58;
const VERSION = 0x5c;
const DR = 0x60;
const LAST_DR = 0xf0;
const SR_TX_EMPTY_AND_NOT_FULL = 0x06;
const SR_RX_NOT_EMPTY = 0x08;

/** The serial block between processor and flash. As memory the flash is read past it. */
export class Ssi extends BasePeripheral {
  constructor(mcu, flash) {
    super(mcu, 'SSI');
    this.flash = flash;
    this.registers = {};
    this.received = [];
    this.forced = 0; // the chip-select line: 0 automatic, 2 held low, 3 held high
  }

  /** Bytes both ways on one wire each; otherwise it is set up for reading as memory. */
  get #plain() {
    const control = this.registers[CTRLR0] ?? 0;
    return ((control >> 8) & 3) === 0 && ((control >> 21) & 3) === 0;
  }

  force(how) {
    this.forced = how;
    if (how === 2) this.flash.select();
    else this.flash.deselect();
  }

  readUint32(offset) {
    switch (offset) {
      case TXFLR:
      case RISR:
        return 0;
      case RXFLR:
        return this.received.length;
      case SR:
        if (this.forced === 0) this.flash.deselect();
        return SR_TX_EMPTY_AND_NOT_FULL | (this.received.length ? SR_RX_NOT_EMPTY : 0);
      case IDR:
        return 0x51535049;
      case VERSION:
        return 0x3430312a;
    }
    if (offset >= DR && offset < LAST_DR) return this.received.shift() ?? 0;
    return this.registers[offset] ?? 0;
  }

  writeUint32(offset, value) {
    if (offset >= DR && offset < LAST_DR) {
      this.#send(value);
      return;
    }
    if (offset === SSIENR && !(value & 1)) this.received = [];
    this.registers[offset] = value >>> 0;
  }

  #send(value) {
    if (!this.#plain) this.received = [];
    else if ((this.registers[SSIENR] ?? 0) & 1) {
      if (this.forced === 0) this.flash.select();
      this.received.push(this.forced === 3 ? 0xff : this.flash.transfer(value));
    }
  }
}

const SS_CTRL = 0x0c;

/** The pins of the flash; of interest is who holds the chip-select line. */
export class IoQspi extends BasePeripheral {
  constructor(mcu, ssi) {
    super(mcu, 'IO_QSPI');
    this.ssi = ssi;
    this.registers = {};
  }

  readUint32(offset) {
    return this.registers[offset] ?? 0;
  }

  writeUint32(offset, value) {
    this.registers[offset] = value >>> 0;
    if (offset === SS_CTRL) this.ssi.force((value >> 8) & 3);
  }
}
