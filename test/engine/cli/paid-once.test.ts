/** Nothing is paid for twice, and no budget is exceeded: requests are counted at the endpoint, for every command. */
import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { AgentTools } from '../../../src/features/agents/tools/agent-tools.ts';
import { CommandLineAgentHost } from '../../../src/features/agents/cli/agent-host.ts';
import { judgeCommand } from '../../../src/cli/commands/judging/judge-command.ts';
import { buildCommand } from '../../../src/features/building/cli/build-command.ts';
import { pirCommand } from '../../../src/features/papers/cli/pir-command.ts';
import { tuningView } from '../../../src/features/papers/cli/tuning-view.ts';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { checkCommand } from '../../../src/cli/commands/check-command.ts';
import { searchCommand } from '../../../src/cli/commands/search-command.ts';
import { explainCommand } from '../../../src/features/explain/cli/explain-command.ts';
import { gateCommand } from '../../../src/features/gate/cli/gate-command.ts';
import { analysesView } from '../../../src/cli/commands/views/analyses.ts';
import { answersView } from '../../../src/features/papers/cli/answers-view.ts';
import { poolView } from '../../../src/features/papers/cli/pool-view.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import {
  verdictReply,
  type ChatReply,
  type ChatRequest,
  type ModelServer,
} from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { partIn, repeating } from '../answers/support.ts';
import { askingOf, usualReply } from '../building/support.ts';
import { serverFor } from '../judges/support.ts';
import { lines, run, topics, type Ran } from './support.ts';

const sensible = ({ messages }: Pick<ChatRequest, 'messages'>): ChatReply =>
  verdictReply(readPairPrompt(messages).passage.includes('first') ? 'yes' : 'no');

/** Writes answers, and finds every perspective in them. */
function writing(request: ChatRequest): ChatReply {
  const part = partIn(request);
  if (part.kind === 'write') return repeating(part);
  return { text: JSON.stringify(Object.fromEntries(Object.keys(part.statements).map((id) => [id, 'yes']))) };
}

/** A "yes" with an invalid quotation, so that each pair is asked once more. */
const doubtful = (): ChatReply => ({
  text: JSON.stringify({ evidence: 'words that no passage has', verdict: 'yes' }),
});
const unreadable = (): ChatReply => ({ text: 'I would rather not say.' });
const busy = (): ChatReply => ({ fault: 'status', status: 500 });

interface Bench {
  readonly server: ModelServer;
  readonly folder: string;
  readonly config: string;
  /** The number of requests since the last call. */
  readonly requests: () => number;
}

/** A workspace without labels, with a model as its judge. Answers are kept in a folder of the test. */
async function open(t: TestContext, chat: (request: ChatRequest) => ChatReply = sensible): Promise<Bench> {
  keepAnswersIn(t, temporaryFolder(t));
  const server = await serverFor(t, { chat });
  const folder = temporaryFolder(t);
  const { corpus, queries } = topics(6);
  await writeFile(path.join(folder, 'corpus.jsonl'), corpus);
  await writeFile(path.join(folder, 'questions.jsonl'), queries);
  const config = path.join(folder, 'parallax.json');
  const model = { type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted', maxRetries: 1 };
  await writeFile(
    config,
    JSON.stringify({
      corpora: { topics: { roots: ['corpus.jsonl'], split: { type: 'none' } } },
      pipelines: {
        plain: { retriever: { type: 'bm25' }, k: 2 },
        reranked: {
          retriever: { type: 'bm25' },
          rerank: [{ type: 'coverage', judge: 'model' }],
          k: 2,
          candidates: 3,
        },
      },
      judge: 'model',
      judges: { model },
      embedders: { paid: { type: 'openai', baseUrl: server.url, model: 'vectors' } },
      evalSets: ['questions.jsonl'],
      gate: { pipelines: ['plain'], k: 2, thresholds: [{ metric: 'MRecall@2', min: 0 }] },
    }),
  );
  let seen = 0;
  const requests = (): number => {
    const before = seen;
    seen = server.chatRequests.length;
    return seen - before;
  };
  return { server, folder, config, requests };
}

const ELSEWHERE = process.env['PARALLAX_ANSWERS'] ?? 'off';

/** Until the test ends, however often it is called: hooks run in the order in which they were added. */
function keepAnswersIn(t: TestContext, place: string): void {
  process.env['PARALLAX_ANSWERS'] = place;
  t.after(() => {
    process.env['PARALLAX_ANSWERS'] = ELSEWHERE;
  });
}

type Asking = (bench: Bench, ...options: readonly string[]) => Promise<Pick<Ran, 'code' | 'stderr'>>;

const onDatasets =
  (command: Parameters<typeof run>[0], ...more: readonly string[]): Asking =>
  ({ config, folder }, ...options) =>
    run(
      command,
      ...['--config', config, '--corpus', 'topics', '--queries', path.join(folder, 'questions.jsonl')],
      ...['--judge', 'model', ...more, ...options],
    );

const RERANKED = JSON.stringify({
  retriever: { type: 'bm25' },
  rerank: [{ type: 'mmr', lambda: 0.5, embedder: 'hashing' }],
});

const HYDE = JSON.stringify({
  retriever: { type: 'bm25' },
  expansion: { type: 'hyde', model: 'model' },
  k: 2,
});

/** Commands without `--budget`, which send one request for each thing that they announce. */
const OTHERS: Readonly<Record<string, { readonly chat: (request: ChatRequest) => ChatReply; ask: Asking }>> =
  {
    'judge validate': {
      chat: sensible,
      ask: async ({ config, folder }) => {
        const labels = path.join(folder, 'labels.jsonl');
        const pair = {
          question: 'topic1',
          document: 'topic1 first',
          perspective: 'first or second',
          label: 1,
        };
        await writeFile(labels, lines([pair, { ...pair, document: 'topic1 third', label: 0 }]));
        const argv = [
          'validate',
          '--labels',
          labels,
          '--judge',
          'model',
          '--repeats',
          '2',
          '--config',
          config,
        ];
        return run(judgeCommand, ...argv);
      },
    },
    'search --look-deeper': {
      chat: sensible,
      ask: async ({ config }) => {
        const perspective = ['--perspective', 'first or second', '--look-deeper', '5', '--judge', 'model'];
        return run(searchCommand, 'topic1', '--config', config, '--pipeline', 'plain', ...perspective);
      },
    },
    'search with a step that asks a model': {
      chat: () => ({ text: 'topic1 and what is first in it' }),
      ask: async ({ config }) => run(searchCommand, 'topic1', '--config', config, '--pipeline', HYDE),
    },
    'explain with a step that asks a model': {
      chat: () => ({ text: 'topic1 and what is first in it' }),
      ask: async ({ config }) => {
        const asked = ['--query', 'topic1', '--document', 'topic2 third', '--pipeline', HYDE];
        return run(explainCommand, ...asked, '--config', config);
      },
    },
    'build --from questions': {
      chat: (request) => usualReply(askingOf(request)),
      ask: async ({ config, folder }) => {
        const input = path.join(folder, 'asked.txt');
        await writeFile(input, 'Is topic1 good?\nIs topic2 good?\n');
        const out = path.join(folder, 'drafts.jsonl');
        const files = ['--input', input, '--out', out, '--config', config];
        return run(buildCommand, '--from', 'questions', '--generator', 'model', ...files);
      },
    },
    'build stances': {
      chat: () => ({ text: JSON.stringify({ 1: 'support', 2: 'oppose' }) }),
      ask: async ({ config, folder }) => {
        const queries = path.join(folder, 'sideless.jsonl');
        await writeFile(queries, lines([{ id: 'q', text: 'topic1', perspectives: ['first', 'third'] }]));
        const out = path.join(folder, 'sided.jsonl');
        const argv = [
          'stances',
          '--queries',
          queries,
          '--generator',
          'model',
          '--out',
          out,
          '--config',
          config,
        ];
        return run(buildCommand, ...argv);
      },
    },
    'pir --extract': {
      chat: () => ({ text: JSON.stringify({ root: 'tax', perspective: 'left' }) }),
      ask: async ({ config, folder }) => {
        const task = path.join(folder, 'task.json');
        await writeFile(task, JSON.stringify(PIR_TASK));
        return run(
          pirCommand,
          task,
          '--pipeline',
          'bm25',
          '--extract',
          'model',
          '--k',
          '1',
          '--config',
          config,
        );
      },
    },
  };

const BY_MEANING = JSON.stringify({ retriever: { type: 'dense', embedder: 'paid' }, k: 2 });

/** Commands that send passages and questions to an embedder. */
const EMBEDDING: Readonly<Record<string, Asking>> = {
  search: ({ config }) => run(searchCommand, 'topic1', '--config', config, '--pipeline', BY_MEANING),
  explain: ({ config }) => {
    const asked = ['--query', 'topic1', '--document', 'topic2 third', '--pipeline', BY_MEANING];
    return run(explainCommand, ...asked, '--config', config);
  },
  eval: onDatasets(evalCommand, '--pipeline', BY_MEANING, '--k', '2'),
  'eval --store': (bench) =>
    onDatasets(evalCommand, '--pipeline', BY_MEANING, '--store', path.join(bench.folder, 'store'))(bench),
  'check --behaviour': ({ config }) =>
    run(checkCommand, '--behaviour', '--pipeline', BY_MEANING, '--question', 'topic1', '--config', config),
};

const PIR_TASK = {
  corpus: ['tax left', 'tax right'],
  source_queries: ['tax'],
  perspectives: ['left'],
  queries: ['tax left'],
  query_labels: ['L'],
  key_ref: { 0: [0] },
};

const COMMANDS: Readonly<Record<string, Asking>> = {
  eval: onDatasets(evalCommand, '--pipeline', 'plain', '--k', '2'),
  'eval --view analyses': onDatasets(analysesView, '--pipeline', 'plain', '--k', '2'),
  'eval --view pool': onDatasets(poolView, '--pipeline', 'plain', '--k', '2'),
  'eval --view tuning': onDatasets(
    tuningView,
    ...['--pipeline', RERANKED, '--values', '0.9,0.5', '--share', '0.5'],
  ),
  'eval --repeats': onDatasets(evalCommand, '--pipeline', 'plain', '--k', '2', '--repeats', '2'),
  gate: ({ config }, ...options) => run(gateCommand, '--config', config, '--judge', 'model', ...options),
  'gate --repeats': ({ config }, ...options) =>
    run(gateCommand, '--config', config, '--judge', 'model', '--repeats', '2', ...options),
};

const ANSWERS = onDatasets(answersView, '--pipeline', 'plain', '--k', '2');

async function agent(
  bench: Bench,
  budget: number,
): Promise<{ ask: () => Promise<string> } & AsyncDisposable> {
  const host = await CommandLineAgentHost.open(
    { config: bench.config, store: undefined, judge: undefined, budget },
    { stdout: () => undefined, stderr: () => undefined },
  );
  const tools = new AgentTools(host);
  return {
    ask: () => tools.call('evaluate_retrieval', { pipelines: ['plain'], k: 2, judge: true }, {}),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}

describe('a repeated command asks nothing', () => {
  for (const [name, ask] of Object.entries(COMMANDS))
    test(`of ${name}`, async (t) => {
      const bench = await open(t);
      await ask(bench);
      assert.ok(bench.requests() > 0);
      await ask(bench);
      assert.equal(bench.requests(), 0);
    });

  for (const [name, { chat, ask }] of Object.entries(OTHERS))
    test(`of ${name}`, async (t) => {
      const bench = await open(t, chat);
      const { stderr } = await ask(bench);
      assert.ok(bench.requests() > 0, stderr);
      await ask(bench);
      assert.equal(bench.requests(), 0);
    });

  for (const [name, ask] of Object.entries(EMBEDDING))
    test(`of ${name} by meaning`, async (t) => {
      const bench = await open(t);
      const { stderr } = await ask(bench);
      const { length } = bench.server.requests;
      assert.ok(length > 0, stderr);
      await ask(bench);
      assert.deepEqual(
        bench.server.requests.slice(length).map(({ body }) => body),
        [],
      );
    });

  test('of an agent in another session', async (t) => {
    const bench = await open(t);
    const askOnce = async (): Promise<number> => {
      await using session = await agent(bench, 400);
      await session.ask();
      return bench.requests();
    };
    assert.ok((await askOnce()) > 0);
    assert.equal(await askOnce(), 0);
  });

  test('of eval --view answers', async (t) => {
    const bench = await open(t, writing);
    await ANSWERS(bench);
    assert.ok(bench.requests() > 0);
    await ANSWERS(bench);
    assert.equal(bench.requests(), 0);
  });

  test('of a command after another one with the same requests', async (t) => {
    const bench = await open(t);
    await COMMANDS['gate']!(bench);
    assert.ok(bench.requests() > 0);
    for (const name of ['eval', 'eval --view pool', 'gate']) await COMMANDS[name]!(bench);
    await using session = await agent(bench, 400);
    await session.ask();
    assert.equal(bench.requests(), 0);
  });

  test('unless the cache is off', async (t) => {
    const bench = await open(t);
    keepAnswersIn(t, 'off');
    for (let time = 0; time < 2; time++) {
      await COMMANDS['gate']!(bench);
      assert.ok(bench.requests() > 0);
    }
  });

  test('and warns if there is no room for answers', async (t) => {
    if (process.getuid?.() === 0) return t.skip('cannot run here: root may write anywhere');
    const bench = await open(t);
    const closed = temporaryFolder(t);
    await chmod(closed, 0o500);
    keepAnswersIn(t, path.join(closed, 'answers'));
    const { stderr } = await COMMANDS['gate']!(bench);
    assert.match(stderr, /Answers of models are not kept/u);
    assert.ok(bench.requests() > 0);
    return undefined;
  });
});

describe('a budget is a limit', () => {
  for (const [name, ask] of Object.entries(COMMANDS))
    for (const [what, chat] of [
      ['sensible answers', sensible],
      ['quotations to be asked for again', doubtful],
      ['answers that cannot be read', unreadable],
      ['a server that fails', busy],
    ] as const)
      test(`of ${name} with ${what}`, async (t) => {
        for (const budget of [0, 1, 5]) {
          const bench = await open(t, chat);
          const { stderr } = await ask(bench, '--budget', String(budget));
          const sent = bench.requests();
          assert.ok(sent <= budget, `${sent} of ${budget}`);
          if (budget > 0) assert.ok(sent > 0, stderr);
        }
      });

  test('of eval with a step that asks a model', async (t) => {
    for (const budget of [0, 5]) {
      const bench = await open(t, doubtful);
      const { stderr } = await onDatasets(
        evalCommand,
        '--pipeline',
        'plain',
        '--pipeline',
        'reranked',
      )(bench, ...['--k', '2', '--budget', String(budget)]);
      const sent = bench.requests();
      assert.ok(sent <= budget, `${sent} of ${budget}`);
      assert.match(stderr, /reranked asks a model to rank passages: [0-9]+ requests at most/u);
      assert.match(stderr, /reranked was out of requests for 6 of 6 questions/u);
    }
  });

  test('of eval without a judge is divided among the queries, and the next run continues', async (t) => {
    const bench = await open(t);
    const qrels = path.join(bench.folder, 'qrels.txt');
    await writeFile(qrels, topics(6).qrels);
    const ask = (budget: string, pipeline = 'reranked'): Promise<Ran> =>
      run(
        evalCommand,
        ...['--config', bench.config, '--corpus', 'topics', '--qrels', qrels, '--pipeline', pipeline],
        ...['--queries', path.join(bench.folder, 'questions.jsonl'), '--k', '2', '--budget', budget],
      );
    const first = await ask('7');
    assert.equal(first.code, 3);
    assert.match(first.stderr, /reranked was out of requests for 6 of 6 questions \(q1/u);
    assert.match(first.stderr, /The budget is spent\. Run the same command again/u);
    const [, question] = /topic(1)/u.exec(JSON.stringify(bench.server.chatRequests.at(-1)!.messages)) ?? [];
    assert.equal(question, '1', 'the first query gets what is left of one for each');
    assert.equal(bench.requests(), 7);
    let sent = 7;
    let last = first;
    for (let runs = 0; last.code === 3 && runs < 10; runs++) {
      last = await ask('7');
      sent += bench.requests();
    }
    assert.equal(last.code, 0, last.stderr);
    await ask('500');
    assert.equal(bench.requests(), 0, 'nothing is paid twice');
    assert.equal((await ask('0')).code, 0, 'known answers count when nothing may be asked');
    assert.ok(sent > 7);
    await assert.rejects(ask('7', 'plain'), /--budget needs a --judge, or a pipeline that asks a model/u);
  });

  test('of an agent whose pipeline asks a model', async (t) => {
    const bench = await open(t, doubtful);
    const host = await CommandLineAgentHost.open(
      { config: bench.config, store: undefined, judge: undefined, budget: 6 },
      { stdout: () => undefined, stderr: () => undefined },
    );
    await using _ = host;
    const tools = new AgentTools(host);
    const queries = [{ text: 'topic1', perspectives: ['first or second', 'third'] }];
    let sent = 0;
    for (let time = 0; time < 3; time++) {
      await tools
        .call('evaluate_retrieval', { queries, pipelines: ['reranked'], k: 2 }, {})
        .catch(() => undefined);
      sent += bench.requests();
    }
    assert.ok(sent > 0 && sent <= 6, String(sent));
  });

  test('of eval --view answers', async (t) => {
    for (const chat of [writing, unreadable, busy])
      for (const budget of [0, 1, 5]) {
        const bench = await open(t, chat);
        await ANSWERS(bench, '--budget', String(budget));
        const sent = bench.requests();
        assert.ok(sent <= budget, `${sent} of ${budget}`);
        if (budget > 0) assert.ok(sent > 0);
      }
  });

  for (const [what, chat] of [
    ['sensible answers', sensible],
    ['quotations to be asked for again', doubtful],
    ['answers that cannot be read', unreadable],
  ] as const)
    test(`of an agent with ${what}`, async (t) => {
      const bench = await open(t, chat);
      await using session = await agent(bench, 26);
      let sent = 0;
      for (let time = 0; time < 3; time++) {
        await session.ask();
        sent += bench.requests();
      }
      assert.ok(sent > 0 && sent <= 26, String(sent));
    });
});
