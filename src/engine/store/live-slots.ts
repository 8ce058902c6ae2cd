import { grownArray } from '../grown-array.ts';
import type { SlotSet } from '../slot-set.ts';
import { bySlot, type LiveSlots, type Slot, type SlotOrder } from '../types.ts';

/** A growing bitmap of the slots whose passages are currently in the corpus. */
export class LiveSlotSet implements LiveSlots {
  #bits = new Uint32Array(1024);
  #count = 0;
  #version = 0;
  readonly compare: SlotOrder;

  /** @param compare see {@link LiveSlots.compare} */
  constructor(compare: SlotOrder = bySlot) {
    this.compare = compare;
  }

  get version(): number {
    return this.#version;
  }

  get count(): number {
    return this.#count;
  }

  has(slot: Slot): boolean {
    return ((this.#bits[slot >>> 5] ?? 0) & (1 << (slot & 31))) !== 0;
  }

  add(slot: Slot): void {
    if (this.has(slot)) return;
    const word = slot >>> 5;
    if (word >= this.#bits.length) {
      const grown = new Uint32Array(Math.max(word + 1, this.#bits.length * 2));
      grown.set(this.#bits);
      this.#bits = grown;
    }
    this.#bits[word] = this.#bits[word]! | (1 << (slot & 31));
    this.#count++;
    this.#version++;
  }

  delete(slot: Slot): void {
    if (!this.has(slot)) return;
    this.#bits[slot >>> 5] = this.#bits[slot >>> 5]! & ~(1 << (slot & 31));
    this.#count--;
    this.#version++;
  }

  replace(slots: readonly Slot[]): void {
    this.#bits.fill(0);
    this.#count = 0;
    this.#version++;
    for (const slot of slots) this.add(slot);
  }

  /** The slots that `set` lacks, ascending. Compares words of bits, so slots in both sets cost nothing each. */
  without(set: Pick<SlotSet, 'word'>): Uint32Array {
    let result = new Uint32Array(1024);
    let count = 0;
    for (let word = 0; word < this.#bits.length; word++)
      for (let bits = this.#bits[word]! & ~set.word(word); bits !== 0; bits &= bits - 1) {
        result = grownArray(result, count + 1);
        result[count++] = word * 32 + (31 - Math.clz32(bits & -bits));
      }
    return result.subarray(0, count);
  }

  /** In ascending order. */
  *[Symbol.iterator](): Generator<Slot> {
    for (let word = 0; word < this.#bits.length; word++)
      for (let bits = this.#bits[word]!; bits !== 0; bits &= bits - 1)
        yield word * 32 + (31 - Math.clz32(bits & -bits));
  }
}
