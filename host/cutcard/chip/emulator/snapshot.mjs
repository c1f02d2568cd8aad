// A Pico as it is at one moment, in a file: memory, flash, registers, and what every part waits for.
//
// A Pico that has just been made consists of the same objects and functions in the same places each
// time. So each of them is known by its number, and the file has what the objects hold: numbers and
// bytes, references to each other by number, and the plain arrays and objects that came later.
// Whatever is neither stops it with its name.
import fs from 'node:fs';
import v8 from 'node:v8';
import zlib from 'node:zlib';

// Not the board's: who watches it, the translated code, and what never changes. The flash has a
// file of its own.
const LEFT_OUT = new Set(['world', 'translator', 'flash16', 'logger', 'shape', 'bootrom', 'bootRom']);
const FLASH = 0x200000;

const isFunction = (value) => typeof value === 'function';
const isObject = (value) => isFunction(value) || (typeof value === 'object' && value !== null);
const isBytes = (value) => ArrayBuffer.isView(value) && !(value instanceof DataView);
const isLeftOut = (name, value) =>
  LEFT_OUT.has(name) ||
  value instanceof DataView ||
  value instanceof Set ||
  (isBytes(value) && value.length === FLASH);

/** What a Pico is made of, each by its number. */
export class Shape {
  constructor(pico) {
    this.objects = [pico];
    this.numbers = new Map([[pico, 0]]);
    for (const object of this.objects) {
      if (isBytes(object) || isFunction(object)) continue;
      for (const [name, value] of Object.entries(object))
        if (isObject(value) && !isLeftOut(name, value) && !this.numbers.has(value)) {
          this.numbers.set(value, this.objects.length);
          this.objects.push(value);
        }
    }
  }
}

export function save(pico, extra, file) {
  const { objects, numbers } = pico.shape;
  const contents = objects.map((object, number) => contentOf(object, numbers, `object ${number}`));
  const bytes = v8.serialize({ contents, extra });
  fs.writeFileSync(file, zlib.deflateRawSync(bytes, { level: 1 }));
}

/** Make a Pico that was just made like the one that was saved; whatever else was saved with it. */
export function restore(pico, file) {
  const { objects } = pico.shape;
  const { contents, extra } = v8.deserialize(zlib.inflateRawSync(fs.readFileSync(file)));
  if (contents.length !== objects.length) throw new Error(`${file} is of another emulator`);
  contents.forEach((content, number) => {
    const object = objects[number];
    if (isBytes(object)) object.set(content);
    else if (!isFunction(object)) {
      if (Array.isArray(object)) object.length = content.length;
      for (const [name, value] of content.values) object[name] = decoded(value, objects);
    }
  });
  return extra;
}

function contentOf(object, numbers, where) {
  if (isFunction(object)) return null;
  if (isBytes(object)) return object.slice();
  const values = Object.entries(object)
    .filter(([name, value]) => !isLeftOut(name, value))
    .map(([name, value]) => [name, encoded(value, numbers, `${where}.${name}`)]);
  return { values, length: object.length };
}

function encoded(value, numbers, where) {
  if (!isObject(value)) return { is: value };
  if (numbers.has(value)) return { number: numbers.get(value) };
  if (isBytes(value)) return { is: value.slice() };
  if (value instanceof Date) return { is: value }; // of the clock of days
  if (Array.isArray(value)) return { row: value.map((each) => encoded(each, numbers, where)) };
  if (isFunction(value) || Object.getPrototypeOf(value) !== Object.prototype)
    throw new Error(`${where} is a new ${value.constructor.name}, which no snapshot knows`);
  const fields = Object.entries(value).map(([name, each]) => [name, encoded(each, numbers, where)]);
  return { fields };
}

function decoded(value, objects) {
  if ('is' in value) return value.is;
  if ('number' in value) return objects[value.number];
  if ('row' in value) return value.row.map((each) => decoded(each, objects));
  return Object.fromEntries(value.fields.map(([name, each]) => [name, decoded(each, objects)]));
}
