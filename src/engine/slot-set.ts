import type { Slot } from './types.ts';

const PAGE_BITS = 16;
const WORDS_PER_PAGE = 1 << (PAGE_BITS - 5);

/** A set of slots that stays small even if they are far apart. */
export class SlotSet {
  readonly #pages = new Map<number, Uint32Array<ArrayBuffer>>();

  has(slot: Slot): boolean {
    const word = this.#pages.get(slot >>> PAGE_BITS)?.[wordOf(slot)] ?? 0;
    return (word & bitOf(slot)) !== 0;
  }

  /** Bit i says whether it has the slot 32 × `index` + i. */
  word(index: number): number {
    return this.#pages.get(index >>> (PAGE_BITS - 5))?.[index & (WORDS_PER_PAGE - 1)] ?? 0;
  }

  add(slot: Slot): void {
    this.#page(slot >>> PAGE_BITS)[wordOf(slot)]! |= bitOf(slot);
  }

  addAll(slots: Uint32Array): void {
    let number = -1;
    let page = new Uint32Array();
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i]!;
      // Mostly the page of the slot before.
      if (slot >>> PAGE_BITS !== number) page = this.#page((number = slot >>> PAGE_BITS));
      page[wordOf(slot)]! |= bitOf(slot);
    }
  }

  delete(slot: Slot): void {
    const page = this.#pages.get(slot >>> PAGE_BITS);
    if (page) page[wordOf(slot)]! &= ~bitOf(slot);
  }

  #page(number: number): Uint32Array<ArrayBuffer> {
    let page = this.#pages.get(number);
    if (!page) this.#pages.set(number, (page = new Uint32Array(WORDS_PER_PAGE)));
    return page;
  }
}

const wordOf = (slot: Slot): number => (slot >>> 5) & (WORDS_PER_PAGE - 1);
const bitOf = (slot: Slot): number => 1 << (slot & 31);
