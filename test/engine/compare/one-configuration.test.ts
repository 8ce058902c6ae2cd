/** Running work keeps the configuration that it began with. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { judgeSchema } from '../../../src/shared/judge-config.ts';
import { startModelServer } from '../../fixtures/model-server.ts';
import { BM25, context, evalQuery, refuses, Workspace } from './compare-support.ts';

const QUERIES = ['one', 'two', 'three'].map((id) => evalQuery(id, `dam ${id}`, 'for'));
const PASSAGES = { a: 'the dam floods the valley', b: 'the dam gives power to a city' };

test('a search keeps the models and judge that it began with, even if they are removed', async (t) => {
  const workspace = new Workspace(t);
  await workspace.corpus('corpus', PASSAGES);
  const server = await startModelServer({
    chat: async () => {
      await workspace.configure({ judges: {}, generator: undefined });
      return { text: 'a dam in a valley' };
    },
  });
  t.after(() => server.close());
  const first = judgeSchema.parse({ type: 'openai', baseUrl: server.url, model: 'm' });
  await workspace.configure({ judges: { first }, generator: 'first' });
  const { candidates, known } = await workspace.engine.search(
    {
      corpus: 'corpus',
      query: { text: 'dam' },
      perspectives: [{ id: 'for', text: 'for dams' }],
      pipeline: parsePipeline({ ...BM25, expansion: { type: 'hyde' } }),
      judge: 'first',
    },
    { signal: new AbortController().signal, report: () => undefined },
  );
  assert.equal(candidates.length, 2);
  assert.deepEqual(known?.pairs, []);
});

test('a corpus with a changed meaning is not opened for earlier work', async (t) => {
  const workspace = new Workspace(t);
  await workspace.corpus('corpus', PASSAGES);
  const compared = workspace.compare({ bm25: BM25 }, [{ queries: QUERIES }]);
  const corpora = workspace.config.corpora.map((ref) => ({ ...ref, excludeGlobs: ['nothing'] }));
  await Promise.all([refuses(compared, /Cancelled/u, 'cancelled'), workspace.configure({ corpora })]);
  await workspace.index('corpus');
  assert.equal((await workspace.compare({ bm25: BM25 }, [{ queries: QUERIES }])).datasets.length, 1);
});

test('a search is answered by the corpus that replaces its corpus', async (t) => {
  const workspace = new Workspace(t);
  await workspace.corpus('corpus', PASSAGES);
  let replacements = 0;
  const server = await startModelServer({
    chat: async () => {
      replacements++;
      const corpora = workspace.config.corpora.map((ref) => ({ ...ref, excludeGlobs: ['nothing'] }));
      await workspace.configure({ corpora });
      return { text: 'a dam in a valley' };
    },
  });
  t.after(() => server.close());
  const first = judgeSchema.parse({ type: 'openai', baseUrl: server.url, model: 'm' });
  await workspace.configure({ judges: { first }, generator: 'first' });
  const question = {
    corpus: 'corpus',
    query: { text: 'dam' },
    perspectives: [],
    pipeline: parsePipeline({ ...BM25, expansion: { type: 'hyde' } }),
  };
  assert.equal((await workspace.engine.search(question, context)).candidates.length, 2);
  assert.ok(replacements > 0);
});
