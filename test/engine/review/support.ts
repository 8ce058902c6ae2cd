/** The engine over a real folder, real SQLite and a scripted model server, as the review tests use it. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { createEngine } from '../../../src/engine/engine.ts';
import { corpusSchema } from '../../../src/shared/config.ts';
import { judgeSchema, type JudgeConfig } from '../../../src/shared/judge-types.ts';
import type { EngineConfig } from '../../../src/shared/requests/configuration.ts';
import type { EngineMethod, Params, Result } from '../../../src/shared/rpc.ts';
import { readFenced, verdictReply, type ChatReply, type ChatRequest } from '../../fixtures/model-server.ts';
import { partIn, serverFor, stubborn } from '../judges/support.ts';

export const QUERY = {
  id: 'q1',
  text: 'Should the office have cats?',
  perspectives: [
    { id: 'p1', text: 'Cats calm people at work.', stance: 'support' as const },
    { id: 'p2', text: 'Cats make allergic people ill.', stance: 'oppose' as const },
  ],
};

export const DOCUMENTS = {
  'docs/calm.md': 'The office cats calm everyone. It supports what they hoped for.',
  'docs/sneeze.md': 'I sneeze all day since the cats moved in. It supports nobody.',
  'docs/printer.md': 'The printer is out of paper again. It supports both sides of a sheet.',
};

/** Debates never agree; `optimist` always says yes, `pessimist` always no. */
function answer(request: ChatRequest): ChatReply {
  const model = String(request.body['model']);
  if (model === 'optimist')
    return verdictReply('yes', readFenced(request.messages).texts['passage']?.slice(0, 20));
  if (model === 'pessimist') return verdictReply('no');
  return partIn(request.messages).side === 'adjudicator' ? verdictReply('yes') : stubborn(request);
}

export interface Bench {
  readonly folder: string;
  readonly labelsFile: string;
  ask<M extends EngineMethod>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Everything in the corpus, in the order of the documents. */
  slots(): Promise<number[]>;
  judgeAll(judge: string): Promise<Result<'judge'>>;
  queue(by?: string): Promise<Result<'reviewQueue'>>;
  lines(): Record<string, unknown>[];
  write(name: string, text: string): void;
  /** A new engine over the same folder. */
  restart(change?: Partial<EngineConfig>): Promise<void>;
}

export async function benchFor(t: TestContext, judges: Record<string, unknown> = {}): Promise<Bench> {
  const server = await serverFor(t, { chat: answer });
  const folder = mkdtempSync(path.join(tmpdir(), 'parallax-review-'));
  const labelsFile = path.join(folder, '.parallax/judgements.jsonl');
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  for (const [name, text] of Object.entries(DOCUMENTS)) write(name, text);
  const model = (name: string): JudgeConfig =>
    judgeSchema.parse({ type: 'openai', baseUrl: server.url, model: name, concurrency: 4 });
  const config: EngineConfig = {
    storage: path.join(folder, 'storage'),
    base: folder,
    trusted: true,
    corpora: [
      {
        name: 'office',
        base: folder,
        config: corpusSchema.parse({ roots: ['docs'] }),
        excludeGlobs: [],
        store: path.join(folder, 'storage/office'),
      },
    ],
    embedders: {},
    judges: {
      optimist: model('optimist'),
      pessimist: model('pessimist'),
      agent: model('agent'),
      debate: judgeSchema.parse({ type: 'debate', agents: 'agent' }),
      ...Object.fromEntries(Object.entries(judges).map(([name, judge]) => [name, judgeSchema.parse(judge)])),
    },
    keys: {},
    labelsFile,
    approximateAbove: 1000,
  };
  let engine = createEngine(undefined, () => undefined);
  await engine.configure(config);
  t.after(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const bench: Bench = {
    folder,
    labelsFile,
    write,
    ask: (method, params) =>
      (engine[method] as (p: unknown, c: unknown) => Promise<never>).call(engine, params, {
        signal: new AbortController().signal,
        report: () => undefined,
      }),
    slots: async () => {
      const { candidates } = await bench.ask('search', {
        corpus: 'office',
        query: { text: 'cats printer supports' },
        perspectives: [],
        pipeline: PIPELINE,
      });
      return candidates.sort((a, b) => a.documentId.localeCompare(b.documentId)).map(({ slot }) => slot);
    },
    judgeAll: async (judge) => bench.ask('judge', { ...judgingTask(judge), slots: await bench.slots() }),
    queue: (by = 'ann') => bench.ask('reviewQueue', { by }),
    lines: () =>
      readFileSync(labelsFile, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    restart: async (change = {}) => {
      await engine.close();
      engine = createEngine(undefined, () => undefined);
      await engine.configure({ ...config, ...change });
    },
  };
  await bench.ask('index', { corpus: 'office', rebuild: false });
  return bench;
}

export const judgingTask = (judge: string): Omit<Params<'judge'>, 'slots'> => ({
  corpus: 'office',
  judge,
  query: { id: QUERY.id, text: QUERY.text },
  perspectives: QUERY.perspectives,
});

const PIPELINE = parsePipeline({ retriever: { type: 'bm25' }, k: 5 });
