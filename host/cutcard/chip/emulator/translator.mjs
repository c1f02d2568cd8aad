// The processor, faster: stretches of Thumb code that run often are translated to JavaScript.
//
// rp2040js takes one instruction at a time through a long row of comparisons. Here a stretch
// begins where code was met a few times and follows jumps and calls whose target is known, both
// ways of a condition among them, until it is long enough or meets what cannot be foreseen. It can
// be entered at each of its labels. Registers and flags live in local variables within it. Whatever is rare (exceptions, sleeping, system registers) stays with
// rp2040js's own interpreter, and cycles are counted as it counts them. Interrupts are looked at
// between stretches. tests/: random code gives the same result both ways.

const SRAM = 0x20000000;
const SRAM_SIZE = 264 * 1024;
const ROM_SIZE = 16 * 1024;
const FLASH_MASK = 0x1fffff;
const FLASH_BEGIN = 0x10000000;
const SECTOR = 4096;
const HOT = 40; // times that a place is met before it is translated
const LONGEST = 96; // instructions of a stretch
const MOST_RETURNS = 8; // addresses behind a call that a return within a stretch is compared with
const LAST_PIN_REGISTER = 0x3c; // of SIO
const MODE_HANDLER = 1;
// Places of stretches, one a halfword: flash first, then memory, then the boot ROM.
const MEMORY_PLACES = (FLASH_MASK + 1) >> 1;
const ROM_PLACES = MEMORY_PLACES + (SRAM_SIZE >> 1);
const PLACES = ROM_PLACES + (ROM_SIZE >> 1);
const CPSID = 0xb672;
const CPSIE = 0xb662;
const BARRIER = 0xf3bf;
const MRS = 0xf3ef;
const MSR = 0xf380;
const PRIMASK = 16;
const IPSR = 5;
const TIME_HIGH = 0x40054024; // registers of the timer
const TIME_LOW = 0x40054028;
const NOT_WORTH_IT = 1 << 30;

function placeOf(address) {
  if (address >>> 26 === 4) return (address & FLASH_MASK) >> 1;
  if (address >= SRAM && address < SRAM + SRAM_SIZE) return MEMORY_PLACES + ((address - SRAM) >> 1);
  return address < ROM_SIZE ? ROM_PLACES + (address >> 1) : PLACES;
}

export class Translator {
  /** Memory and flash stay the same through every reset. */
  constructor(sram, flash, rom) {
    this.sram = sram;
    this.flash = flash;
    this.rom = rom;
    this.registers = new Int32Array(16);
    this.stretches = new Array(PLACES + 1).fill(null);
    this.labels = new Uint16Array(PLACES + 1); // where in its stretch a place is
    this.met = new Int32Array(PLACES + 1);
    this.over = new Map(); // the stretches that lie over a place
    this.codeIn = new Uint8Array(SRAM_SIZE >> 2); // words of memory that were translated
    this.state = { core: null, mcu: null, slow: false, passed: 0, flushed: 0, extra: 0, left: 0 };
    this.jumped = true;
    this.memory = memoryOf(this);
  }

  /** A core that has just been reset. */
  adopt(mcu) {
    const { core } = mcu;
    this.registers.set(new Int32Array(core.registers.buffer));
    core.registers = new Uint32Array(this.registers.buffer);
    this.state.core = core;
    this.state.mcu = mcu;
  }

  /** Run for about so many cycles, or until something other than memory was touched; cycles that
   * have passed and that the clock has not been told of. */
  run(cycles) {
    const { state, stretches, registers } = this;
    const { core } = state;
    state.slow = false;
    state.passed = 0;
    let left = cycles;
    do {
      if (core.interruptsUpdated && core.checkForInterrupts()) core.waiting = false;
      const place = placeOf(registers[15] & ~1);
      const stretch = stretches[place];
      if (stretch === null) {
        if (state.passed) break; // the clock first, as the interpreter may ask for the time
        this.#interpret(place);
        break;
      }
      state.left = left;
      const took = stretch(core, state, this.labels[place]);
      state.passed += took;
      left -= took;
      this.jumped = true;
    } while (left > 0 && !state.slow);
    return state.passed;
  }

  /** One instruction. Only where a jump leads to may a stretch begin, or behind what none has. */
  #interpret(place) {
    const { state, registers } = this;
    const at = registers[15];
    if (this.jumped) this.#meet(place);
    state.passed = state.core.executeInstruction();
    const further = registers[15] - at;
    this.jumped = (further !== 2 && further !== 4) || this.met[place] === NOT_WORTH_IT;
  }

  /** Another board: nothing is left in its memory. */
  forgetMemory() {
    this.sram.fill(0);
    this.registers.fill(0);
    this.forget(SRAM, SRAM_SIZE);
  }

  /** Another content of the flash; where it is the same, so is what was translated of it. */
  writeFlash(content) {
    for (let at = 0; at < content.length; at += SECTOR) {
      const sector = content.subarray(at, at + SECTOR);
      if (Buffer.compare(sector, this.flash.subarray(at, at + SECTOR)) === 0) continue;
      this.flash.set(sector, at);
      this.forget(FLASH_BEGIN + at, SECTOR);
    }
  }

  /** What was written over is translated anew. */
  forget(address, size) {
    for (let at = address & ~1; at < address + size; at += 2) this.#forgetAt(placeOf(at));
    const first = (address - SRAM) >> 2;
    if (first >= 0) this.codeIn.fill(0, first, ((address + size - 1 - SRAM) >> 2) + 1);
  }

  #forgetAt(place) {
    for (const { stretch, places } of this.over.get(place) ?? [])
      for (const entry of places)
        if (this.stretches[entry] === stretch) {
          this.stretches[entry] = null;
          this.met[entry] = 0;
        }
    this.over.delete(place);
    this.met[place] = 0;
  }

  #meet(place) {
    if (place === PLACES) return;
    this.met[place]++;
    if (this.met[place] === HOT) this.translate(addressOf(place));
  }

  /** A stretch can be entered at its labels, where no other one can be yet; the places of those. */
  #enter(stretch, entries) {
    const places = [];
    for (const [address, label] of entries) {
      const place = placeOf(address);
      if (this.stretches[place] !== null) continue;
      this.stretches[place] = stretch;
      this.labels[place] = label;
      places.push(place);
    }
    return places;
  }

  /** Make a stretch that begins there, if that is worth it. */
  translate(start) {
    const place = placeOf(start);
    const writer = new Writer(this);
    if (!writer.write(start)) {
      this.met[place] = NOT_WORTH_IT;
      return;
    }
    const stretch = writer.compiled(this.memory, this.registers);
    const places = this.#enter(stretch, writer.entries);
    for (const at of writer.read) {
      const lies = placeOf(at);
      if (!this.over.has(lies)) this.over.set(lies, []);
      this.over.get(lies).push({ stretch, places });
      if (at >= SRAM) this.codeIn[(at - SRAM) >> 2] = 1;
    }
  }
}

function addressOf(place) {
  if (place < MEMORY_PLACES) return 0x10000000 + 2 * place;
  if (place < ROM_PLACES) return SRAM + 2 * (place - MEMORY_PLACES);
  return 2 * (place - ROM_PLACES);
}

/** Loads and stores: memory at once, everything else through the chip, with its clock brought up
 * to date first. */
function memoryOf(translator) {
  const { sram, flash, rom, state, codeIn } = translator;
  const s8 = sram;
  const s16 = new Uint16Array(sram.buffer, sram.byteOffset);
  const s32 = new Int32Array(sram.buffer, sram.byteOffset);
  const f8 = flash;
  const f16 = new Uint16Array(flash.buffer, flash.byteOffset);
  const f32 = new Int32Array(flash.buffer, flash.byteOffset);
  const rom16 = new Uint16Array(rom.buffer, rom.byteOffset);
  const rom32 = new Int32Array(rom.buffer, rom.byteOffset);

  function slow(address, cycles, isWrite) {
    state.slow = true;
    state.left = 0; // the stretch ends at its next jump
    state.mcu.passed(state.passed + cycles - state.flushed);
    state.passed = 0;
    state.flushed = cycles;
    state.extra += state.core.cyclesIO(address, isWrite) - 1;
  }

  /** The block beside the core: its divider, its spinlocks and who it is take no time and are
   * nobody else's business. Its pins are. */
  function ofTheCore(a) {
    const offset = a & 0xfff;
    return a >>> 28 === 13 && (offset === 0 || offset > LAST_PIN_REGISTER);
  }

  /** The microseconds that the timer shows: reading them changes nothing. Null: another register. */
  function timeAt(a, cycles) {
    if (a !== TIME_HIGH && a !== TIME_LOW) return null;
    const { mcu } = state;
    const since = ((state.passed + cycles - state.flushed) * 1e9) / mcu.clkSys;
    const micros = (mcu.clock.nanos + since) / 1000;
    state.extra += 2;
    return a === TIME_LOW ? micros | 0 : Math.floor(micros / 2 ** 32);
  }

  const parts = { s8, s16, s32, codeIn };
  return {
    ...parts,
    load32(a, cycles) {
      const o = (a - SRAM) >>> 0;
      if (o < SRAM_SIZE) return s32[o >> 2];
      if (a >>> 26 === 4) return f32[(a & FLASH_MASK) >> 2];
      if (a >>> 0 < ROM_SIZE) return rom32[a >> 2];
      if (ofTheCore(a)) {
        state.extra--;
        return state.mcu.sio.readUint32(a & 0xfff) | 0;
      }
      const time = timeAt(a, cycles);
      if (time !== null) return time;
      slow(a, cycles, false);
      return state.mcu.readUint32(a >>> 0) | 0;
    },
    load16(a, cycles) {
      const o = (a - SRAM) >>> 0;
      if (o < SRAM_SIZE) return s16[o >> 1];
      if (a >>> 26 === 4) return f16[(a & FLASH_MASK) >> 1];
      if (a >>> 0 < ROM_SIZE) return rom16[a >> 1];
      slow(a, cycles, false);
      return state.mcu.readUint16(a >>> 0);
    },
    load8(a, cycles) {
      const o = (a - SRAM) >>> 0;
      if (o < SRAM_SIZE) return s8[o];
      if (a >>> 26 === 4) return f8[a & FLASH_MASK];
      if (a >>> 0 < ROM_SIZE) return rom[a];
      if (ofTheCore(a)) {
        state.extra--;
        return (state.mcu.sio.readUint32(a & 0xffc) >>> (8 * (a & 3))) & 255;
      }
      slow(a, cycles, false);
      return state.mcu.readUint8(a >>> 0);
    },
    store32(a, v, cycles) {
      const o = (a - SRAM) >>> 0;
      if (o < SRAM_SIZE) {
        s32[o >> 2] = v;
        if (codeIn[o >> 2]) translator.forget(a, 4);
        return;
      }
      if (ofTheCore(a)) {
        state.extra--;
        state.mcu.sio.writeUint32(a & 0xfff, v >>> 0);
        return;
      }
      slow(a, cycles, true);
      state.mcu.writeUint32(a >>> 0, v >>> 0);
    },
    store16(a, v, cycles) {
      const o = (a - SRAM) >>> 0;
      if (o < SRAM_SIZE) {
        s16[o >> 1] = v;
        if (codeIn[o >> 2]) translator.forget(a, 2);
        return;
      }
      slow(a, cycles, true);
      state.mcu.writeUint16(a >>> 0, v & 0xffff);
    },
    store8(a, v, cycles) {
      const o = (a - SRAM) >>> 0;
      if (o < SRAM_SIZE) {
        s8[o] = v;
        if (codeIn[o >> 2]) translator.forget(a, 1);
        return;
      }
      slow(a, cycles, true);
      state.mcu.writeUint8(a >>> 0, v & 0xff);
    },
  };
}

const WORDS = { 8: ['s8', 0], 16: ['s16', 1], 32: ['s32', 2] };
const CONDITIONS = ['z', '!z', 'c', '!c', 'n', '!n', 'v', '!v'].concat(
  ['(c && !z)', '(!c || z)', '(n === v)', '(n !== v)', '(!z && n === v)', '(z || n !== v)'],
);

/** One stretch, written instruction by instruction. */
class Writer {
  constructor(translator) {
    this.translator = translator;
    this.read = new Set(); // addresses of code and of constants that went into it
    this.lines = [];
    this.labels = new Map(); // addresses that are jumped to, in the order in which they were met
    this.entries = []; // those with code, each with its label
    this.returns = []; // addresses behind calls that are followed
    this.returning = []; // lines that take what returns to one of them there
    this.cycles = 0; // since the label
    this.changed = new Set(); // registers
    this.used = new Set();
    this.flags = new Set(); // that were changed
    this.unseen = new Map(); // flags that nobody has looked at, and the line that sets them
    this.size = 0; // instructions
    this.ended = false;
  }

  /** Whether there was anything to translate. */
  write(start) {
    this.#label(start);
    for (const [address, label] of this.labels) {
      this.lines.push(`case ${label}:`);
      this.#block(address);
      if (!this.size) return false;
    }
    return true;
  }

  /** From a label to where the code goes elsewhere. */
  #block(address) {
    this.at = address;
    this.cycles = 0;
    this.ended = false;
    this.unseen.clear();
    const before = this.size;
    while (!this.ended) {
      const from = this.at;
      if (this.size > before && this.labels.has(from)) {
        this.#goTo(from, this.cycles);
        break;
      }
      const op = this.size < LONGEST ? this.#fetch(from) : null;
      this.from = from;
      this.at = from + 2;
      if (op === null || !this.#instruction(op)) {
        this.#leave(String(from), this.cycles);
        break;
      }
      this.size++;
      this.read.add(from);
    }
    if (this.size > before) this.entries.push([address, this.labels.get(address)]);
  }

  #label(address) {
    if (!this.labels.has(address)) this.labels.set(address, this.labels.size);
    return this.labels.get(address);
  }

  compiled(memory, registers) {
    const numbers = [...this.used].sort((a, b) => a - b);
    const load = numbers.map((n) => `r${n} = R[${n}]`).join(', ');
    const back = this.returns
      .filter((address) => this.labels.has(address))
      .slice(0, MOST_RETURNS)
      .map((address) => `if (pc === ${address}) { k = ${this.labels.get(address)}; continue run; }`);
    for (const line of this.returning)
      this.lines[line] = back.length ? `if (done < state.left) { ${back.join(' ')} }` : '';
    const source = `
      return (function (core, state, k) {
        let done = 0, a = 0, b = 0, t = 0, q = 0, o = 0, pc = 0, returned = false;
        let n = core.N, z = core.Z, c = core.C, v = core.V;
        ${load ? `let ${load};` : ''}
        run: for (;;) {
          switch (k) {
            ${this.lines.filter(Boolean).join('\n')}
          }
        }
        ${stores(this.changed, this.flags)}
        if (returned) { core.BXWritePC(pc >>> 0); state.slow = true; }
        else R[15] = pc;
        t = done + state.extra - state.flushed;
        state.extra = state.flushed = 0;
        return t;
      });`;
    const names = Object.keys(memory);
    return new Function('R', ...names, source)(registers, ...names.map((name) => memory[name]));
  }

  #fetch(at) {
    const { sram, flash, rom } = this.translator;
    if (at >>> 26 === 4) return halfword(flash, at & FLASH_MASK);
    return at < SRAM ? halfword(rom, at) : halfword(sram, at - SRAM);
  }

  #r(n) {
    this.used.add(n);
    return `r${n}`;
  }

  #set(n, value) {
    this.used.add(n);
    this.changed.add(n);
    this.lines.push(`r${n} = ${value};`);
  }

  #leave(target, cycles) {
    this.#seen();
    this.lines.push(`pc = ${target}; done += ${cycles}; break run;`);
  }

  /** To a label of this stretch, while there is time. */
  #goTo(target, cycles) {
    this.#seen();
    const label = this.#label(target);
    this.lines.push(`done += ${cycles};`);
    this.lines.push(`if (done >= state.left) { pc = ${target}; break run; }`);
    this.lines.push(`k = ${label}; continue run;`);
  }

  /** A flag that is set again before anybody looked need not be set at all. */
  #flag(name, value) {
    if (this.unseen.has(name)) this.lines[this.unseen.get(name)] = '';
    this.unseen.set(name, this.lines.length);
    this.flags.add(name);
    this.lines.push(`${name} = ${value};`);
  }

  #seen(names = 'nzcv') {
    for (const name of names) this.unseen.delete(name);
  }

  #nz(value) {
    this.#flag('n', `${value} < 0`);
    this.#flag('z', `${value} === 0`);
  }

  #add(d, left, right, carry = '0') {
    this.lines.push(`a = ${left}; b = ${right};`);
    if (carry !== '0') this.#seen('c');
    this.lines.push(`t = (a >>> 0) + (b >>> 0) + (${carry});`);
    this.#flag('c', 't > 4294967295');
    this.lines.push('t |= 0;');
    this.#flag('v', '((a ^ t) & (b ^ t)) < 0');
    if (d !== null) this.#set(d, 't');
    this.#nz('t');
  }

  #subtract(d, left, right) {
    this.lines.push(`a = ${left}; b = ${right}; t = (a - b) | 0;`);
    this.#flag('c', '(a >>> 0) >= (b >>> 0)');
    this.#flag('v', '((a ^ b) & (a ^ t)) < 0');
    if (d !== null) this.#set(d, 't');
    this.#nz('t');
  }

  #load(d, size, address, signed = 0) {
    const value = this.#loaded(size, address);
    this.#set(d, signed ? `${value} << ${signed} >> ${signed}` : value);
    this.cycles += 2;
  }

  #store(value, size, address) {
    this.#stored(value, size, address);
    this.cycles += 2;
  }

  /** What is at an address: memory at once, everything else by a call. */
  #loaded(size, address) {
    this.#reach(address);
    const [words, shift] = WORDS[size];
    return `(o < ${SRAM_SIZE} ? ${words}[o >> ${shift}] : load${size}(q, done + ${this.cycles}))`;
  }

  #stored(value, size, address) {
    this.#reach(address);
    const [words, shift] = WORDS[size];
    this.lines.push(
      `if (o < ${SRAM_SIZE} && !codeIn[o >> 2]) ${words}[o >> ${shift}] = ${value};`,
      `else store${size}(q, ${value}, done + ${this.cycles});`,
    );
  }

  #reach(address) {
    this.lines.push(`q = (${address}) | 0; o = (q - ${SRAM}) >>> 0;`);
  }

  /** Writes one instruction; false where it is left to the interpreter. */
  #instruction(op) {
    switch (op >> 13) {
      case 0:
        return this.#shiftOrAdd(op);
      case 1:
        return this.#immediate(op);
      case 2:
        return this.#registersAndLoads(op);
      case 3:
        return this.#loadStoreImmediate(op);
      case 4:
        return op >> 12 === 8 ? this.#halfwords(op) : this.#stackWords(op);
      case 5:
        return op >> 12 === 10 ? this.#addressOf(op) : this.#miscellaneous(op);
      case 6:
        return op >> 12 === 12 ? this.#multiple(op) : this.#branchIf(op);
      default:
        return this.#branch(op);
    }
  }

  #shiftOrAdd(op) {
    const d = op & 7;
    const m = this.#r((op >> 3) & 7);
    const kind = op >> 11;
    const amount = (op >> 6) & 31;
    if (kind === 3) {
      const right = op & 0x400 ? String((op >> 6) & 7) : this.#r((op >> 6) & 7);
      if (op & 0x200) this.#subtract(d, m, right);
      else this.#add(d, m, right);
    } else {
      this.lines.push(`a = ${m};`);
      if (kind === 0) {
        if (amount) this.#flag('c', `(a >>> ${32 - amount} & 1) === 1`);
        this.#set(d, amount ? `a << ${amount}` : 'a');
      } else if (kind === 1) {
        this.#flag('c', `(a >>> ${amount ? amount - 1 : 31} & 1) === 1`);
        this.#set(d, amount ? `a >>> ${amount} | 0` : '0');
      } else {
        this.#flag('c', `(a >>> ${amount ? amount - 1 : 31} & 1) === 1`);
        this.#set(d, `a >> ${amount || 31}`);
      }
      this.#nz(`r${d}`);
    }
    this.cycles += 1;
    return true;
  }

  #immediate(op) {
    const d = (op >> 8) & 7;
    const value = String(op & 255);
    const kind = (op >> 11) & 3;
    if (kind === 0) {
      this.#set(d, value);
      this.#flag('n', 'false');
      this.#flag('z', String((op & 255) === 0));
    } else if (kind === 1) this.#subtract(null, this.#r(d), value);
    else if (kind === 2) this.#add(d, this.#r(d), value);
    else this.#subtract(d, this.#r(d), value);
    this.cycles += 1;
    return true;
  }

  #registersAndLoads(op) {
    if (op >> 10 === 0x10) return this.#arithmetic(op);
    if (op >> 10 === 0x11) return this.#highRegisters(op);
    if (op >> 11 === 9) return this.#literal(op);
    const address = `${this.#r((op >> 3) & 7)} + ${this.#r((op >> 6) & 7)}`;
    const d = op & 7;
    switch ((op >> 9) & 7) {
      case 0:
        this.#store(this.#r(d), 32, address);
        break;
      case 1:
        this.#store(this.#r(d), 16, address);
        break;
      case 2:
        this.#store(this.#r(d), 8, address);
        break;
      case 3:
        this.#load(d, 8, address, 24);
        break;
      case 4:
        this.#load(d, 32, address);
        break;
      case 5:
        this.#load(d, 16, address);
        break;
      case 6:
        this.#load(d, 8, address);
        break;
      default:
        this.#load(d, 16, address, 16);
    }
    return true;
  }

  #arithmetic(op) {
    const d = op & 7;
    const left = this.#r(d);
    const right = this.#r((op >> 3) & 7);
    const logic = { 0: '&', 1: '^', 12: '|' };
    const kind = (op >> 6) & 15;
    this.cycles += 1;
    if (kind in logic) {
      this.#set(d, `${left} ${logic[kind]} ${right}`);
      this.#nz(left);
    } else if (kind === 14) {
      this.#set(d, `${left} & ~${right}`);
      this.#nz(left);
    } else if (kind === 15) {
      this.#set(d, `~${right}`);
      this.#nz(left);
    } else if (kind === 13) {
      this.#set(d, `Math.imul(${left}, ${right})`);
      this.#nz(left);
    } else if (kind === 8) {
      this.lines.push(`t = ${left} & ${right};`);
      this.#nz('t');
    } else if (kind === 9) this.#subtract(d, '0', right);
    else if (kind === 10) this.#subtract(null, left, right);
    else if (kind === 11) this.#add(null, left, right);
    else if (kind === 5) this.#add(d, left, right, 'c ? 1 : 0');
    else if (kind === 6) this.#add(d, left, `~${right}`, 'c ? 1 : 0');
    else this.#shiftBy(kind, d, left, right);
    return true;
  }

  #shiftBy(kind, d, left, right) {
    this.lines.push(`a = ${left}; b = ${right} & 255;`);
    this.#seen('c');
    this.flags.add('c');
    if (kind === 2) {
      this.#set(d, 'b < 32 ? a << b : 0');
      this.lines.push('if (b) c = b <= 32 && (a >>> (32 - b) & 1) === 1;');
    } else if (kind === 3) {
      this.#set(d, 'b < 32 ? a >>> b | 0 : 0');
      this.lines.push('if (b) c = b <= 32 && (a >>> (b - 1) & 1) === 1;');
    } else if (kind === 4) {
      this.#set(d, 'a >> (b < 32 ? b : 31)');
      this.lines.push('if (b) c = (a >>> (b < 32 ? b - 1 : 31) & 1) === 1;');
    } else {
      this.lines.push('t = b & 31;');
      this.#set(d, 't ? a >>> t | a << (32 - t) : a');
      this.lines.push(`if (b) c = r${d} < 0;`);
    }
    this.#nz(`r${d}`);
  }

  #highRegisters(op) {
    const m = (op >> 3) & 15;
    const d = ((op >> 4) & 8) | (op & 7);
    const kind = (op >> 8) & 3;
    const right = m === 15 ? String((this.from + 4) | 0) : this.#r(m);
    if (kind === 3) {
      if (op & 7 || m === 15) return false;
      if (op & 0x80) {
        this.lines.push(`t = ${right};`);
        this.#set(14, String(this.at | 1));
        this.#leave('t & ~1', this.cycles + 2);
      } else this.#jumpTo(right, this.cycles + 2);
      this.ended = true;
      return true;
    }
    if (d === 15) {
      if (kind === 1) return false;
      this.#leave(`${kind === 0 ? `${this.from + 4} + ` : ''}${right} & ~1`, this.cycles + 2);
      this.ended = true;
      return true;
    }
    if (kind === 0) this.#set(d, `${this.#r(d)} + ${right} ${d === 13 ? '& ~3' : '| 0'}`);
    else if (kind === 1) this.#subtract(null, this.#r(d), right);
    else this.#set(d, d === 13 ? `${right} & ~3` : right);
    this.cycles += 1;
    return true;
  }

  /** To an address that is a return from an exception, perhaps, or behind a call. */
  #jumpTo(target, cycles) {
    this.#seen();
    this.lines.push(`t = ${target}; done += ${cycles};`);
    this.lines.push(`if (t >>> 28 === 15 && core.currentMode === ${MODE_HANDLER}) {`);
    this.lines.push('pc = t; returned = true; break run; }');
    this.lines.push('pc = t & ~1;');
    this.returning.push(this.lines.length);
    this.lines.push('', 'break run;');
  }

  /** A word beside the code: where nobody writes it is a constant. */
  #literal(op) {
    const address = ((this.from + 4) & ~3) + ((op & 255) << 2);
    const d = (op >> 8) & 7;
    if (address < SRAM) {
      this.read.add(address).add(address + 2);
      this.#set(d, String(this.#fetch(address) | (this.#fetch(address + 2) << 16)));
      this.cycles += 2;
    } else this.#load(d, 32, String(address));
    return true;
  }

  #loadStoreImmediate(op) {
    const bytes = op & 0x1000;
    const offset = ((op >> 6) & 31) << (bytes ? 0 : 2);
    const address = `${this.#r((op >> 3) & 7)} + ${offset}`;
    const d = op & 7;
    const size = bytes ? 8 : 32;
    if (op & 0x800) this.#load(d, size, address);
    else this.#store(this.#r(d), size, address);
    return true;
  }

  #halfwords(op) {
    const address = `${this.#r((op >> 3) & 7)} + ${((op >> 6) & 31) << 1}`;
    const d = op & 7;
    if (op & 0x800) this.#load(d, 16, address);
    else this.#store(this.#r(d), 16, address);
    return true;
  }

  #stackWords(op) {
    const address = `${this.#r(13)} + ${(op & 255) << 2}`;
    const d = (op >> 8) & 7;
    if (op & 0x800) this.#load(d, 32, address);
    else this.#store(this.#r(d), 32, address);
    return true;
  }

  #addressOf(op) {
    const d = (op >> 8) & 7;
    const offset = (op & 255) << 2;
    if (op & 0x800) this.#set(d, `${this.#r(13)} + ${offset} | 0`);
    else this.#set(d, String((((this.from & ~3) + 4 + offset) | 0)));
    this.cycles += 1;
    return true;
  }

  #miscellaneous(op) {
    const kind = (op >> 8) & 15;
    if (kind === 0) {
      const offset = (op & 127) << 2;
      this.#set(13, `(${this.#r(13)} ${op & 128 ? '-' : '+'} ${offset}) & ~3`);
      this.cycles += 1;
      return true;
    }
    if (kind === 2) return this.#extend(op);
    if (kind === 4 || kind === 5) return this.#push(op);
    if (kind === 12 || kind === 13) return this.#pop(op);
    if (kind === 10) return this.#reverse(op);
    if (op === 0xbf00) {
      this.cycles += 1;
      return true;
    }
    return this.#mask(op);
  }

  /** Interrupts off, or on: then whatever has waited comes now. */
  #mask(op) {
    if (op !== CPSID && op !== CPSIE) return false;
    this.lines.push(`core.PM = ${op === CPSID};`);
    this.cycles += 1;
    if (op === CPSIE) this.#lookForInterrupts();
    return true;
  }

  #lookForInterrupts() {
    this.lines.push('core.interruptsUpdated = true;');
    this.#leave(String(this.at), this.cycles);
    this.ended = true;
  }

  /** Barriers, and the registers of exceptions and of their mask. */
  #system(op, second) {
    if (op === BARRIER && [4, 5, 6].includes((second >> 4) & 15) && second >> 8 === 0x8f) {
      this.cycles += 3;
    } else if (op === MRS && (second & 0xff) === PRIMASK) {
      this.#set((second >> 8) & 15, 'core.PM ? 1 : 0');
      this.cycles += 3;
    } else if (op === MRS && (second & 0xff) === IPSR) {
      this.#set((second >> 8) & 15, 'core.IPSR');
      this.cycles += 3;
    } else if ((op & 0xfff0) === MSR && second === (0x8800 | PRIMASK)) {
      this.lines.push(`core.PM = (${this.#r(op & 15)} & 1) === 1;`);
      this.cycles += 3;
      this.at += 2;
      this.#lookForInterrupts();
      return true;
    } else return false;
    this.at += 2;
    return true;
  }

  #extend(op) {
    const m = this.#r((op >> 3) & 7);
    this.#set(
      op & 7,
      [`${m} << 16 >> 16`, `${m} << 24 >> 24`, `${m} & 65535`, `${m} & 255`][(op >> 6) & 3],
    );
    this.cycles += 1;
    return true;
  }

  #reverse(op) {
    const kind = (op >> 6) & 3;
    if (kind === 2) return false;
    this.lines.push(`a = ${this.#r((op >> 3) & 7)};`);
    this.#set(
      op & 7,
      {
        0: '(a & 255) << 24 | (a & 65280) << 8 | a >>> 8 & 65280 | a >>> 24',
        1: '(a & 0x00ff00ff) << 8 | a >>> 8 & 0x00ff00ff',
        3: '((a & 255) << 8 | a >>> 8 & 255) << 16 >> 16',
      }[kind],
    );
    this.cycles += 1;
    return true;
  }

  #listed(op, link) {
    const list = [];
    for (let n = 0; n < 8; n++) if (op & (1 << n)) list.push(n);
    if (link && op & 0x100) list.push(14);
    return list;
  }

  #push(op) {
    const list = this.#listed(op, true);
    const low = list.filter((n) => n < 8).length;
    this.#set(13, `(${this.#r(13)} - ${4 * list.length}) & ~3`);
    list.forEach((n, place) => {
      this.#stored(this.#r(n), 32, `r13 + ${4 * place}`);
    });
    this.cycles += 1 + low;
    return true;
  }

  #pop(op) {
    const list = this.#listed(op, false);
    this.lines.push(`a = ${this.#r(13)};`);
    list.forEach((n, place) => {
      this.#set(n, this.#loaded(32, `a + ${4 * place}`));
    });
    const whole = list.length + (op & 0x100 ? 1 : 0);
    if (op & 0x100) {
      const target = this.#loaded(32, `a + ${4 * list.length}`);
      this.lines.push(`b = ${target};`);
      this.#set(13, `a + ${4 * whole} & ~3`);
      this.#jumpTo('b', this.cycles + 1 + list.length + 2);
      this.ended = true;
    } else {
      this.#set(13, `a + ${4 * whole} & ~3`);
      this.cycles += 1 + list.length;
    }
    return true;
  }

  #multiple(op) {
    const base = (op >> 8) & 7;
    const list = this.#listed(op & 255, false);
    this.lines.push(`a = ${this.#r(base)};`);
    list.forEach((n, place) => {
      const address = `a + ${4 * place}`;
      if (op & 0x800) this.#set(n, this.#loaded(32, address));
      else this.#stored(this.#r(n), 32, address);
    });
    if (!list.includes(base)) this.#set(base, `a + ${4 * list.length} | 0`);
    this.cycles += 1 + list.length;
    return true;
  }

  #branchIf(op) {
    const condition = (op >> 8) & 15;
    if (condition >= 14) return false;
    const target = (this.from + 4 + (((op & 255) << 24) >> 23)) >>> 0;
    const taken = this.cycles + 2;
    this.#seen();
    this.lines.push(`if (${CONDITIONS[condition]}) {`);
    this.#goTo(target, taken);
    this.lines.push('}');
    this.cycles += 1;
    return true;
  }

  #branch(op) {
    if (op >> 11 === 0x1c) {
      this.#goTo((this.from + 4 + (((op & 0x7ff) << 21) >> 20)) >>> 0, this.cycles + 2);
      this.ended = true;
      return true;
    }
    if (op >> 11 !== 0x1e) return false;
    const second = this.#fetch(this.from + 2);
    if (second === null) return false;
    this.read.add(this.from + 2);
    if ((second & 0xd000) !== 0xd000) return this.#system(op, second);
    const s = (op >> 10) & 1;
    const i1 = 1 - (s ^ ((second >> 13) & 1));
    const i2 = 1 - (s ^ ((second >> 11) & 1));
    const offset =
      ((s ? 0xff : 0) << 24) | (i1 << 23) | (i2 << 22) | ((op & 0x3ff) << 12) | ((second & 0x7ff) << 1);
    this.#set(14, String((this.from + 4) | 1));
    this.#goTo((this.from + 4 + offset) >>> 0, this.cycles + 3);
    this.#label(this.from + 4);
    this.returns.push(this.from + 4);
    this.ended = true;
    return true;
  }
}

function halfword(bytes, at) {
  return at + 1 < bytes.length ? bytes[at] | (bytes[at + 1] << 8) : null;
}

function stores(registers, flags) {
  const of = { n: 'N', z: 'Z', c: 'C', v: 'V' };
  const back = [...registers].map((n) => `R[${n}] = r${n};`);
  return [...back, ...[...flags].map((name) => `core.${of[name]} = ${name};`)].join(' ');
}
