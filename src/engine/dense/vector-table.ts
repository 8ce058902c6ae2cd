import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { grownArray } from '../grown-array.ts';
import { QuantizedMemory } from '../kernels/quantized-memory.ts';
import { VectorMemory } from '../kernels/vector-memory.ts';
import { SlotSet } from '../slot-set.ts';
import type { Slot } from '../types.ts';

const NO_ROW = -1;
const QUANTIZED_AT_A_TIME = 2048;

/** Vectors in memory and the slot of each. Row numbers start at 0, in the order of appending. */
export class VectorTable {
  readonly memory: VectorMemory;
  /** The first rows again, in 8 bits each. Empty until {@link quantizeMore} is called. */
  readonly quantized: QuantizedMemory;
  /** The slots that have a row. */
  readonly held = new SlotSet();
  #slots = new Uint32Array(1024);
  #texts = new Uint32Array(1024);
  /** Row of each slot, or {@link NO_ROW}. Slots are assigned one by one, so the array stays dense. */
  #rowOf = new Int32Array(0);

  constructor(dimensions: number) {
    this.memory = new VectorMemory(dimensions);
    this.quantized = new QuantizedMemory(dimensions);
  }

  get rows(): number {
    return this.memory.rows;
  }

  get dimensions(): number {
    return this.memory.dimensions;
  }

  /** Slots of all rows, in row order: a view. */
  get slots(): Uint32Array {
    return this.#slots.subarray(0, this.rows);
  }

  /** Checksums of the texts that the rows were made from, in row order: a view. */
  get texts(): Uint32Array {
    return this.#texts.subarray(0, this.rows);
  }

  slotOf(row: number): Slot {
    return this.#slots[row]!;
  }

  /** The row of a slot. `undefined` if the slot has none. */
  rowOf(slot: Slot): number | undefined {
    const row = this.#rowOf[slot] ?? NO_ROW;
    return row === NO_ROW ? undefined : row;
  }

  /**
   * @param slots [n], none of which has a row (see {@link assertNew})
   * @param vectors [n, rowLength]
   * @param texts [n], checksums of the texts in the slots
   */
  append(
    slots: Uint32Array,
    vectors: Float32Array,
    rowLength: number,
    texts: Uint32Array = new Uint32Array(slots.length),
  ): void {
    const first = this.rows;
    this.memory.append(vectors, rowLength);
    this.#register(slots, texts, first);
  }

  /** See `VectorMemory.room`. */
  room(rows: number): Uint8Array[] {
    return this.memory.room(rows);
  }

  /** Assigns these slots, none of which has a row, to the first rows of the reserved {@link room}. */
  take(slots: Uint32Array, texts: Uint32Array): void {
    const first = this.rows;
    this.memory.take(slots.length);
    this.#register(slots, texts, first);
  }

  /** See `VectorMemory.sums`. */
  sums(rows: number): Uint8Array {
    return this.memory.sums(rows);
  }

  forget(): void {
    this.memory.forget();
  }

  #register(slots: Uint32Array, texts: Uint32Array, first: number): void {
    this.#texts = grownArray(this.#texts, this.rows);
    this.#texts.set(texts, first);
    this.#slots = grownArray(this.#slots, this.rows);
    this.#slots.set(slots, first);
    const last = slots.reduce((max, slot) => Math.max(max, slot), 0);
    const rowOf = (this.#rowOf = grownArray(this.#rowOf, last + 1, NO_ROW));
    for (let i = 0; i < slots.length; i++) rowOf[slots[i]!] = first + i;
    this.held.addAll(slots);
  }

  /**
   * Adds some of the rows that are not yet {@link quantized}, at least one if there are any.
   *
   * @throws ParallaxError `store-unusable` if the machine has no memory left for them
   */
  quantizeMore(): void {
    const from = this.quantized.rows;
    const to = Math.min(from + QUANTIZED_AT_A_TIME, this.rows);
    const rows = new Float32Array((to - from) * this.dimensions);
    for (let row = from; row < to; row++) rows.set(this.memory.row(row), (row - from) * this.dimensions);
    this.quantized.append(rows);
  }

  /** @throws ParallaxError `bad-argument` if a slot has a row already, or is named twice */
  assertNew(slots: Uint32Array): void {
    const newSlots = new Set<Slot>();
    for (const slot of slots) {
      if (this.rowOf(slot) !== undefined || newSlots.has(slot))
        throw new ParallaxError('bad-argument', l10n.t`Passage ${slot} has a vector already.`);
      newSlots.add(slot);
    }
  }
}
