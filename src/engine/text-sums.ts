import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { SlotSet } from './slot-set.ts';
import type { Slot } from './types.ts';

/** Identity of a passage's text. 128 bits are plenty against accidents. */
export function textHash(text: string): string {
  return hash('sha256', text).slice(0, 32);
}

/** Identity of a document's content: its words, in any order and however it is split into passages. */
export function wordsHash(texts: readonly string[]): string {
  const words = new Set(texts.flatMap((text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []));
  return textHash([...words].sort().join(' '));
}

/** Checksum of a passage's text, in the store and in every file derived from the passage. */
export function textChecksum(text: string): number {
  return crc32(text);
}

/**
 * Checksums of the texts of a store, by slot. They show whether a file was derived from these passages: a file of
 * another store, of a diverged copy, or of an earlier state that was restored has other texts in some of its slots.
 */
export class TextSums {
  readonly #known = new SlotSet();
  readonly #sums: Uint32Array;
  readonly #lastSlot: Slot;

  /**
   * @param slots [n] of all passages, including those of incomplete files
   * @param sums [n] of their texts, by {@link textChecksum}
   * @param lastSlot the highest slot ever assigned
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
   * Whether something was derived from the passages of this store. Slots of deleted passages are never assigned
   * again, so their content does not matter. Slots that were never assigned may get other passages.
   *
   * @param slots [n]
   * @param sums [n] of the texts that it was derived from
   */
  fit(slots: Uint32Array, sums: Uint32Array): boolean {
    return slots.every((slot, place) =>
      this.#known.has(slot) ? this.#sums[slot] === sums[place] : slot <= this.#lastSlot,
    );
  }

  /** The checksums of some passages of the store. */
  of(slots: Uint32Array): Uint32Array {
    return slots.map((slot) => this.#sums[slot] ?? 0);
  }
}
