import type { AnalyzerName } from '../../../src/core/text/analyzer.ts';
import { Bm25Index } from '../../../src/engine/bm25/bm25-index.ts';
import type { Bm25Params } from '../../../src/engine/bm25/scoring.ts';
import { LiveSlotSet } from '../../../src/engine/store/live-slots.ts';
import type { TermTable } from '../../../src/engine/bm25/term-table.ts';
import '../../fixtures/built.ts';

export const LUCENE: Bm25Params = { k1: 0.9, b: 0.4, variant: 'lucene', epsilon: 0.25 };
export const OKAPI: Bm25Params = { k1: 1.5, b: 0.75, variant: 'okapi', epsilon: 0.25 };

export function liveSlots(slots: Iterable<number>): LiveSlotSet {
  const live = new LiveSlotSet();
  for (const slot of slots) live.add(slot);
  return live;
}

/** A flushed index of these passages. Defaults to an index in memory. */
export async function indexOf(
  passages: ReadonlyMap<number, string>,
  analyzer: AnalyzerName = 'simple',
  folder?: string,
): Promise<{ index: Bm25Index; live: LiveSlotSet }> {
  const { index } = await Bm25Index.open(folder, analyzer);
  for (const [slot, text] of passages) index.add(slot, text);
  await index.flush();
  return { index, live: liveSlots(passages.keys()) };
}

/** The word of an id, also if it is not valid UTF-16. */
export function wordOf(table: TermTable, id: number): string {
  const { buffer, byteOffset, byteLength } = table.units(id);
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf16le');
}

/** Slots 0, 1, 2, … */
export function numbered(texts: readonly string[]): Map<number, string> {
  return new Map(texts.entries());
}
