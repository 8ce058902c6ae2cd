// Converts values of the program to JSON. Calls no code of the program except `toString` of known kinds of ids and the
// row access of Arrow tables; does not read accessors, except for a few names that contain texts.
import { EventEmitter } from 'node:events';
import { types } from 'node:util';

const MAX_TEXT = 100_000;
const MAX_ITEMS = 200;
const MAX_DEPTH = 8;
const MAX_NODES = 20_000;
/** As many characters as a message may have. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** Longer lists of numbers are vectors. */
const MAX_NUMBERS = 16;
const MAX_DIMENSIONS = 8192;
/** Accessors of classes for the parts of a passage. */
const ACCESSORS = [
  'id',
  'text',
  'content',
  'pageContent',
  'score',
  'metadata',
  'payload',
  'properties',
  'document',
];

const SPECIAL = [
  Array,
  ArrayBuffer,
  Date,
  Error,
  EventEmitter,
  Map,
  Promise,
  RegExp,
  Set,
  URL,
  WeakMap,
  Object.getPrototypeOf(Uint8Array),
];

/**
 * A deep copy, except for strings. `$cut` if it has too many characters, because passages without their texts mislead.
 *
 * @param most number of values over all levels
 */
export function snapshot(value, most = MAX_NODES) {
  const state = { left: most, characters: MAX_CHARACTERS, seen: new Set() };
  const copied = copy(value, 0, state);
  return state.characters < 0 ? { $cut: 'size' } : copied;
}

/**
 * A list of passages as it is now, for a later {@link snapshot}. Each passage's own fields are copied; what is within
 * them, such as metadata, is not. Other values are copied deeply.
 */
export function copies(value) {
  if (!Array.isArray(value) || value.length > MAX_ITEMS) return new Copied(snapshot(value));
  return value.map(fieldsNow);
}

class Copied {
  value;
  constructor(value) {
    this.value = value;
  }
}

class Fields {
  name;
  entries;
  constructor(name, entries) {
    this.name = name;
    this.entries = entries;
  }
}

function fieldsNow(value) {
  if (typeof value !== 'object' || value === null) return value;
  try {
    const name = types.isProxy(value) ? undefined : nameOf(Object.getPrototypeOf(value));
    if (name === undefined) return new Copied(snapshot(value));
    const entries = [];
    for (const key of Object.keys(value)) {
      const property = Object.getOwnPropertyDescriptor(value, key);
      if (property.get || entries.length === MAX_ITEMS) return new Copied(snapshot(value));
      entries.push([key, property.value]);
    }
    return new Fields(name, entries);
  } catch {
    return new Copied({ $cut: 'error' });
  }
}

/** By prototype: the name of the class, `undefined` if more than its fields is read of its objects. */
const NAMES = new WeakMap([[Object.prototype, '']]);

function nameOf(prototype) {
  if (NAMES.has(prototype)) return NAMES.get(prototype);
  if (prototype === null) return '';
  const isKnown = SPECIAL.some((kind) => prototype instanceof kind || prototype === kind.prototype);
  const isRead =
    '_bsontype' in prototype || 'numRows' in prototype || ACCESSORS.some((key) => isAccessor(prototype, key));
  const name = prototype.constructor?.name;
  const found = isKnown || isRead || typeof name !== 'string' ? undefined : name;
  NAMES.set(prototype, found);
  return found;
}

function copy(value, depth, state) {
  if (state.characters < 0) return null;
  if (value instanceof Fields) return copyFields(value.entries, value.name, depth, state);
  if (value instanceof Copied) return value.value;
  if (typeof value === 'string') {
    state.characters -= Math.min(value.length, MAX_TEXT);
    return value.length > MAX_TEXT ? { $text: value.slice(0, MAX_TEXT), length: value.length } : value;
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'object') return value === null ? null : copyObject(value, depth, state);
  return typeof value === 'boolean' ? value : undefined;
}

function copyObject(value, depth, state) {
  if (--state.left < 0) return { $cut: 'size' };
  try {
    const plain = ofKnownKind(value);
    if (plain !== undefined) return plain;
    if (state.seen.has(value)) return { $cut: 'cycle' };
    if (depth >= MAX_DEPTH || isMachinery(value)) return { $cut: 'depth' };
    state.seen.add(value);
    try {
      if (Array.isArray(value)) return copyList(value, depth, state);
      if (isTable(value)) return copyList(value.slice(0, MAX_ITEMS + 1).toArray(), depth, state);
      if (value instanceof Map) return copyFields(first(value, MAX_ITEMS), undefined, depth, state);
      if (value instanceof Set) return copyList(first(value, MAX_ITEMS + 1), depth, state);
      return copyInstance(value, depth, state);
    } finally {
      state.seen.delete(value);
    }
  } catch {
    return { $cut: 'error' };
  }
}

/** Without going through millions of entries. */
function first(iterable, most) {
  const found = [];
  for (const each of iterable) if (found.push(each) === most) break;
  return found;
}

function ofKnownKind(value) {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof URL || value instanceof RegExp) return String(value);
  if (ArrayBuffer.isView(value)) return ofView(value);
  if (value instanceof ArrayBuffer) return { $bytes: value.byteLength };
  // BSON ids and numbers convert themselves to strings.
  if (typeof value._bsontype === 'string' && typeof value.toString === 'function') return String(value);
  if (value instanceof Error) return { $type: value.name, message: value.message };
  return undefined;
}

function ofView(value) {
  if (value instanceof Float32Array || value instanceof Float64Array) return vector(value);
  return { $bytes: value.byteLength };
}

function vector(numbers) {
  if (numbers.length > MAX_DIMENSIONS) return { $vector: numbers.length };
  const floats = Float32Array.from(numbers);
  return { $vector: numbers.length, f32: Buffer.from(floats.buffer).toString('base64') };
}

/** A table of Apache Arrow: columns from which rows are read. */
export function isTable(value) {
  return (
    typeof value?.numRows === 'number' &&
    Array.isArray(value.schema?.fields) &&
    typeof value.slice === 'function' &&
    typeof value.toArray === 'function'
  );
}

function isMachinery(value) {
  return value instanceof EventEmitter || value instanceof Promise || value instanceof WeakMap;
}

function copyList(list, depth, state) {
  if (
    list.length > MAX_NUMBERS &&
    typeof list[0] === 'number' &&
    list.every((each) => typeof each === 'number')
  )
    return vector(list);
  const copied = [];
  for (let at = 0; at < list.length && at < MAX_ITEMS; at++)
    copied.push(copy(list[at], depth + 1, state) ?? null);
  if (list.length > MAX_ITEMS) copied.push({ $more: list.length - MAX_ITEMS });
  return copied;
}

function copyInstance(value, depth, state) {
  const prototype = Object.getPrototypeOf(value);
  const isPlain = prototype === null || prototype === Object.prototype;
  const name = isPlain ? undefined : prototype.constructor?.name;
  const entries = [];
  for (const key of Object.keys(value)) {
    if (entries.length >= MAX_ITEMS) break;
    const property = Object.getOwnPropertyDescriptor(value, key);
    // A proxy such as an Arrow row describes its properties without their values.
    if (types.isProxy(value)) entries.push([key, value[key]]);
    else if (property && !property.get) entries.push([key, property.value]);
    else if (!isPlain || ACCESSORS.includes(key)) entries.push([key, value[key]]);
  }
  if (!isPlain)
    for (const key of ACCESSORS)
      if (!Object.hasOwn(value, key) && isAccessor(prototype, key)) entries.push([key, value[key]]);
  return copyFields(entries, name, depth, state);
}

function isAccessor(prototype, key) {
  for (let up = prototype; up && up !== Object.prototype; up = Object.getPrototypeOf(up)) {
    const property = Object.getOwnPropertyDescriptor(up, key);
    if (property) return property.get !== undefined;
  }
  return false;
}

function copyFields(entries, name, depth, state) {
  const copied = {};
  if (name !== undefined && name !== '' && name !== 'Object') copied.$type = name;
  for (const [key, value] of entries) {
    state.characters -= String(key).length;
    const own = copy(value, depth + 1, state);
    if (own !== undefined && key !== '__proto__') copied[String(key)] = own;
  }
  return copied;
}
