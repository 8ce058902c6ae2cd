import { ParallaxError } from '../../core/errors.ts';
import { grownArray } from '../grown-array.ts';
import { VectorMemory } from '../kernels/kernels.ts';
import type { Slot } from '../types.ts';

const NO_ROW = -1;

/** Vectors in memory and the slot of each: row numbers count from 0 in the order of appending. */
export class VectorTable {
  readonly memory: VectorMemory;
  #slots = new Uint32Array(1024);
  /** Row of each slot, or {@link NO_ROW}: slots are given out one by one, so the array stays dense. */
  #rowOf = new Int32Array(0);

  constructor(dimensions: number) {
    this.memory = new VectorMemory(dimensions);
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

  slotOf(row: number): Slot {
    return this.#slots[row]!;
  }

  /** The row of a slot; undefined when the slot has none. */
  rowOf(slot: Slot): number | undefined {
    const row = this.#rowOf[slot] ?? NO_ROW;
    return row === NO_ROW ? undefined : row;
  }

  /**
   * @param slots [n], none of which has a row (see {@link assertNew})
   * @param vectors [n, rowLength]
   */
  append(slots: Uint32Array, vectors: Float32Array, rowLength: number): void {
    const first = this.rows;
    this.memory.append(vectors, rowLength);
    this.#slots = grownArray(this.#slots, this.rows);
    this.#slots.set(slots, first);
    this.#rowOf = grownArray(this.#rowOf, slots.reduce((max, slot) => Math.max(max, slot), 0) + 1, NO_ROW);
    slots.forEach((slot, i) => (this.#rowOf[slot] = first + i));
  }

  /** @throws ParallaxError `bad-argument` when a slot has a row already, or is named twice. */
  assertNew(slots: Uint32Array): void {
    const seen = new Set<Slot>();
    for (const slot of slots) {
      if (this.rowOf(slot) !== undefined || seen.has(slot))
        throw new ParallaxError('bad-argument', `Passage ${slot} has a vector already.`);
      seen.add(slot);
    }
  }
}
