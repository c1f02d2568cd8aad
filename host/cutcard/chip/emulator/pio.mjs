// PIO by the system clock: each state machine takes its next step when its divider and its delays
// say so. rp2040js alone lets them run free, from the computer's own timer, and knows no FIFO of
// eight words (two of four that are joined).

const CTRL = 0x00;
const SHIFTCTRL = 0x08; // of a state machine
const JOIN_TX = 1;
const JOIN_RX = 2;

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
    this.#joinFifos();
    this.#wakeUp();
  }

  enabledOrNot() {
    const { machine } = this;
    if (!machine.enabled) {
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
    const before = machine.cycles;
    this.stepping = true;
    machine.step();
    this.stepping = false;
    this.pio.checkChangedPins();
    if (machine.enabled && !machine.waiting) this.#after(Math.max(1, machine.cycles - before));
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

  /** A change of how they are joined empties both. */
  #joinFifos() {
    const { machine } = this;
    const write = machine.writeUint32.bind(machine);
    machine.writeUint32 = (offset, value) => {
      const joined = (value >>> 30) & 3;
      if (offset === SHIFTCTRL && joined !== machine.shiftCtrl >>> 30) {
        resize(machine.txFIFO, joined === JOIN_TX ? 8 : joined === JOIN_RX ? 0 : 4);
        resize(machine.rxFIFO, joined === JOIN_RX ? 8 : joined === JOIN_TX ? 0 : 4);
      }
      write(offset, value);
    };
  }
}

function resize(fifo, words) {
  fifo.buffer = new Uint32Array(words);
  fifo.start = 0;
  fifo.reset();
}
