/** Unchanged searches are not repeated. Counted at an embedding endpoint that is asked for every query. */
import { rankAt } from '../../../src/evaluation/reading.ts';
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { PipelineInput } from '../../../src/core/pipeline.ts';
import { SearchCache } from '../../../src/engine/experiment/search-cache.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { embedderSchema } from '../../../src/shared/config.ts';
import { judgeSchema } from '../../../src/shared/judge-config.ts';
import { startModelServer, type ModelServer } from '../../fixtures/model-server.ts';
import { BM25, context, evalQuery, only, refuses, Workspace, type EvalQueries } from './compare-support.ts';

const ENDPOINT: PipelineInput = { retriever: { type: 'dense', embedder: 'endpoint' } };
const PASSAGES = { a: 'the dam floods the valley', b: 'the dam gives power', c: 'fish swim' };
const QUERIES: EvalQueries = [
  evalQuery('dam', 'dams?', 'for', 'against'),
  evalQuery('fish', 'fish?', 'for'),
  evalQuery('power', 'power?', 'for'),
];

interface Counted {
  readonly workspace: Workspace;
  /** The queries that were embedded since the last call. */
  embedded(): string[];
}

async function counted(t: TestContext): Promise<Counted> {
  const server: ModelServer = await startModelServer();
  t.after(() => server.close());
  const workspace = new Workspace(t);
  const endpoint = embedderSchema.parse({ type: 'openai', baseUrl: server.url, model: 'scripted' });
  await workspace.configure({ embedders: { endpoint } });
  await workspace.corpus('corpus', PASSAGES);
  workspace.label('dam for b', 'dam against a', 'fish for c');
  let seen = 0;
  return {
    workspace,
    embedded: () => {
      const since = server.requests.slice(seen);
      seen = server.requests.length;
      const inputs = since.flatMap(({ body }) => body['input'] as string | string[]);
      return inputs.filter((input) => !Object.values<string>(PASSAGES).includes(input)).sort();
    },
  };
}

const ALL = ['dams?', 'fish?', 'power?'];

test('an unchanged comparison makes no search and has the same figures', async (t) => {
  const { workspace, embedded } = await counted(t);
  const first = await workspace.compare({ endpoint: ENDPOINT }, [{ queries: QUERIES }]);
  assert.deepEqual(embedded(), ALL);
  const second = await workspace.compare({ endpoint: ENDPOINT }, [{ queries: QUERIES }]);
  assert.deepEqual(embedded(), []);
  assert.deepEqual(second.datasets, first.datasets);
  assert.notEqual(second.id, first.id);
});

test('cached searches survive a restart', async (t) => {
  const { workspace, embedded } = await counted(t);
  await workspace.compare({ endpoint: ENDPOINT }, [{ queries: QUERIES }]);
  embedded();
  await workspace.restart();
  await workspace.compare({ endpoint: ENDPOINT }, [{ queries: QUERIES }]);
  assert.deepEqual(embedded(), []);
});

test('another name, k, judge or set of queries runs only new searches', async (t) => {
  const { workspace, embedded } = await counted(t);
  await workspace.compare({ endpoint: ENDPOINT }, [{ queries: QUERIES.slice(1) }]);
  embedded();
  const renamed = { ...ENDPOINT, name: 'other', k: 3 };
  await workspace.compare({ renamed }, [{ queries: QUERIES, name: 'renamed' }], { k: 3, judge: 'lexical' });
  assert.deepEqual(embedded(), ['dams?']);
});

test('a changed pipeline is searched', async (t) => {
  const { workspace, embedded } = await counted(t);
  await workspace.compare({ endpoint: ENDPOINT }, [{ queries: QUERIES }]);
  embedded();
  const exact: PipelineInput = { retriever: { type: 'dense', embedder: 'endpoint', search: 'exact' } };
  await workspace.compare({ exact }, [{ queries: QUERIES }]);
  assert.deepEqual(embedded(), ALL);
});

test('a changed corpus is searched again, and one that was only read again is not', async (t) => {
  const { workspace, embedded } = await counted(t);
  const rankOfNew = async (): Promise<number | null> => {
    const { queries } = only(await workspace.compare({ endpoint: ENDPOINT }, [{ queries: QUERIES }]));
    return rankAt(queries[1]!.perspectives[0]!, 0) ?? null;
  };
  await rankOfNew();
  embedded();
  workspace.write('corpus', { ...PASSAGES, c: 'fish? yes' });
  await workspace.index('corpus');
  await rankOfNew();
  assert.ok(embedded().includes('fish?'));
  await workspace.index('corpus');
  await rankOfNew();
  assert.deepEqual(embedded(), [], 'reading unchanged files changes nothing');
});

test('the queries of an embedder with a new prefix are embedded again', async (t) => {
  const { workspace, embedded } = await counted(t);
  await workspace.compare({ endpoint: ENDPOINT }, [{ queries: QUERIES }]);
  embedded();
  const { endpoint } = workspace.config.embedders;
  const prefixed = embedderSchema.parse({ ...endpoint, queryPrefix: 'query: ' });
  await workspace.configure({ embedders: { endpoint: prefixed } });
  await workspace.compare({ endpoint: ENDPOINT }, [{ queries: QUERIES }]);
  assert.deepEqual(
    embedded(),
    ALL.map((text) => `query: ${text}`),
  );
});

test('perspectives count only if a step reads them', async (t) => {
  const { workspace, embedded } = await counted(t);
  const expansion: PipelineInput = {
    ...ENDPOINT,
    expansion: { type: 'perspectives', queryText: 'perspective' },
  };
  await workspace.compare({ plain: ENDPOINT, expansion }, [{ queries: QUERIES }]);
  embedded();
  const reworded = QUERIES.map((query) => ({
    ...query,
    perspectives: query.perspectives.map((own) => ({ ...own, text: own.text.replace('fish', 'trout') })),
  }));
  await workspace.compare({ plain: ENDPOINT, expansion }, [{ queries: reworded }]);
  assert.deepEqual(embedded(), ['trout for']);
});

test('labels count if a reranker reads them', async (t) => {
  const { workspace } = await counted(t);
  const covered: PipelineInput = { ...BM25, rerank: [{ type: 'coverage', judge: 'labels' }] };
  const queries = [evalQuery('dam', 'dam', 'wet')];
  const ranks = async (): Promise<readonly (number | null)[]> => {
    const dataset = only(await workspace.compare({ bm25: BM25, covered }, [{ queries }]));
    const perspective = dataset.queries[0]!.perspectives[0]!;
    return [0, 1].map((place) => rankAt(perspective, place) ?? null);
  };
  assert.deepEqual(await ranks(), [null, null]);
  workspace.label('dam wet b');
  assert.deepEqual(await ranks(), [2, 1], 'the reranker takes the passage that is labelled now first');
});

test('a cancelled comparison continues where it stopped', async (t) => {
  const { workspace, embedded } = await counted(t);
  const controller = new AbortController();
  const progress: number[] = [];
  const cancelling = workspace.compare({ endpoint: ENDPOINT, bm25: BM25 }, [{ queries: QUERIES }], {
    context: {
      signal: controller.signal,
      report: (note) => {
        if (note.type !== 'progress') return;
        progress.push(note.progress.done);
        if (note.progress.done === 2) controller.abort();
      },
    },
  });
  await refuses(cancelling, /Cancelled/u, 'cancelled');
  assert.equal(progress.at(-1), 2);
  assert.deepEqual(embedded(), ['dams?', 'fish?']);
  assert.deepEqual(await workspace.engine.keptComparisons(), { kept: [] });
  const { pipelines } = only(
    await workspace.compare({ endpoint: ENDPOINT, bm25: BM25 }, [{ queries: QUERIES }]),
  );
  assert.deepEqual(embedded(), ['power?']);
  assert.ok(pipelines.every(({ error }) => error === undefined));
});

test('progress ends with everything done', async (t) => {
  const { workspace } = await counted(t);
  const notes: { done: number; total?: number | undefined }[] = [];
  const broken: PipelineInput = { retriever: { type: 'dense', embedder: 'nowhere' } };
  await workspace.compare({ broken, bm25: BM25 }, [{ queries: QUERIES }], {
    context: { ...context, report: (note) => note.type === 'progress' && notes.push(note.progress) },
  });
  assert.deepEqual(notes.at(-1), { done: 6, total: 6, detail: 'bm25' });
});

test('a model judge is asked by its reranker every time, and paid once', async (t) => {
  const server = await startModelServer({
    chat: () => ({ text: '{"verdict":"no","evidence":[],"rationale":""}' }),
  });
  t.after(() => server.close());
  const { workspace } = await counted(t);
  await workspace.configure({
    judges: {
      model: judgeSchema.parse({ type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted' }),
    },
  });
  // Of two candidates one is shown. If both were shown, no answer could change the coverage, and nothing would be
  // asked.
  const covered: PipelineInput = { ...BM25, k: 1, rerank: [{ type: 'coverage', judge: 'model' }] };
  await workspace.compare({ covered }, [{ queries: QUERIES }]);
  const paid = server.chatRequests.length;
  assert.ok(paid > 0);
  await workspace.compare({ covered }, [{ queries: QUERIES }]);
  assert.equal(server.chatRequests.length, paid);
});

test('an unrelated change of the configuration does not interrupt a comparison', async (t) => {
  const { workspace } = await counted(t);
  const changes: Promise<void>[] = [];
  const judges = { spare: judgeSchema.parse({ type: 'lexical' }) };
  const comparison = await workspace.compare({ endpoint: ENDPOINT, bm25: BM25 }, [{ queries: QUERIES }], {
    context: {
      ...context,
      report: () => {
        if (changes.length === 0) changes.push(workspace.configure({ judges }));
      },
    },
  });
  await Promise.all(changes);
  assert.ok(only(comparison).pipelines.every(({ error }) => error === undefined));
  assert.deepEqual(await workspace.engine.keptComparison({ id: comparison.id }), comparison);
});

test('the oldest searches are dropped beyond the capacity', () => {
  const cache = new SearchCache(openDatabase(':memory:'), 2);
  const key = (n: number): Uint8Array => Uint8Array.of(n);
  const short = (slot: number) => (slot === 20 ? { short: { returned: 0, asked: 100 } } : {});
  const found = (slot: number) =>
    ({
      slots: [slot, 2 ** 31],
      scores: [1.25, -slot],
      search: 'approximate',
      milliseconds: 1.5,
      ...short(slot),
    }) as const;
  for (const n of [1, 2, 3]) cache.put(key(n), found(n));
  assert.equal(cache.get(key(1)), undefined);
  assert.deepEqual(cache.get(key(2)), found(2));
  cache.put(key(2), found(20));
  cache.put(key(4), found(4));
  assert.deepEqual([cache.get(key(2)), cache.get(key(3))], [found(20), undefined]);
});

test('a ranking may be empty', () => {
  const cache = new SearchCache(openDatabase(':memory:'));
  cache.put(Uint8Array.of(1), { slots: [], scores: [], search: 'exact', milliseconds: 0 });
  assert.deepEqual(cache.get(Uint8Array.of(1))?.slots, []);
});

test('a ranking that was changed, or is under another key, is found again', () => {
  const db = openDatabase(':memory:');
  const cache = new SearchCache(db);
  const [key, other] = [Uint8Array.of(1), Uint8Array.of(2)];
  for (const change of [
    "slots = x'0200000001000000'",
    "scores = x'00'",
    "search = 'exact'",
    'milliseconds = 2',
    'returned = 4',
    "key = x'02'",
  ]) {
    cache.put(key, {
      slots: [1, 2],
      scores: [2.5, 1.5],
      search: 'approximate',
      milliseconds: 1,
      short: { returned: 2, asked: 100 },
    });
    assert.deepEqual(cache.get(key)?.slots, [1, 2]);
    db.exec(`UPDATE searches_5 SET ${change}`);
    assert.equal(cache.get(key) ?? cache.get(other), undefined, change);
  }
});
