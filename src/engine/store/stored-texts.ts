/** Reads the texts of many passages in the order of their slots, in any thread. */
import { headingsAbove } from '../../core/text/passage-name.ts';
import { textChecksum } from '../text-sums.ts';
import type { StoredText } from '../types.ts';
import { DamagedDatabase, number, openDatabase, text, type Row } from './database.ts';

/** Rows fetched at once. */
const PORTION = 1_000;

/** Selects the rows of {@link storedText}. */
export const SELECT_TEXT = `
  SELECT p.slot, p.text, p.text_checksum, p.section, d.name, d.title
  FROM passages p JOIN documents d ON d.id = p.document`;

/**
 * @param path of the store's file
 * @throws DamagedDatabase for a text or headings that do not match their checksum
 */
export function storedText(row: Row, path: string): StoredText {
  const { section } = row;
  const stored = {
    slot: number(row, 'slot'),
    text: text(row, 'text'),
    headings: headingsAbove({
      documentId: text(row, 'name'),
      title: text(row, 'title'),
      section: typeof section === 'string' ? section : undefined,
    }),
  };
  if (textChecksum(stored.text, stored.headings) !== row['text_checksum'])
    throw new DamagedDatabase(path, `passage ${stored.slot} does not match its checksum`);
  return stored;
}

/**
 * The texts in some slots of a store, without slots that are gone. The store may be open elsewhere.
 *
 * @param path of the store's file
 * @param slots ascending
 * @throws ParallaxError `store-unusable`; DamagedDatabase as {@link storedText}
 */
export function* storedTexts(path: string, slots: Uint32Array): Generator<StoredText> {
  const db = openDatabase(path);
  try {
    const select = db.prepare(`${SELECT_TEXT} WHERE p.slot BETWEEN ? AND ? ORDER BY p.slot LIMIT ?`);
    const last = slots.at(-1) ?? -1;
    let position = 0;
    for (let from = slots[0] ?? 0; from <= last;) {
      const rows = select.all(from, last, PORTION);
      for (const row of rows) {
        const slot = Number(row['slot']);
        while (slots[position]! < slot) position++;
        if (slots[position] !== slot) continue;
        yield storedText(row, path);
      }
      if (rows.length < PORTION) return;
      from = Number(rows.at(-1)!['slot']) + 1;
    }
  } finally {
    db.close();
  }
}
