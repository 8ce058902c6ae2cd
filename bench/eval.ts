/**
 * `parallax eval` on the debate data: its quality compared with reference scores, and the time of all queries on a warm
 * index as a ratio to one naive pass over the corpus for each query, in the same run.
 *
 *   npm run bench -- eval [--json]
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEvalSet } from '../src/core/formats/queries.ts';
import { parseQrels } from '../src/core/formats/exchange/trec.ts';
import { measuresAt } from '../src/core/metrics/measures.ts';
import { BUILT_IN_PIPELINES } from '../src/core/pipeline.ts';
import { DEBATE, openDebate } from './support/debate.ts';
import { evaluate } from './support/evaluate.ts';
import { milliseconds, table, times } from './support/report.ts';

/** From an independent implementation; see the README of the data. */
const REFERENCE: Record<string, number> = { 'MRecall@5': 0.584, 'Precision@5': 0.68, 'MRecall@10': 0.73 };
/** The naive pass is slow, and a few queries are enough for its mean. */
const NAIVE_QUERIES = 10;

if (!existsSync(DEBATE)) {
  process.stderr.write(`${DEBATE} is absent: there is nothing to measure.\n`);
  process.exit(1);
}

const read = (name: string): string => readFileSync(path.join(DEBATE, name), 'utf8');
const { queries } = parseEvalSet(read('queries.jsonl'), 'queries.jsonl');
const { qrels } = parseQrels(read('qrels.diversity.txt'));
const texts = read('corpus.jsonl')
  .trimEnd()
  .split('\n')
  .map((line) => (JSON.parse(line) as { text: string }).text.toLowerCase());

const store = mkdtempSync(path.join(tmpdir(), 'parallax-bench-'));
const { corpus, services, close } = await openDebate(store);
const pipeline = BUILT_IN_PIPELINES.bm25;
const evaluateAll = () => evaluate({ corpus, services }, pipeline, queries, qrels, measuresAt([5, 10]), 100);
await evaluateAll(); // warm
const begun = performance.now();
const { scores } = await evaluateAll();
const elapsed = performance.now() - begun;

const naiveBegun = performance.now();
for (const { text } of queries.slice(0, NAIVE_QUERIES)) countWords(text.toLowerCase().split(/\W+/u));
const naive = ((performance.now() - naiveBegun) / NAIVE_QUERIES) * queries.length;
await close();
rmSync(store, { recursive: true });

/** The cost of a query without an index: compares every word with every passage. */
function countWords(words: readonly string[]): number {
  return texts.reduce((sum, text) => sum + words.filter((word) => text.includes(word)).length, 0);
}

const figures = Object.entries(REFERENCE).map(([name, reference]) => ({
  name,
  measured: scores.mean[name] ?? 0,
  reference,
}));
if (process.argv.includes('--json'))
  process.stdout.write(`${JSON.stringify({ figures, elapsedMs: elapsed, naiveMs: naive })}\n`);
else {
  const percent = (value: number): string => (value * 100).toFixed(1);
  const rows = figures.map(({ name, measured, reference }) => [name, percent(measured), percent(reference)]);
  process.stdout.write(`${table(['debate, 178 queries, BM25', 'Parallax', 'reference'], rows)}\n\n`);
  process.stdout.write(
    `All ${queries.length} queries with all measures on a warm index: ${milliseconds(elapsed)} ms, ` +
      `${times(naive / elapsed)} faster than a naive pass per query (${milliseconds(naive)} ms).\n`,
  );
}
