/** The engine over a real folder, real SQLite and a scripted model server, as the review tests use it. */
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import type { EngineMethod, Params, Result } from '../../../src/shared/rpc.ts';
import { verdictReply, type ChatReply, type ChatRequest } from '../../fixtures/model-server.ts';
import { readFenced } from '../../fixtures/read-prompts.ts';
import { testWorkspace, type WorkspaceConfig } from '../../fixtures/workspace.ts';
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
    return verdictReply('yes', readFenced(request.messages).texts['passage']?.split('.')[0]);
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
  restart(change?: WorkspaceConfig): Promise<void>;
}

export async function benchFor(t: TestContext, judges: WorkspaceConfig['judges'] = {}): Promise<Bench> {
  const server = await serverFor(t, { chat: answer });
  const model = (name: string) => ({
    type: 'openai' as const,
    mode: 'pair' as const,
    baseUrl: server.url,
    model: name,
    concurrency: 4,
  });
  const workspace = await testWorkspace(t, {
    files: DOCUMENTS,
    corpora: { office: { roots: ['docs'] } },
    judges: {
      optimist: model('optimist'),
      pessimist: model('pessimist'),
      agent: model('agent'),
      debate: { type: 'debate', agents: 'agent' },
      ...judges,
    },
  });
  const { folder, labelsFile } = workspace;
  const bench: Bench = {
    folder,
    labelsFile,
    write: (name, text) => void workspace.write(name, text),
    ask: (method, params) => workspace.request(method, params),
    slots: async () => {
      const { candidates } = await bench.ask('search', {
        corpus: 'office',
        query: { text: 'cats printer supports' },
        perspectives: [],
        pipeline: PIPELINE,
      });
      return candidates.toSorted((a, b) => a.documentId.localeCompare(b.documentId)).map(({ slot }) => slot);
    },
    judgeAll: async (judge) => bench.ask('judge', { ...judgingTask(judge), slots: await bench.slots() }),
    queue: (by = 'ann') => bench.ask('reviewQueue', { by }),
    lines: () =>
      readFileSync(labelsFile, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    restart: (change) => workspace.restart(change),
  };
  return bench;
}

export const judgingTask = (judge: string): Omit<Params<'judge'>, 'slots'> => ({
  corpus: 'office',
  judge,
  query: { id: QUERY.id, text: QUERY.text },
  perspectives: QUERY.perspectives,
});

const PIPELINE = parsePipeline({ retriever: { type: 'bm25' }, k: 5 });
