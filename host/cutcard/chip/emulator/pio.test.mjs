// A state machine that counts is one alarm, and its pins change when they would have, also where it
// is stopped in the middle. Run by `node --test`.
import assert from 'node:assert/strict';
import test from 'node:test';
import { RP2040 } from 'rp2040js';
import { clockPio } from './pio.mjs';

const INSTRUCTIONS = 0x48;
const CLKDIV = 0xc8;
const PINCTRL = 0xdc;
const INSTR = 0xd8;
const CTRL = 0x00;
const PIN = 2;
const BY_PIO = 6;
const CYCLE = 1000; // nanoseconds, by a divider of 125

const SET_PINS = 0xe000;
const SET_X = 0xe020;
const SET_Y = 0xe040;
const SET_DIRECTION = 0xe080;
const X_DEC = 0x0040;
const Y_DEC = 0x0080;
// Three pulses, each high for 1 + 1 + 21 cycles and low for 1 + 1 + 11 + 1.
const PULSES = [
  SET_X | 2,
  SET_PINS | 1,
  SET_Y | 20,
  Y_DEC | 3,
  SET_PINS | 0,
  SET_Y | 10,
  Y_DEC | 6,
  X_DEC | 1,
  0x0000 | 8, // for ever
];

function board() {
  const mcu = new RP2040();
  const [pio] = mcu.pio;
  clockPio(mcu, pio);
  PULSES.forEach((op, n) => pio.writeUint32(INSTRUCTIONS + 4 * n, op));
  pio.writeUint32(CLKDIV, 125 << 16);
  pio.writeUint32(PINCTRL, (1 << 26) | (PIN << 5));
  mcu.gpio[PIN].ctrl = BY_PIO;
  pio.writeUint32(INSTR, SET_DIRECTION | 1);
  const edges = [];
  mcu.gpio[PIN].addListener((state) => {
    const first = state === 1 || edges.length; // before, it becomes an output
    if (first) edges.push([Math.round(mcu.clock.nanos / CYCLE), state]);
  });
  let made = 0;
  const [machine] = pio.machines;
  const step = machine.step.bind(machine);
  machine.step = () => {
    made++;
    step();
  };
  return { pio, edges, tick: (nanos) => mcu.clock.tick(nanos), steps: () => made };
}

test('pulses have the lengths that their counts say', () => {
  const { pio, edges, tick, steps } = board();
  pio.writeUint32(CTRL, 1);
  tick(200 * CYCLE);
  const gaps = edges.slice(1).map(([at], n) => at - edges[n][0]);
  assert.deepEqual(gaps, [23, 14, 23, 14, 23]);
  assert.deepEqual(
    edges.map(([, state]) => state),
    [1, 0, 1, 0, 1, 0],
  );
  assert.ok(steps() < 130, `${steps()} steps: each count was made one by one`);
});

test('who stops it in the middle and lets it go on loses no count', () => {
  const { pio, edges, tick } = board();
  pio.writeUint32(CTRL, 1);
  tick(12 * CYCLE);
  pio.writeUint32(CTRL, 0);
  tick(1000 * CYCLE);
  assert.equal(edges.length, 1);
  pio.writeUint32(CTRL, 1);
  tick(200 * CYCLE);
  const [[rose], [fell]] = edges;
  assert.ok(Math.abs(fell - rose - 1000 - 23) <= 2, `${fell - rose} cycles`);
});
