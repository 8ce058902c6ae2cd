/**
 * The BM25 index against SQLite FTS5, on the same synthetic passages and queries in the same run.
 *
 *     node bench/bm25.ts [--passages 100000] [--json]
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { Bm25Index } from '../src/engine/bm25/bm25-index.ts';
import { LiveSlotSet } from '../src/engine/store/live-slots.ts';
import {
  megabytes,
  milliseconds,
  percentiles,
  table,
  thousands,
  timeEach,
  times,
  type Percentiles,
} from './support/report.ts';
import { SyntheticCorpus } from './support/synthetic-corpus.ts';

const PARAMS = { k1: 0.9, b: 0.4, variant: 'lucene', epsilon: 0.25 } as const;
const DEPTH = 100;
const FLUSH_EVERY = 100_000;
const QUERIES = 500;
const WARM_UP = 50;
/** FTS5 takes seconds per query on large collections. */
const REFERENCE_QUERIES = 50;
const UPDATE = 100;

interface Figures {
  readonly buildSeconds: number;
  readonly passagesPerSecond: number;
  readonly diskBytes: number;
  readonly reopenMs: number;
  readonly query: Percentiles;
  /** Time to add {@link UPDATE} passages and make them searchable. */
  readonly updateMs: number;
}

const { values: options } = parseArgs({
  options: { passages: { type: 'string', default: '100000' }, json: { type: 'boolean', default: false } },
});
const count = Number(options.passages);
const corpus = new SyntheticCorpus(1);
const passages = Array.from({ length: count }, () => corpus.passage());
const updates = Array.from({ length: UPDATE }, () => corpus.passage());
const queries = Array.from({ length: QUERIES }, () => corpus.query());
const rssBefore = process.memoryUsage.rss();

const folder = await mkdtemp(path.join(tmpdir(), 'parallax-bench-'));
try {
  const ours = await measureIndex(path.join(folder, 'bm25'));
  const reference = await measureFts5(path.join(folder, 'fts5.sqlite'));
  const ratios = {
    query: reference.query.p50 / ours.query.p50,
    build: ours.passagesPerSecond / reference.passagesPerSecond,
  };
  if (options.json) console.log(JSON.stringify({ passages: count, ours, reference, ratios }));
  else print(ours, reference, ratios);
} finally {
  await rm(folder, { recursive: true });
}

async function measureIndex(
  indexFolder: string,
): Promise<Figures & { memoryBytes: number; rssGrowth: number; peakRss: number; removedQuery: Percentiles }> {
  const live = new LiveSlotSet();
  const begun = performance.now();
  const { index } = await Bm25Index.open(indexFolder, 'english');
  for (const [slot, passage] of passages.entries()) {
    index.add(slot, passage);
    live.add(slot);
    if ((slot + 1) % FLUSH_EVERY === 0) {
      await index.flush();
      await index.merge(live);
    }
  }
  await index.flush();
  await index.merge(live);
  const buildSeconds = (performance.now() - begun) / 1000;
  const rssGrowth = process.memoryUsage.rss() - rssBefore;
  const peakRss = process.resourceUsage().maxRSS * 1024;

  const search = (query: string): void => void index.search(query, PARAMS, DEPTH, live);
  queries.slice(0, WARM_UP).forEach(search);
  const query = percentiles(timeEach(queries, search));
  const { memoryBytes, diskBytes } = index.stats;

  const reopenBegun = performance.now();
  await Bm25Index.open(indexFolder, 'english');
  const reopenMs = performance.now() - reopenBegun;

  const updateBegun = performance.now();
  for (const [i, passage] of updates.entries()) {
    index.add(count + i, passage);
    live.add(count + i);
  }
  await index.flush();
  const updateMs = performance.now() - updateBegun;

  for (let slot = 0; slot < count; slot += 10) live.delete(slot);
  queries.slice(0, WARM_UP).forEach(search);
  const removedQuery = percentiles(timeEach(queries, search));
  const passagesPerSecond = count / buildSeconds;
  return {
    buildSeconds,
    passagesPerSecond,
    diskBytes,
    reopenMs,
    query,
    updateMs,
    memoryBytes,
    rssGrowth,
    peakRss,
    removedQuery,
  };
}

async function measureFts5(file: string): Promise<Figures> {
  const begun = performance.now();
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  db.exec(
    `CREATE VIRTUAL TABLE passages USING fts5(text, content='', contentless_delete=1, tokenize='porter unicode61')`,
  );
  const insert = db.prepare('INSERT INTO passages (rowid, text) VALUES (?, ?)');
  const insertAll = (texts: readonly string[], firstRow: number): void => {
    db.exec('BEGIN');
    texts.forEach((text, i) => insert.run(firstRow + i, text));
    db.exec('COMMIT');
  };
  insertAll(passages, 1);
  db.exec("INSERT INTO passages (passages) VALUES ('optimize')");
  const buildSeconds = (performance.now() - begun) / 1000;

  const select = db.prepare('SELECT rowid, rank FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT ?');
  const search = (query: string): void => void select.all(query.split(' ').join(' OR '), DEPTH);
  const query = percentiles(timeEach(queries.slice(0, REFERENCE_QUERIES), search));

  const reopenBegun = performance.now();
  const again = new DatabaseSync(file, { readOnly: true });
  again.prepare('SELECT rowid FROM passages LIMIT 1').get();
  const reopenMs = performance.now() - reopenBegun;
  again.close();

  const updateBegun = performance.now();
  insertAll(updates, count + 1);
  const updateMs = performance.now() - updateBegun;
  db.close();
  const { size: diskBytes } = await stat(file);
  return { buildSeconds, passagesPerSecond: count / buildSeconds, diskBytes, reopenMs, query, updateMs };
}

function print(
  ours: Awaited<ReturnType<typeof measureIndex>>,
  reference: Figures,
  ratios: { query: number; build: number },
): void {
  const row = (name: string, figures: Figures): string[] => [
    name,
    thousands(figures.passagesPerSecond),
    milliseconds(figures.query.p50),
    milliseconds(figures.query.p99),
    megabytes(figures.diskBytes),
    milliseconds(figures.reopenMs),
    milliseconds(figures.updateMs),
  ];
  console.log(`${thousands(count)} passages, queries of 10 words, top ${DEPTH}\n`);
  console.log(
    table(
      ['', 'build passages/s', 'query p50 ms', 'p99 ms', 'disk MB', 'reopen ms', `+${UPDATE} ms`],
      [
        row('Parallax', ours),
        row('SQLite FTS5', reference),
        ['ratio', times(ratios.build), times(ratios.query)],
      ],
    ),
  );
  console.log(
    `\nIndex in memory ${megabytes(ours.memoryBytes)} MB; process grew by ${megabytes(ours.rssGrowth)} MB`,
  );
  console.log(`while building, ${megabytes(ours.peakRss)} MB at most (texts included).`);
  console.log(`With a tenth of the passages deleted: query p50 ${milliseconds(ours.removedQuery.p50)} ms.`);
}
