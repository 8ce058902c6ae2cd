/** Searches of one open corpus, with a service that runs a task during a search. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { CorpusIndex } from '../../../src/engine/corpora/corpus-index.ts';

import { Embedders } from '../../../src/engine/embedders/embedders.ts';
import { CachedSearches } from '../../../src/engine/experiment/cached-searches.ts';
import { SearchCache } from '../../../src/engine/experiment/search-cache.ts';
import { JudgementCache } from '../../../src/engine/judgements/judgement-cache.ts';
import { Judges } from '../../../src/engine/judges/judges.ts';
import { CrossEncoders } from '../../../src/engine/rerankers/cross-encoders.ts';
import type { PipelineServices } from '../../../src/engine/retrieval/pipeline-services.ts';
import { openDatabase, type Database } from '../../../src/engine/store/database.ts';
import { corpusSchema } from '../../../src/shared/config.ts';
import '../../fixtures/built.ts';

const unasked = (): never => assert.fail('nobody asks for this');
const QUERY = { text: 'dam', perspectives: [{ id: 'p', text: 'dams' }] };
/** Asks for verdicts during every search. */
const ASKING = parsePipeline({
  retriever: { type: 'bm25' },
  rerank: [{ type: 'coverage', judge: 'labels' }],
});

interface Opened {
  readonly index: CorpusIndex;
  readonly database: Database;
  readonly logged: string[];
  readonly searches: CachedSearches;
  /** The number of searches that were run. */
  readonly made: () => number;
  /** The number of cached outcomes. */
  readonly kept: () => number;
  write(...texts: string[]): void;
}

async function open(
  t: TestContext,
  during: (opened: Opened) => Promise<void> = () => Promise.resolve(),
  { keepsJudged = true } = {},
): Promise<Opened> {
  const base = mkdtempSync(path.join(tmpdir(), 'parallax-searches-'));
  const config = { base, embedders: {}, keys: {}, judges: {}, trusted: true, approximateAbove: 1000 };
  const embedders = new Embedders(config);
  const write = (...texts: string[]): void =>
    writeFileSync(path.join(base, 'corpus.jsonl'), texts.map((text) => JSON.stringify({ text })).join('\n'));
  write('a dam', 'a dam and a fish');
  const index = await CorpusIndex.open(
    {
      name: 'corpus',
      base,
      config: corpusSchema.parse({ roots: ['corpus.jsonl'], split: { type: 'none' } }),
      excludeGlobs: [],
      store: path.join(base, 'store'),
    },
    {
      embedder: (name) => embedders.get(name),
      crossEncoders: new CrossEncoders(config),
      externals: { search: unasked, store: unasked },
      approximateAbove: config.approximateAbove,
      log: unasked,
    },
  );
  t.after(async () => {
    await index.close();
    rmSync(base, { recursive: true, force: true });
  });
  await index.update({});
  const database = openDatabase(':memory:');
  const logged: string[] = [];
  let made = 0;
  const services: PipelineServices = {
    propose: unasked,
    rewrite: unasked,
    split: unasked,
    judgeFacts: () => Promise.resolve({ byPassage: false, isSampled: false }),
    measuredCorrelation: () => Promise.resolve(undefined),
    texts: (slots) => slots.map(() => ''),
    verdicts: async (_judge, _query, pairs) => {
      if (made++ === 0) await during(opened);
      return pairs.map(() => 'yes');
    },
  };
  const opened: Opened = {
    index,
    database,
    logged,
    write,
    made: () => made,
    kept: () => Number(database.prepare('SELECT count(*) AS kept FROM searches_5').get()!['kept']),
    searches: new CachedSearches({
      keepsJudged,
      index,
      services,
      cache: new SearchCache(database),
      identities: {
        config: { ...config, generator: undefined, labelsFile: undefined },
        embedders,
        judges: new Judges(config, new JudgementCache(database), undefined),
      },
      log: (line) => logged.push(line),
    }),
  };
  return opened;
}

test('a search runs once while the corpus stays the same', async (t) => {
  const { searches, made } = await open(t);
  const search = await searches.prepare(ASKING, 10);
  const first = await search(QUERY, {});
  assert.deepEqual(await search(QUERY, {}), first, 'with the time it took then');
  assert.equal(made(), 1);
  await (
    await searches.prepare(ASKING, 9)
  )(QUERY, {});
  assert.equal(made(), 2, 'another depth is another search');
  await (
    await searches.prepare({ ...ASKING, k: ASKING.k + 1 }, 10)
  )(QUERY, {});
  assert.equal(made(), 3, 'so is another top to cover');
});

test('results from during a corpus change are cached for neither state', async (t) => {
  const { searches, made, write, index } = await open(t, async (opened) => {
    opened.write('a dam', 'a dam and a fish', 'another dam');
    await opened.index.update({});
  });
  const before = index.fingerprint;
  const search = await searches.prepare(ASKING, 10);
  await search(QUERY, {});
  await search(QUERY, {});
  assert.equal(made(), 2, 'not for the new state');
  write('a dam', 'a dam and a fish');
  await index.update({});
  assert.equal(index.fingerprint, before, 'what was taken away again leaves the former state');
  await search(QUERY, {});
  assert.equal(made(), 3, 'not for the former state');
});

test('a fingerprint survives a restart and changes with a rebuild', async (t) => {
  const { index } = await open(t);
  const ref = { ...index.ref, store: `${index.ref.store}-2` };
  const fingerprint = async (): Promise<string> => {
    const own = await CorpusIndex.open(ref, {
      embedder: unasked,
      crossEncoders: { score: unasked },
      externals: { search: unasked, store: unasked },
      approximateAbove: 1000,
      log: unasked,
    });
    await own.update({});
    const found = own.fingerprint;
    await own.close();
    return found;
  };
  const first = await fingerprint();
  assert.equal(await fingerprint(), first);
  rmSync(ref.store, { recursive: true });
  assert.notEqual(await fingerprint(), first);
});

test('searches run even if the cache fails', async (t) => {
  const { searches, made, database, logged } = await open(t);
  const search = await searches.prepare(ASKING, 10);
  database.close();
  assert.equal((await search(QUERY, {})).slots.length, 2);
  await search(QUERY, {});
  assert.equal(made(), 2);
  assert.match(logged[0] ?? '', /cache of searches failed/u);
});

test('the time of a search is that of its first run', async (t) => {
  const { searches } = await open(t);
  const before = performance.now();
  const { milliseconds } = await (await searches.prepare(ASKING, 10))(QUERY, {});
  assert.ok(milliseconds > 0 && milliseconds <= performance.now() - before);
});

test('without a judgement file, searches that read judgements are repeated and others cached', async (t) => {
  const { searches, made, kept } = await open(t, undefined, { keepsJudged: false });
  const search = await searches.prepare(ASKING, 10);
  await search(QUERY, {});
  await search(QUERY, {});
  assert.deepEqual([made(), kept()], [2, 0]);
  await (
    await searches.prepare({ ...ASKING, rerank: [] }, 10)
  )(QUERY, {});
  assert.equal(kept(), 1);
});
