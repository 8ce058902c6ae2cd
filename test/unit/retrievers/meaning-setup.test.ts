/** "Set Up Search by Meaning…": its requests and what it writes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { BUILT_IN_PIPELINES, parsePipeline, type NamedPipeline } from '../../../src/core/pipeline.ts';
import { configSchema } from '../../../src/shared/config.ts';
import { fakeEditor } from '../../fixtures/fake-editor.ts';
import { meaningName, withMeaning } from '../../../src/features/retrievers/host/meaning-pipeline.ts';
import { localServers, soundsLikeEncoder } from '../../../src/features/retrievers/host/meaning-servers.ts';

interface Entry {
  readonly label: string;
}

let chosen = '';
let typed: string[] = [];
let confirms = true;
const listed: string[][] = [];
const said: string[] = [];
const warned: string[] = [];

const window = {
  showQuickPick: (items: readonly Entry[]) => {
    listed.push(items.map(({ label }) => label));
    return Promise.resolve(items.find(({ label }) => label === chosen));
  },
  showInputBox: () => Promise.resolve(typed.shift()),
  showErrorMessage: () => Promise.resolve(undefined),
  showWarningMessage: (message: string, _: object, button: string) => {
    warned.push(message);
    return Promise.resolve(confirms ? button : undefined);
  },
  showInformationMessage: (message: string, use: string) => {
    said.push(message);
    return Promise.resolve(use);
  },
  withProgress: (_: object, work: (progress: object, token: object) => Promise<unknown>) =>
    work({ report: () => undefined }, { onCancellationRequested: () => undefined }),
};

async function setUp({ answers = true, evalSet = true, pipelines = {} as object } = {}) {
  fakeEditor({}, window);
  const { MeaningSetup } = await import('../../../src/features/retrievers/host/meaning-setup.ts');
  const asked: [string, Record<string, unknown>][] = [];
  const used: string[] = [];
  const keys: string[] = [];
  let written = '{"version": 2, "corpora": {"docs": {"roots": ["docs"]}}}';
  const config = configSchema.parse({
    ...(JSON.parse(written) as object),
    pipelines,
    judges: { near: { type: 'openai', baseUrl: 'http://localhost:8123/v1', model: 'llama', key: 'near' } },
  });
  const present: NamedPipeline = { name: 'hybrid', pipeline: BUILT_IN_PIPELINES.hybrid };
  const setup = new MeaningSetup({
    engine: {
      request: (method: string, params: Record<string, unknown>) => {
        asked.push([method, params]);
        const { baseUrl } = (params['config'] ?? {}) as { baseUrl?: string };
        if (method === 'listModels')
          return baseUrl?.includes(':8123')
            ? Promise.resolve({ models: ['llama', 'nomic-embed-text'] })
            : Promise.reject(new ParallaxError('model-unreachable', 'It does not run.'));
        if (method === 'embeddingEffort') return Promise.resolve({ passages: 1200, tokens: 180_000 });
        if (method === 'testEmbedder' && !answers)
          return Promise.reject(new ParallaxError('model-missing', 'There is no such model.'));
        return Promise.resolve({ dimensions: 3, datasets: [], k: 5, id: 'c1' });
      },
    },
    keys: {
      read: () => Promise.resolve({}),
      store: (name: string) => Promise.resolve(void keys.push(name)),
    },
    configFile: {
      edit: (change: (json: string) => string) => Promise.resolve(void (written = change(written))),
    },
    workspace: () => ({ config }),
    trusted: () => true,
    present: () => present,
    reconfigure: () => Promise.resolve(),
    comparisonOf: (compared: readonly NamedPipeline[]) =>
      evalSet ? { datasets: [{ name: 'set', corpus: 'docs' }], pipelines: compared } : undefined,
    show: () => Promise.resolve(),
    use: ({ name }: NamedPipeline) => Promise.resolve(void used.push(name)),
  } as never);
  return {
    run: () => setup.run(),
    asked,
    used,
    keys,
    written: () => JSON.parse(written) as Record<'embedders' | 'pipelines', Record<string, object>>,
  };
}

test('tests a local model once and adds it to parallax.json', async () => {
  const { run, asked, used, written } = await setUp();
  chosen = 'nomic-embed-text';
  await run();
  assert.ok(!listed.at(-1)!.includes('llama'), 'chat models are not offered');
  const compare = asked.find(([method]) => method === 'compare')![1] as { pipelines: NamedPipeline[] };
  assert.deepEqual(
    compare.pipelines.map(({ name }) => name),
    ['Words and meaning', 'words and meaning (nomic-embed-text)'],
  );
  const { embedders, pipelines } = written();
  assert.deepEqual(embedders, {
    'nomic-embed-text': {
      type: 'openai',
      baseUrl: 'http://localhost:8123/v1',
      model: 'nomic-embed-text',
      key: 'near',
    },
  });
  assert.deepEqual(Object.keys(pipelines), [
    'hybrid',
    'bm25',
    'dense',
    'words and meaning (nomic-embed-text)',
  ]);
  assert.deepEqual(used, ['words and meaning (nomic-embed-text)']);
  assert.deepEqual(warned, [], 'nothing leaves this machine');
});

test('contacts only this machine before a choice is made', async () => {
  const { run, asked } = await setUp();
  chosen = '';
  await run();
  assert.deepEqual(
    asked.map(([method, { config }]) => [method, (config as { baseUrl: string }).baseUrl]),
    ['11434', '1234', '8123'].map((port, n) => [
      'listModels',
      `http://${n === 2 ? 'localhost' : '127.0.0.1'}:${port}/v1`,
    ]),
  );
  const remote = configSchema.parse({
    embedders: { far: { type: 'openai', baseUrl: 'https://models.example/v1', model: 'm' } },
  });
  assert.ok(localServers(remote).every(({ baseUrl }) => baseUrl.startsWith('http://127.0.0.1:')));
});

test('a remote endpoint states what it receives; declining costs nothing', async () => {
  for (const agrees of [true, false]) {
    const { run, asked, keys } = await setUp();
    chosen = 'OpenAI';
    typed = ['secret', 'text-embedding-3-small'];
    confirms = agrees;
    await run();
    assert.match(warned.pop()!, /sends 1,200 passages .* about 180,000 tokens/u);
    assert.equal(asked.filter(([method]) => method === 'compare').length, agrees ? 1 : 0);
    assert.deepEqual(keys, ['openai']);
  }
  confirms = true;
});

test('writes nothing if a model does not answer; reports a missing eval set', async () => {
  chosen = 'nomic-embed-text';
  const silent = await setUp({ answers: false });
  await assert.rejects(silent.run(), /There is no such model/u);
  assert.deepEqual([silent.written().embedders, silent.used], [undefined, []]);
  const unasked = await setUp({ evalSet: false });
  await unasked.run();
  assert.match(said.at(-1)!, /No eval set has a question/u);
});

test('the new pipeline differs in the encoder only', () => {
  const mine = parsePipeline({
    retriever: { type: 'hybrid', retrievers: [{ type: 'bm25', k1: 2 }, { type: 'dense' }], weight: 0.2 },
    rerank: [{ type: 'mmr', lambda: 0.5 }],
    k: 8,
  });
  const other = withMeaning(mine, 'bge');
  assert.deepEqual(withMeaning(other, 'meaning').rerank, mine.rerank);
  assert.deepEqual(
    other,
    parsePipeline({
      ...mine,
      retriever: {
        ...(mine.retriever as object),
        retrievers: [
          { type: 'bm25', k1: 2 },
          { type: 'dense', embedder: 'bge' },
        ],
      } as never,
      rerank: [{ type: 'mmr', lambda: 0.5, embedder: 'bge' }],
    }),
  );
  const words = withMeaning(BUILT_IN_PIPELINES.bm25, 'meaning');
  assert.deepEqual(words.retriever, BUILT_IN_PIPELINES.hybrid.retriever);
  assert.equal(withMeaning(BUILT_IN_PIPELINES.dense, 'bge').retriever.type, 'dense');
  const name = meaningName('bge', words, [{ name: 'words and meaning (bge)', pipeline: words }]);
  assert.equal(name, 'words and meaning (bge) 2');
});

test('distinguishes encoders from chat models by name', () => {
  const encoders = [
    'nomic-embed-text',
    'all-minilm:latest',
    'BAAI/bge-m3',
    'text-embedding-qwen3',
    'gte-large',
  ];
  assert.deepEqual(encoders.filter(soundsLikeEncoder), encoders);
  assert.deepEqual(
    ['llama3.1', 'qwen3:8b', 'gpt-oss:20b', 'mistral', 'gemma3'].filter(soundsLikeEncoder),
    [],
  );
});
