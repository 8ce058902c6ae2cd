/** A corpus of short passages, the indexes over it, and their answers. */
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { openPlainIndex } from '../../../bench/support/plain-index.ts';
import { DEFAULT_BM25, type DenseRetriever } from '../../../src/core/pipeline.ts';
import type { CorpusIndex } from '../../../src/engine/corpora/corpus-index.ts';
import type { Hit, WorkOptions } from '../../../src/engine/types.ts';
import '../../fixtures/built.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

export const PASSAGES = 5000;
const WORDS = 'bridge river school tax vaccine harvest court signal wool engine'.split(' ');
export const DENSE: DenseRetriever = { type: 'dense', embedder: 'hashing', search: 'exact', ef: 100 };
/** The number of passages from which threads derive the indexes. */
export const IN_THREADS = 0;
export const HERE = Infinity;

const textOf = (n: number): string =>
  `${WORDS[n % 10]} ${WORDS[(n * 7) % 9]} number${n % 977} naïve 東京 ${WORDS[(n >> 3) % 10]} only${n}`;

/** A folder with a corpus. */
export function workspace(t: TestContext): string {
  const folder = temporaryFolder(t);
  write(folder, 0, PASSAGES);
  return folder;
}

/** A file with the passages of these numbers. */
export function write(folder: string, from: number, to: number): void {
  const numbers = Array.from({ length: to - from }, (_, i) => from + i);
  const lines = numbers.map((n) => `${JSON.stringify({ _id: `p${n}`, text: textOf(n) })}\n`);
  writeFileSync(path.join(folder, `corpus-${from}.jsonl`), lines.join(''));
}

/** @param store a folder within `folder`, or an absolute path */
export function openIndex(
  folder: string,
  store: string,
  threadsFrom: number,
  segmentPassages?: number,
): Promise<CorpusIndex> {
  const corpus = { roots: ['.'], include: ['*.jsonl'] };
  const dimensions = 64;
  return openPlainIndex({
    folder,
    store: path.resolve(folder, store),
    corpus,
    dimensions,
    threadsFrom,
    segmentPassages,
  });
}

/** The passages that the index finds, by their ids. */
export async function answers(index: CorpusIndex, work: WorkOptions = {}): Promise<unknown[]> {
  const named = (hits: readonly Hit[]): unknown[] =>
    hits.map(({ item, score }) => [index.passageId(item), score]);
  const found: unknown[] = [];
  for (const query of ['river tax', 'number5 only17', 'naive 東京 signal', 'only4999 wool']) {
    found.push(named((await index.searches.bm25(query, DEFAULT_BM25, 20, work)).hits));
    found.push(named((await index.searches.dense(query, DENSE, 20, work)).hits));
  }
  return found;
}

/** Files in the folder of derived indexes that belong to no index. */
export function leftovers(folder: string, store: string): string[] {
  const place = path.resolve(folder, store);
  const derived = readdirSync(place).find((name) => name.startsWith('derived-'))!;
  return readdirSync(path.join(place, derived)).filter((name) => /ahead|building/u.test(name));
}
