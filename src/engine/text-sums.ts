import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { SlotSet } from './slot-set.ts';
import type { Slot } from './types.ts';

/** Identity of a passage's text; 128 bits are plenty against accidents. */
export function textHash(text: string): string {
  return hash('sha256', text).slice(0, 32);
}

/** Identity of what a document says: its words, in whichever order and however it is cut into passages. */
export function wordsHash(texts: readonly string[]): string {
  const words = new Set(texts.flatMap((text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []));
  return textHash([...words].sort().join(' '));
}

/** Checksum of a passage's text: in the store, and in every file that is derived from the passage. */
export function textChecksum(text: string): number {
  return crc32(text);
}

/**
 * Checksums of the texts of a store, by slot: what tells whether a file that was derived from passages was derived
 * from these. A file of another store, of a copy that went its own way, or of an earlier state that was put back has
 * other texts in some of its slots.
 */
export class TextSums {
  readonly #known = new SlotSet();
  readonly #sums: Uint32Array;
  readonly #lastSlot: Slot;

  /**
   * @param slots [n] of all passages, also of files that are not whole
   * @param sums [n] of their texts, by {@link textChecksum}
   * @param lastSlot that was ever given out
   */
  constructor(slots: readonly Slot[], sums: readonly number[], lastSlot: Slot) {
    this.#sums = new Uint32Array(lastSlot + 1);
    this.#lastSlot = lastSlot;
    for (const [place, slot] of slots.entries()) {
      this.#known.add(slot);
      this.#sums[slot] = sums[place]!;
    }
  }

  /**
   * Whether something was derived from the passages of this store. Slots whose passage is gone are never given out
   * again, so that nobody asks for what stands there; those that were never given out may become another passage's.
   *
   * @param slots [n]
   * @param sums [n] of the texts that it was derived from
   */
  fit(slots: Uint32Array, sums: Uint32Array): boolean {
    return slots.every((slot, place) =>
      this.#known.has(slot) ? this.#sums[slot] === sums[place] : slot <= this.#lastSlot,
    );
  }

  /** Of some passages that the store has. */
  of(slots: Uint32Array): Uint32Array {
    return slots.map((slot) => this.#sums[slot] ?? 0);
  }
}
