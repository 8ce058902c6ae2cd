import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import { pipelineLabel } from '../../../src/core/pipeline-label.ts';
import { type Engine } from '../../../src/engine/engine.ts';
import type { RequestContext } from '../../../src/engine/requests/request.ts';
import type { EngineConfig } from '../../../src/shared/requests/configuration.ts';
import { startModelServer, verdictReply } from '../../fixtures/model-server.ts';
import { records, testWorkspace, type WorkspaceConfig } from '../../fixtures/workspace.ts';

const TEXTS = {
  home: 'Working from home gives people longer stretches of undisturbed work than an open office does.',
  office: 'Offices bring people together who would never have met otherwise, and that is where ideas start.',
  train: 'Commuting by train takes an hour and a half of the average working day in large cities.',
};
const QUERY = { id: 'q1', text: 'Should we work remotely?' };
const PERSPECTIVES = [{ id: 'p1', text: 'Working from home helps people to concentrate.' }];
const context: RequestContext = { signal: new AbortController().signal, report: () => undefined };

async function open(
  t: TestContext,
  trusted = true,
  judges: NonNullable<WorkspaceConfig['judges']> = {},
): Promise<{ engine: Engine; config: EngineConfig; folder: string }> {
  const { engine, config, folder } = await testWorkspace(t, {
    files: { 'corpus.jsonl': records(TEXTS) },
    corpora: { docs: { roots: ['corpus.jsonl'], split: { type: 'none' } } },
    trusted,
    judges,
  });
  return { engine, config, folder };
}

/** A retriever with fixed results. */
function own(folder: string, results: readonly object[]): PipelineInput {
  const file = path.join(folder, 'own.mjs');
  writeFileSync(
    file,
    `import { createInterface } from 'node:readline';
     createInterface({ input: process.stdin }).on('line', (line) => {
       const { id } = JSON.parse(line);
       process.stdout.write(JSON.stringify({ id, results: ${JSON.stringify(results)} }) + '\\n');
     });`,
  );
  return { retriever: { type: 'command', command: [process.execPath, file] }, k: 5 };
}

const OWN_CHUNK =
  'A chunk of another splitting, which says that working from home helps people to concentrate.';

test('results of an external retriever are matched with passages or stored as foreign ones', async (t) => {
  const { engine, config, folder } = await open(t);
  const pipeline = parsePipeline(
    own(folder, [
      { id: 'train' },
      { text: TEXTS.office },
      { text: `${TEXTS.home.toUpperCase()} ` },
      { id: 'chunk-7', text: OWN_CHUNK },
      { id: 'no-text' },
      { id: 'train', text: TEXTS.train },
    ]),
  );
  assert.equal(pipelineLabel(pipeline), 'command (own.mjs), k = 5');
  const search = (): ReturnType<Engine['search']> =>
    engine.search({ corpus: 'docs', query: QUERY, perspectives: PERSPECTIVES, pipeline }, context);
  const { candidates, matches } = await search();
  assert.deepEqual(matches, { id: 2, text: 1, fuzzy: 1, foreign: 2 });
  assert.deepEqual(
    candidates.map(({ id, text }) => [id.replace(/:.*/, ''), text]),
    [
      ['train', TEXTS.train],
      ['office', TEXTS.office],
      ['home', TEXTS.home],
      ['foreign', OWN_CHUNK],
      ['foreign', ''],
    ],
  );
  assert.deepEqual(
    candidates.slice(3).map(({ title }) => title),
    ['chunk-7', 'no-text'],
  );

  // A foreign passage is judged, labelled and opened like any other, also after a restart.
  const chunk = candidates[3]!;
  const judgingTask = { corpus: 'docs', judge: 'labels', query: QUERY, perspectives: PERSPECTIVES };
  await engine.label({
    corpus: 'docs',
    slot: chunk.slot,
    query: QUERY,
    perspective: PERSPECTIVES[0]!,
    verdict: 'yes',
    by: 'Ada',
  });
  await engine.configure({ ...config, corpora: [] });
  await engine.configure(config);
  const again = (await search()).candidates.map(({ slot }) => slot);
  const { pairs } = await engine.judgements({ ...judgingTask, slots: again });
  assert.deepEqual(
    pairs.map(({ slot, judgement }) => [slot, judgement.verdict]),
    [[chunk.slot, 'yes']],
  );
  assert.equal(
    (await engine.documentText({ corpus: 'docs', documentId: chunk.documentId }, context)).text,
    OWN_CHUNK,
  );
  assert.equal((await engine.passage({ corpus: 'docs', passageId: chunk.id }, context)).text, OWN_CHUNK);
});

test('passages without readable text are not judged', async (t) => {
  const server = await startModelServer({ chat: () => verdictReply('yes') });
  t.after(() => server.close());
  const model = {
    type: 'openai' as const,
    mode: 'pair' as const,
    baseUrl: server.url,
    model: 'scripted',
    maxRetries: 0,
  };
  const { engine, folder } = await open(t, true, { model });
  const pipeline = parsePipeline(own(folder, [{ id: 'no-text' }, { id: 'home' }]));
  const { candidates } = await engine.search(
    { corpus: 'docs', query: QUERY, perspectives: PERSPECTIVES, pipeline },
    context,
  );
  const judgingTask = {
    corpus: 'docs',
    judge: 'model',
    query: QUERY,
    perspectives: PERSPECTIVES,
    slots: candidates.map(({ slot }) => slot),
  };
  assert.equal((await engine.judgeCost(judgingTask)).calls, 1);
  assert.equal((await engine.judge(judgingTask, context)).answered, 1);
});

test('rerankers work on the results of an external retriever', async (t) => {
  const { engine, folder } = await open(t);
  const pipeline = parsePipeline({
    ...own(folder, [{ id: 'home' }, { text: OWN_CHUNK }, { id: 'train' }]),
    rerank: [{ type: 'mmr', lambda: 0.1, embedder: 'hashing' }],
  });
  const { candidates } = await engine.search(
    { corpus: 'docs', query: QUERY, perspectives: PERSPECTIVES, pipeline },
    context,
  );
  // The chunk repeats the first passage's words, so the train is ranked before it.
  assert.deepEqual(
    candidates.map(({ id }) => id.replace(/:.*/, '')),
    ['home', 'train', 'foreign'],
  );
});

test('a hybrid fuses an external retriever with an index', async (t) => {
  const { engine, folder } = await open(t);
  const { retriever } = own(folder, [{ id: 'train' }]);
  const pipeline = parsePipeline({
    retriever: {
      type: 'hybrid',
      retrievers: [{ type: 'bm25' }, retriever as { type: 'command'; command: string[] }],
    },
  });
  const { candidates, matches } = await engine.search(
    { corpus: 'docs', query: { text: 'ideas in offices' }, perspectives: [], pipeline },
    context,
  );
  assert.deepEqual(candidates.map(({ id }) => id).sort(), ['home', 'office', 'train']);
  assert.deepEqual(matches, { id: 1, text: 0, fuzzy: 0, foreign: 0 });
});

test('nothing is started in an untrusted workspace', async (t) => {
  const { engine, folder } = await open(t, false);
  const pipeline = parsePipeline(own(folder, []));
  await assert.rejects(engine.search({ corpus: 'docs', query: QUERY, perspectives: [], pipeline }, context), {
    id: 'untrusted',
  });
});
