/** The identity of a search changes with everything that its results depend on, and with nothing else. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import { pipelineIdentity, searchKey } from '../../../src/engine/experiment/search-identity.ts';
import { validationsBeside } from '../../../src/engine/judgements/validations-file.ts';
import '../../fixtures/built.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

type Sources = Parameters<typeof pipelineIdentity>[1];

/** What may change between two searches. */
interface Around {
  readonly base?: string;
  readonly embedders?: Record<string, object>;
  /** The identity of vectors, by embedder. */
  readonly keys?: Record<string, string>;
  readonly generator?: string;
  /** The identity of its model, by judge. Judges without an entry are people's labels. */
  readonly models?: Record<string, string>;
  readonly heuristics?: readonly string[];
  readonly labelsFile?: string;
}

function sourcesOf({
  base = '/',
  embedders = {},
  keys = {},
  generator,
  models = {},
  heuristics = [],
  labelsFile,
}: Around): Sources {
  return {
    config: { base, embedders, generator, labelsFile },
    embedders: { get: (name: string) => Promise.resolve({ key: keys[name] ?? name }) },
    judges: {
      get: (name: string) =>
        name in models ? { key: models[name], heuristic: heuristics.includes(name) } : undefined,
      chatModel: (name: string) => {
        assert.ok(name in models, 'nobody asks for a model that is not there');
        return { model: { id: models[name] } };
      },
    },
  } as unknown as Sources;
}

const identity = (input: PipelineInput, around: Around = {}): Promise<string | undefined> =>
  pipelineIdentity(parsePipeline(input), sourcesOf(around));

async function assertOther(one: PipelineInput, other: PipelineInput, around: Around = {}): Promise<void> {
  assert.notEqual(await identity(one, around), await identity(other, around));
}

/** Asserts that the same pipeline is another search after a change around it. */
async function assertReads(input: PipelineInput, before: Around, after: Around): Promise<void> {
  const first = await identity(input, before);
  assert.equal(typeof first, 'string');
  assert.equal(await identity(input, before), first);
  assert.notEqual(await identity(input, after), first);
}

async function assertIgnores(input: PipelineInput, before: Around, after: Around): Promise<void> {
  assert.equal(await identity(input, before), await identity(input, after));
}

const BM25 = { retriever: { type: 'bm25' } } as const satisfies PipelineInput;
const DENSE = { retriever: { type: 'dense', embedder: 'own' } } as const satisfies PipelineInput;
const covering = (...judges: readonly string[]): PipelineInput => ({
  ...BM25,
  rerank: judges.map((judge) => ({ type: 'coverage', judge })),
});
const HYDE = { ...BM25, expansion: { type: 'hyde' } } as const satisfies PipelineInput;

test('a pipeline is identified by its settings, not by its name', async () => {
  await assertOther(BM25, { ...BM25, candidates: 7 });
  assert.equal(await identity(BM25), await identity({ ...BM25, name: 'words' }));
});

test('the number of shown passages counts if they are to cover something', async () => {
  assert.equal(await identity({ ...BM25, k: 3 }), await identity({ ...BM25, k: 4 }));
  await assertOther({ ...covering('labels'), k: 3 }, { ...covering('labels'), k: 4 });
});

test('searches with a judging model, and those of the user, are not cached', async () => {
  const models = { model: 'm', lexical: 'words' };
  const around = { models, heuristics: ['lexical'] };
  assert.equal(await identity(covering('model'), around), undefined);
  assert.equal(await identity(covering('lexical', 'labels', 'model'), around), undefined);
  assert.equal(typeof (await identity(covering('lexical', 'labels'), around)), 'string');
  const own = { retriever: { type: 'http', url: 'http://localhost:1/search' } } as const;
  assert.equal(await identity(own), undefined);
});

test('an embedder is identified by its configuration and its vectors', async () => {
  await assertReads(DENSE, { keys: { own: 'v1' } }, { keys: { own: 'v2' } });
  await assertReads(DENSE, { embedders: { own: { prefix: 'a' } } }, { embedders: { own: { prefix: 'b' } } });
  await assertIgnores(DENSE, {}, { embedders: { other: {} } });
  await assertIgnores(BM25, {}, { keys: { own: 'v2' }, embedders: { own: { prefix: 'b' } } });
});

test('the writer of a pipeline is the model that it names, or the general one', async () => {
  const models = { one: 'm1', two: 'm2' };
  await assertReads(HYDE, { models, generator: 'one' }, { models, generator: 'two' });
  await assertReads(HYDE, { models }, { models, generator: 'one' });
  const naming = { ...HYDE, expansion: { ...HYDE.expansion, model: 'one' } };
  await assertReads(naming, { models }, { models: { ...models, one: 'm3' } });
  await assertIgnores(naming, { models }, { models, generator: 'two' });
  await assertIgnores(BM25, { models, generator: 'one' }, { models, generator: 'two' });
});

test('a judge in a pipeline is identified by its key, and by people’s labels', async (t) => {
  const { folder, write } = folderOf(t);
  const labelsFile = write('labels.jsonl', 'one');
  const heuristics = ['lexical'];
  await assertReads(
    covering('lexical'),
    { models: { lexical: 'v1' }, heuristics },
    { models: { lexical: 'v2' }, heuristics },
  );
  const around = { labelsFile, base: folder };
  await assertReads(covering('labels'), {}, around);
  await assertIgnores(BM25, {}, around);
  const [first, words] = [await identity(covering('labels'), around), await identity(BM25, around)];
  write('labels.jsonl', 'one more');
  const second = await identity(covering('labels'), around);
  assert.notEqual(second, first);
  write(path.relative(folder, validationsBeside(labelsFile)), '{}');
  assert.notEqual(await identity(covering('labels'), around), second);
  assert.equal(await identity(BM25, around), words);
});

test('files of a pipeline are identified by their state when they were read', async (t) => {
  const { folder, write } = folderOf(t);
  for (const name of ['views.jsonl', 'scorer/model.onnx', 'scorer/tokenizer.json']) write(name, '1');
  const proposed = { type: 'perspectives', perspectives: 'file', file: 'views.jsonl' } as const;
  const reading = { ...BM25, expansion: proposed };
  const scoring: PipelineInput = { ...BM25, rerank: [{ type: 'cross-encoder', path: 'scorer' }] };
  for (const [input, ...names] of [
    [reading, 'views.jsonl'],
    [scoring, 'scorer/model.onnx', 'scorer/tokenizer.json'],
  ] as const)
    for (const name of names) {
      const before = await identity(input, { base: folder });
      assert.equal(await identity(input, { base: folder }), before);
      write(name, 'longer');
      assert.notEqual(await identity(input, { base: folder }), before, name);
    }
});

function folderOf(t: TestContext): { folder: string; write: (name: string, text: string) => string } {
  const folder = temporaryFolder(t);
  const write = (name: string, text: string): string => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  return { folder, write };
}

test('a search depends on all that it asks, and on perspectives if they are read', () => {
  type Query = Parameters<typeof searchKey>[2];
  const query: Query = { id: 'q', text: 'dams?', perspectives: [{ id: 'p', text: 'power' }] };
  const asked = { readsPerspectives: true, depth: 10 };
  const keyOf = (
    change: Partial<Query> = {},
    options: Partial<Parameters<typeof searchKey>[3]> = {},
    [pipeline, corpus] = ['pipeline', 'corpus'],
  ): string =>
    Buffer.from(searchKey(pipeline!, corpus!, { ...query, ...change }, { ...asked, ...options })).toString(
      'hex',
    );
  const others = [
    keyOf(),
    keyOf({}, {}, ['other', 'corpus']),
    keyOf({}, {}, ['pipeline', 'other']),
    keyOf({}, { depth: 11 }),
    keyOf({}, { pages: [] }),
    keyOf({}, { pages: ['a'] }),
    keyOf({}, { readsPerspectives: false }),
    keyOf({ text: 'dams' }),
    keyOf({ fullTexts: ['dams? power'] }),
    keyOf({ id: 'r' }),
    keyOf({ perspectives: [] }),
    keyOf({ perspectives: [{ id: 'o', text: 'power' }] }),
    keyOf({ perspectives: [{ id: 'p', text: 'floods' }] }),
  ];
  assert.equal(new Set(others).size, others.length);
  assert.equal(keyOf(), keyOf());
  const unread = { readsPerspectives: false };
  assert.equal(keyOf({ id: 'r', perspectives: [] }, unread), keyOf({}, unread));
});
