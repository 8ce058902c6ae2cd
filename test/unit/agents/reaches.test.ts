/** Detects what an agent adds to parallax.json. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configReaches, notAgreed } from '../../../src/features/agents/tools/reaches.ts';
import { Agreement } from '../../../src/features/agents/host/agreement.ts';
import { configSchema } from '../../../src/shared/config.ts';

const parseConfig = (json: object) => configSchema.parse(json);

const BEFORE = {
  corpora: { docs: { roots: ['docs'] } },
  pipelines: { plain: { retriever: { type: 'bm25' } } },
  evalSets: ['eval/*.jsonl'],
};
const model = { type: 'openai', model: 'm' };
const store = { type: 'qdrant', url: 'http://127.0.0.1:6333', collection: 'c', embedder: 'meaning' };

const ADDED = {
  'a command': { pipelines: { p: { retriever: { type: 'command', command: ['sh', '-c', 'env'] } } } },
  'a command within a fusion': {
    pipelines: {
      p: {
        retriever: {
          type: 'hybrid',
          retrievers: [{ type: 'bm25' }, { type: 'command', command: ['sh'] }],
        },
      },
    },
  },
  'an endpoint': { pipelines: { p: { retriever: { type: 'http', url: 'http://127.0.0.1:9/' } } } },
  'a run': { pipelines: { p: { retriever: { type: 'run', file: '/etc/passwd' } } } },
  'a store': { pipelines: { p: { retriever: store } } },
  'a model that reranks': {
    pipelines: { p: { retriever: { type: 'bm25' }, rerank: [{ type: 'cross-encoder', path: 'm' }] } },
  },
  'a judge': { judges: { j: { ...model, baseUrl: 'http://127.0.0.1:9/v1' } } },
  'headers of a judge': { judges: { j: { ...model, headers: { 'x-to': 'other' } } } },
  'an embedder': { embedders: { e: model } },
  'a model file': { embedders: { e: { type: 'onnx', path: 'model' } } },
  'a corpus in a store': { corpora: { other: { store } } },
  'a corpus outside': { corpora: { other: { roots: ['../other'] } } },
  'a corpus of the home': { corpora: { other: { roots: ['/root/.ssh'] } } },
  'a corpus with links': { corpora: { docs: { roots: ['docs'], followSymlinks: true } } },
  'an eval set outside': { evalSets: ['eval/{a,../../b}.jsonl'] },
  'an absolute eval set': { evalSets: ['/etc/*.jsonl'] },
} as const;

for (const [what, change] of Object.entries(ADDED))
  test(`${what} is new`, () => {
    for (const every of [true, false]) {
      const before = configReaches(parseConfig(BEFORE), every);
      const after = configReaches(parseConfig({ ...BEFORE, ...change }), every);
      assert.equal([...after].filter((reach) => !before.has(reach)).length, 1);
    }
  });

test('changes without outside access are not new: steps, numbers, eval sets, names', () => {
  const changed = {
    ...BEFORE,
    pipelines: { other: { retriever: { type: 'dense' }, rerank: [{ type: 'mmr' }], k: 3 } },
    evalSets: ['eval/*.jsonl', 'more/..a/b.jsonl'],
    embedders: { e: { type: 'hashing' } },
    judges: { j: { type: 'lexical' } },
  };
  assert.deepEqual(configReaches(parseConfig(changed), true), configReaches(parseConfig(BEFORE), true));
});

test('a root within the folder counts if it may be a link', () => {
  const changed = parseConfig({
    ...BEFORE,
    corpora: { docs: { roots: ['docs'] }, other: { roots: ['link'] } },
  });
  assert.equal(configReaches(changed, true).size, 2);
  assert.equal(configReaches(changed, false).size, 0);
});

test('the refusal has one line and is shortened', () => {
  const many = Array.from({ length: 50 }, (_, n) =>
    JSON.stringify({ command: [`x\n${n}`, 'y'.repeat(5000)] }),
  );
  const { message } = notAgreed(many, 'A person is asked.');
  assert.ok(message.length < 1500 && !message.includes('\n'));
  assert.match(message, /and 45 more/u);
});

test('asks once for a new entry, and again if it returns', async () => {
  const kept = new Map<string, unknown>();
  const asked: (readonly string[])[] = [];
  let answer = false;
  const agreement = new Agreement(
    {
      get: <T>(key: string) => kept.get(key) as T | undefined,
      set: (key, value) => void kept.set(key, value),
    },
    (reaches) => Promise.resolve((asked.push(reaches), answer)),
  );
  const changed = parseConfig({ ...BEFORE, ...ADDED['a command'] });
  await agreement.require(parseConfig(BEFORE));
  assert.equal(asked.length, 0);
  await assert.rejects(agreement.require(changed), { id: 'untrusted' });
  answer = true;
  await Promise.all([agreement.require(changed), agreement.require(changed)]);
  assert.equal(asked.length, 2);
  assert.match(asked[1]![0]!, /"command":\["sh","-c","env"\]/u);
  await agreement.require(changed);
  assert.equal(asked.length, 2);
  await agreement.require(parseConfig({ ...BEFORE, ...ADDED['an endpoint'] }));
  await agreement.require(changed);
  assert.equal(asked.length, 4);
});
