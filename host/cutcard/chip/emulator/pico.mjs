// A Raspberry Pi Pico: rp2040js with the parts that it lacks, in emulated time.
//
// What goes in: levels on pins, bytes on UART and USB, samples of the ring oscillator's bit. What
// comes out: levels on pins, bytes, and every change of the flash. `run` lets time pass.
import { ConsoleLogger, LogLevel, RP2040 } from 'rp2040js';
import { IoQspi, NorFlash, SIZE, Ssi } from './flash.mjs';
import { clockPio } from './pio.mjs';
import { ChipReset, RingOscillator, standInForCore1 } from './registers.mjs';
import { Shape } from './snapshot.mjs';
import { Translator } from './translator.mjs';
import { PacedUart } from './uart.mjs';
import { UsbCable } from './usb.mjs';

const PINS = 29;
const FIRST_CODE = 0x10000000; // the second stage of the boot, first in the flash
const SRAM = 0x20000000;
const HIGH = 1; // states of a pin, as rp2040js numbers them
const PULLED_UP = 3;
const DMA = 0x50000;
const DMA_CHANNELS = 0x300; // bytes of registers, 0x40 of each channel
const WRITE_ADDRESS = 4;

/** An RP2040 whose flash chip has two megabytes and ignores higher address bits. */
class Mcu extends RP2040 {
  constructor(bootRom, flash, translator) {
    super();
    this.logger = new ConsoleLogger(LogLevel.Error, false);
    this.loadBootrom(bootRom);
    this.flash = flash;
    this.flashView = new DataView(flash.buffer, flash.byteOffset);
    this.sram = translator.sram;
    this.sramView = new DataView(this.sram.buffer, this.sram.byteOffset);
    this.translator = translator;
    translator.adopt(this);
  }

  /** Let the clock know of so many cycles. */
  passed(cycles) {
    this.clock.tick((cycles * 1e9) / this.clkSys);
  }

  readUint32(address) {
    address >>>= 0;
    if (address >>> 26 === 4) return this.flashView.getUint32(address & (SIZE - 4), true);
    return super.readUint32(address);
  }

  readUint16(address) {
    if (address >>> 26 === 4) return this.flashView.getUint16(address & (SIZE - 2), true);
    return super.readUint16(address);
  }

  readUint8(address) {
    if (address >>> 26 === 4) return this.flash[address & (SIZE - 1)];
    return super.readUint8(address);
  }

  writeUint32(address, value) {
    this.#written(address);
    super.writeUint32(address, value);
  }

  writeUint16(address, value) {
    this.#written(address);
    super.writeUint16(address, value);
  }

  writeUint8(address, value) {
    this.#written(address);
    super.writeUint8(address, value);
  }

  #written(address) {
    if (this.translator.codeIn[(address - SRAM) >> 2]) this.translator.forget(address & ~3, 4);
  }
}

export class Pico {
  /** `world` is told of everything that comes out; see `serve.mjs`. The translator has memory and
   * flash, and what was translated of a board before this one. */
  constructor(bootRom, translator, uniqueId, bit, world) {
    this.parts = { bootRom, flash: translator.flash, uniqueId, bit };
    this.world = world;
    this.translator = translator;
    this.past = 0; // nanoseconds before the last reset
    this.idle = 0; // nanoseconds that the processor slept
    this.hung = false; // its processor does nothing any more, until the watchdog bites
    this.driven = new Array(PINS).fill(null);
    this.gap = 0; // nanoseconds, the longest, in which nobody looked how far the samples are
    this.#start(null);
    this.shape = new Shape(this);
  }

  get nanos() {
    return this.past + this.mcu.clock.nanos;
  }

  /** A level on a pin from outside; null lets go of it. */
  drive(pin, level) {
    this.driven[pin] = level;
    this.#level(pin, this.mcu.gpio[pin].value);
  }

  /** Let time pass until `end` (nanoseconds), or until `world.stops` is set. */
  run(end) {
    const { world } = this;
    while (this.nanos < end && !world.stops) {
      this.#burst(end - this.past);
      if (this.bitten) this.#bite();
    }
  }

  #burst(end) {
    const { mcu, world, translator } = this;
    const { core, clock } = mcu;
    while (clock.nanos < end && !world.stops && !this.bitten) {
      const next = clock.nextAlarm ? Math.min(clock.nextAlarm.nanos, end) : end;
      const until = next - clock.nanos;
      if (core.waiting || this.hung) {
        this.idle += until;
        clock.tick(until);
      } else mcu.passed(translator.run((until * mcu.clkSys) / 1e9));
    }
  }

  /** The watchdog resets everything but its own scratch registers. */
  #bite() {
    const kept = this.bitten;
    this.past += this.mcu.clock.nanos;
    this.#start(kept);
    this.world.reset();
  }

  #start(watchdog) {
    const { bootRom, flash, uniqueId, bit } = this.parts;
    const { world } = this;
    const mcu = (this.mcu = new Mcu(bootRom, flash, this.translator));
    this.bitten = null;
    this.hung = false;
    this.flash = new NorFlash(mcu.clock, flash, uniqueId, (what, address, bytes) => {
      this.translator.forget(0x10000000 + address, bytes?.length ?? 4096);
      world.flashChanged(what, address, bytes);
    });
    const ssi = new Ssi(mcu, this.flash);
    mcu.peripherals[0x18000] = ssi;
    mcu.peripherals[0x40018] = new IoQspi(mcu, ssi);
    mcu.peripherals[0x40060] = new RingOscillator(mcu, bit);
    mcu.peripherals[0x40064] = new ChipReset(mcu, watchdog === null);
    this.#watch(mcu.peripherals[0x40058], watchdog);
    this.uarts = mcu.uart.map((uart, n) => new PacedUart(mcu, uart, (b) => world.uartSaid(n, b)));
    this.usb = new UsbCable(mcu.usbCtrl, world.usbSaid, world.usbPlugged);
    this.core1 = standInForCore1(mcu, () =>
      world.halted('core 1 was started, which is not emulated'),
    );
    mcu.onBreak = (code) =>
      world.halted(`breakpoint ${code} at ${mcu.core.PC.toString(16)}`);
    this.clocked = mcu.pio.map((pio) => clockPio(mcu, pio));
    this.#timeLooks(mcu.peripherals[DMA]);
    for (let pin = 0; pin < PINS; pin++) {
      mcu.gpio[pin].addListener((state) => {
        this.#level(pin, state);
        world.pinChanged(pin, state);
      });
      this.#level(pin, mcu.gpio[pin].value);
    }
    mcu.core.PC = FIRST_CODE;
  }

  /** DMA carries samples of the pins into a ring; whoever reads them asks first where it is. */
  #timeLooks(dma) {
    const read = dma.readUint32.bind(dma);
    this.looked = null;
    dma.readUint32 = (offset) => {
      if (offset < DMA_CHANNELS && (offset & 0x3f) === WRITE_ADDRESS) {
        if (this.looked !== null) this.gap = Math.max(this.gap, this.nanos - this.looked);
        this.looked = this.nanos;
      }
      return read(offset);
    };
  }

  #watch(watchdog, kept) {
    if (kept) {
      watchdog.scratchData.set(kept.scratch);
      watchdog.reason = kept.reason;
    }
    watchdog.onWatchdogTrigger = () => {
      watchdog.alarm.enable = false;
      this.bitten = { scratch: watchdog.scratchData.slice(), reason: watchdog.reason };
    };
  }

  /** A pin reads its own output, or what drives it from outside, or its pull. */
  #level(pin, state) {
    const gpio = this.mcu.gpio[pin];
    const outside = this.driven[pin];
    const level = state <= HIGH ? state === HIGH : outside === null ? state === PULLED_UP : !!outside;
    if (gpio.rawInputValue !== level) gpio.setInputValue(level);
  }
}
