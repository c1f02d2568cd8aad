// One emulated Pico for the program that started this one, which speaks first: a line of JSON in, a
// line of JSON out. Its mechanics, its flash file and its noise live there; see ../emulator.py.
import fs from 'node:fs';
import readline from 'node:readline';
import { Pico } from './pico.mjs';
import { restore, save } from './snapshot.mjs';
import { Translator } from './translator.mjs';

const FLASH = 0x200000; // bytes
const [, , bootRomFile] = process.argv;
const bootRom = new Uint32Array(fs.readFileSync(bootRomFile).buffer.slice(0, 16384));

/** What has come out of the board since it was last told. Some things end a run at once: whoever
 * hangs on the pins may have an answer to them. */
class World {
  constructor() {
    this.clear();
    for (const name of ['flashChanged', 'usbSaid', 'usbPlugged']) this[name] = this[name].bind(this);
  }

  clear() {
    this.stops = false;
    this.pins = [];
    this.usb = [];
    this.uart = [[], []];
    this.flash = [];
    this.events = [];
  }

  pinChanged(pin, state) {
    this.pins.push([pico.nanos / 1e3, pin, state]);
    if (unanswered.has(2 * pin + state)) return;
    if (pin === steps.pin && --steps.left > 0) return;
    this.stops = true;
  }

  usbSaid(bytes) {
    this.usb.push(...bytes);
    this.stops = true;
  }

  usbPlugged() {
    this.#happened('plugged');
  }

  uartSaid(number, byte) {
    this.uart[number].push(byte);
  }

  flashChanged(what, address, bytes) {
    this.flash.push([what, address, bytes && Buffer.from(bytes).toString('base64')]);
    this.stops = true;
  }

  reset() {
    this.#happened('reset');
  }

  halted(why) {
    this.#happened(`halted: ${why}`);
  }

  #happened(what) {
    this.events.push(what);
    this.stops = true;
  }
}

/** Samples of the oscillator's bit, one a byte, as they were handed in. */
class Noise {
  samples = Buffer.alloc(0);
  at = 0;

  forget() {
    this.at = this.samples.length;
  }

  add(samples) {
    this.samples = Buffer.concat([this.samples.subarray(this.at), samples]);
    this.at = 0;
  }

  get left() {
    return this.samples.length - this.at;
  }

  next = () => {
    if (!this.left) throw new Error('the samples of the ring oscillator ran out');
    return this.samples[this.at++];
  };
}

let pico = null;
let noise = null;
let unanswered = new Set(); // pins and states that nothing outside has an answer to
let steps = {}; // a motor's pin, and how many more steps of it somebody has an answer to
const world = new World();
const flash = new Uint8Array(FLASH);
const translator = new Translator(
  new Uint8Array(264 * 1024),
  flash,
  new Uint8Array(bootRom.buffer),
);

/** A board with these files, one after the other, in its flash; or one that was saved as it ran. */
function powerOn({ files, serial, snapshot, ...rest }) {
  unanswered = new Set(rest.unanswered.map(([pin, state]) => 2 * pin + state));
  noise = new Noise();
  translator.forgetMemory();
  const content = new Uint8Array(FLASH).fill(0xff);
  let at = 0;
  for (const file of files) at += fs.readFileSync(file).copy(content, at);
  translator.writeFlash(content);
  pico = new Pico(bootRom, translator, Buffer.from(serial, 'hex'), noise.next, world);
  if (snapshot) noise.add(Buffer.from(restore(pico, snapshot)));
}

/** What a debugger shows: the processor as it stands between two instructions. */
function look({ address, words }) {
  const { core } = pico.mcu;
  const { N, Z, C, V } = core;
  return {
    registers: [...core.registers],
    flags: { N, Z, C, V },
    waiting: core.waiting,
    masked: core.PM,
    exception: core.IPSR,
    interrupts: core.pendingInterrupts & core.enabledInterrupts,
    words: Array.from({ length: words }, (_, n) => pico.mcu.readUint32(address + 4 * n) >>> 0),
  };
}

function answer(request) {
  if (request.look) return look(request.look);
  world.clear();
  if (request.power) powerOn(request.power);
  if (request.power === null) pico = null;
  if (pico === null) return {};
  if (request.anew) noise.forget();
  if (request.noise) noise.add(Buffer.from(request.noise, 'base64'));
  const [pin, left] = request.steps ?? [];
  steps = { pin, left };
  if (request.hung) pico.hung = true;
  if (request.erase) pico.flash.times.erase = request.erase * 1e6;
  if (request.save) save(pico, noise.samples.subarray(noise.at), request.save);
  for (const [pin, level] of request.pins ?? []) pico.drive(pin, level);
  if (request.reads !== undefined) pico.usb.read(request.reads);
  if (request.usb) pico.usb.send(Buffer.from(request.usb, 'base64'));
  if (request.uart) pico.uarts[1].send(Buffer.from(request.uart, 'base64'));
  if (request.link) pico.uarts[0].send(Buffer.from(request.link, 'base64'));
  const idle = pico.idle;
  const began = pico.nanos;
  if (request.until) pico.run(request.until * 1e3);
  return {
    now: pico.nanos / 1e3,
    busy: (pico.nanos - began - (pico.idle - idle)) / 1e3,
    noise: noise.left,
    gap: pico.gap / 1e3,
    pins: world.pins,
    flash: world.flash,
    events: world.events,
    usb: Buffer.from(world.usb).toString('base64'),
    link: Buffer.from(world.uart[0]).toString('base64'),
    uart: Buffer.from(world.uart[1]).toString('base64'),
  };
}

readline
  .createInterface({ input: process.stdin })
  .on('line', (line) => fs.writeSync(1, JSON.stringify(answer(JSON.parse(line))) + '\n'))
  .on('close', () => process.exit(0));
