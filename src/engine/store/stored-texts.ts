/** Reads the texts of many passages in the order of their slots, in any thread. */
import { textChecksum } from '../text-sums.ts';
import type { Slot } from '../types.ts';
import { DamagedDatabase, openDatabase } from './database.ts';

/** Rows fetched at once. */
const PORTION = 1_000;

export interface StoredText {
  readonly slot: Slot;
  readonly text: string;
}

/**
 * The texts in some slots of a store, without slots that are gone. The store may be open elsewhere.
 *
 * @param path of the store's file
 * @param slots ascending
 * @throws ParallaxError `store-unusable`; DamagedDatabase for a text that does not match its checksum
 */
export function* storedTexts(path: string, slots: Uint32Array): Generator<StoredText> {
  const db = openDatabase(path);
  try {
    const select = db.prepare(
      'SELECT slot, text, text_checksum FROM passages WHERE slot BETWEEN ? AND ? ORDER BY slot LIMIT ?',
    );
    const last = slots.at(-1) ?? -1;
    let position = 0;
    for (let from = slots[0] ?? 0; from <= last;) {
      const rows = select.all(from, last, PORTION);
      for (const row of rows) {
        const slot = Number(row['slot']);
        while (slots[position]! < slot) position++;
        if (slots[position] !== slot) continue;
        const text = String(row['text']);
        if (textChecksum(text) !== row['text_checksum'])
          throw new DamagedDatabase(path, `passage ${slot} does not match its checksum`);
        yield { slot, text };
      }
      if (rows.length < PORTION) return;
      from = Number(rows.at(-1)!['slot']) + 1;
    }
  } finally {
    db.close();
  }
}
