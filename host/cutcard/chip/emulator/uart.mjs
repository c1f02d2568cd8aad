// A serial line at its own pace: a byte takes as long as its bits do, in both directions, and a
// receiver that is not emptied in time loses bytes. rp2040js alone sends and receives in no time.

const DATA = 0x00;
const FLAGS = 0x18;
const LEVELS = 0x34;
const CLEAR = 0x44;
const TX_INTERRUPT = 1 << 5;
const TX_EMPTY = 1 << 7;
const RX_FULL = 1 << 6;
const TX_FULL = 1 << 5;
const RX_EMPTY = 1 << 4;
const BUSY = 1 << 3;
const RECEIVER = 32; // bytes
const TX_LEVELS = [4, 8, 16, 24, 28];

export class PacedUart {
  /** `said(byte)` is told of each byte when it has gone out. */
  constructor(mcu, uart, said) {
    this.uart = uart;
    this.mcu = mcu;
    this.said = said;
    this.sending = []; // the transmitter's FIFO
    this.shifted = null; // the byte that is on its way out
    this.coming = []; // bytes that the other side sends
    this.lost = 0;
    this.levels = 0x12;
    this.sent = mcu.clock.createAlarm(() => this.#gone());
    this.came = mcu.clock.createAlarm(() => this.#arrived());
    this.arriving = false;
    this.#replace();
  }

  /** From the other side, one byte after the other from now on. */
  send(bytes) {
    this.coming.push(...bytes);
    this.#expect();
  }

  get #nanosPerByte() {
    const { uart } = this;
    const stops = 1 + ((uart.lineCtrlRegister >> 3) & 1);
    const parity = (uart.lineCtrlRegister >> 1) & 1;
    return (1e9 * (1 + uart.wordLength + parity + stops)) / (uart.baudRate || 115200);
  }

  get #room() {
    return this.uart.fifosEnabled ? RECEIVER : 1;
  }

  get #low() {
    return this.sending.length <= (TX_LEVELS[this.levels & 7] ?? 16);
  }

  #expect() {
    if (!this.arriving && this.coming.length) {
      this.arriving = true;
      this.came.schedule(this.#nanosPerByte);
    }
  }

  #arrived() {
    this.arriving = false;
    const byte = this.coming.shift();
    if (this.uart.enabled && this.uart.rxFIFO.itemCount < RECEIVER) this.uart.feedByte(byte);
    else this.lost++;
    this.#expect();
  }

  #shift() {
    this.shifted = this.sending.shift();
    this.sent.schedule(this.#nanosPerByte);
  }

  #gone() {
    const byte = this.shifted;
    this.shifted = null;
    if (this.sending.length) this.#shift();
    if (this.#low) this.#interrupt(true);
    this.said(byte);
  }

  #interrupt(on) {
    const { uart } = this;
    if (on) uart.interruptStatus |= TX_INTERRUPT;
    else uart.interruptStatus &= ~TX_INTERRUPT;
    uart.checkInterrupts();
  }

  #write(byte) {
    if (this.sending.length < this.#room) this.sending.push(byte & 0xff);
    if (!this.#low) this.#interrupt(false);
    if (this.shifted === null) this.#shift();
  }

  get #flags() {
    const { rxFIFO } = this.uart;
    const { length } = this.sending;
    return (
      (rxFIFO.full ? RX_FULL : 0) |
      (rxFIFO.empty ? RX_EMPTY : 0) |
      (length ? 0 : TX_EMPTY) |
      (length >= this.#room ? TX_FULL : 0) |
      (this.shifted !== null || length ? BUSY : 0)
    );
  }

  #replace() {
    const { uart, mcu } = this;
    const read = uart.readUint32.bind(uart);
    const write = uart.writeUint32.bind(uart);
    uart.checkInterrupts = () =>
      mcu.setInterrupt(uart.irq, !!(uart.interruptStatus & uart.interruptMask));
    uart.readUint32 = (offset) => {
      if (offset === FLAGS) return this.#flags;
      if (offset === LEVELS) return this.levels;
      return read(offset);
    };
    uart.writeUint32 = (offset, value) => {
      if (offset === DATA) this.#write(value);
      else if (offset === LEVELS) this.levels = value & 0x3f;
      else {
        if (offset === CLEAR) uart.rawWriteValue = value;
        write(offset, value);
      }
    };
  }
}
