// PIO by the system clock: each state machine takes its next step when its divider and its delays
// say so. rp2040js alone lets them run free, from the computer's own timer, and knows no FIFO of
// eight words (two of four that are joined).

const CTRL = 0x00;
const SHIFTCTRL = 0x08; // of a state machine
const JOIN_TX = 1;
const JOIN_RX = 2;
const COUNTS = { 0x0040: 'x', 0x0080: 'y' }; // jmp(x_dec), jmp(y_dec), without delay or side-set

/** Its state machines, clocked. */
export function clockPio(mcu, pio) {
  pio.run = () => {};
  const machines = pio.machines.map((machine) => new ClockedMachine(mcu, pio, machine));
  const write = pio.writeUint32.bind(pio);
  pio.writeUint32 = (offset, value) => {
    write(offset, value);
    if (offset === CTRL) for (const machine of machines) machine.enabledOrNot();
  };
  return machines;
}

class ClockedMachine {
  constructor(mcu, pio, machine) {
    this.mcu = mcu;
    this.pio = pio;
    this.machine = machine;
    this.stepping = false;
    this.alarm = mcu.clock.createAlarm(() => this.#step());
    this.due = false;
    this.counting = null; // the register that counts down to zero until the alarm
    this.counted = 0; // nanoseconds when that began
    this.#heedRegisters();
    this.#wakeUp();
  }

  enabledOrNot() {
    const { machine } = this;
    if (!machine.enabled) {
      this.#stopCounting();
      this.alarm.cancel();
      this.due = false;
    } else if (machine.waiting) machine.checkWait();
    else this.#after(1);
  }

  get #nanosPerCycle() {
    const { clockDivInt, clockDivFrac } = this.machine;
    return (((clockDivInt || 65536) + clockDivFrac / 256) * 1e9) / this.mcu.clkSys;
  }

  #after(cycles) {
    if (this.due) return;
    this.due = true;
    this.alarm.schedule(cycles * this.#nanosPerCycle);
  }

  #step() {
    const { machine } = this;
    this.due = false;
    if (!machine.enabled || machine.waiting) return;
    if (this.counting) this.#countedToZero();
    else if (this.#count()) return;
    const before = machine.cycles;
    this.stepping = true;
    machine.step();
    this.stepping = false;
    this.pio.checkChangedPins();
    if (machine.enabled && !machine.waiting) this.#after(Math.max(1, machine.cycles - before));
  }

  /** A jump to itself that counts a register down does nothing else until that is zero: one alarm
   * for all of it. Whether there is such a jump. */
  #count() {
    const { machine, pio } = this;
    const op = pio.instructions[machine.pc];
    const register = COUNTS[op & ~0x1f];
    if (!register || (op & 0x1f) !== machine.pc || machine.sidesetCount || !machine[register])
      return false;
    this.counting = register;
    this.counted = this.mcu.clock.nanos;
    this.#after(machine[register]);
    return true;
  }

  #countedToZero() {
    this.machine.cycles += this.machine[this.counting];
    this.machine[this.counting] = 0;
    this.counting = null;
  }

  /** Somebody stops it in the middle: it has counted as far as time has passed. */
  #stopCounting() {
    if (!this.counting) return;
    const passed = Math.floor((this.mcu.clock.nanos - this.counted) / this.#nanosPerCycle);
    this.machine[this.counting] -= Math.min(passed, this.machine[this.counting]);
    this.counting = null;
    this.alarm.cancel();
    this.due = false;
  }

  /** What a machine waited for has come: it goes on. */
  #wakeUp() {
    const { machine } = this;
    const check = machine.checkWait.bind(machine);
    machine.checkWait = () => {
      const waited = machine.waiting;
      const before = machine.cycles;
      check();
      if (waited && !machine.waiting && machine.enabled && !this.stepping)
        this.#after(1 + Math.max(0, machine.cycles - before));
    };
  }

  /** A change of how the FIFOs are joined empties both; whatever is written ends a count. */
  #heedRegisters() {
    const { machine } = this;
    const write = machine.writeUint32.bind(machine);
    machine.writeUint32 = (offset, value) => {
      const joined = (value >>> 30) & 3;
      if (offset === SHIFTCTRL && joined !== machine.shiftCtrl >>> 30) {
        resize(machine.txFIFO, joined === JOIN_TX ? 8 : joined === JOIN_RX ? 0 : 4);
        resize(machine.rxFIFO, joined === JOIN_RX ? 8 : joined === JOIN_TX ? 0 : 4);
      }
      const counted = this.counting !== null;
      this.#stopCounting();
      write(offset, value);
      if (counted && machine.enabled && !machine.waiting) this.#after(1);
    };
  }
}

function resize(fifo, words) {
  fifo.buffer = new Uint32Array(words);
  fifo.start = 0;
  fifo.reset();
}
