/** Validates judges with the real engine and a scripted model, without the editor. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { ParallaxError, type ErrorId } from '../../../src/core/errors.ts';
import { type Engine } from '../../../src/engine/engine.ts';
import type { CostSettings } from '../../../src/extension/judging/cost-settings.ts';
import {
  ValidationController,
  type LabelSource,
  type ValidationPlan,
} from '../../../src/features/validation/host/validation-controller.ts';
import { configSchema, LABELS_FILE } from '../../../src/shared/config.ts';
import type { ValidationReport } from '../../../src/features/validation/core/report.ts';
import { startModelServer, verdictReply, type ModelServer } from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { testWorkspace } from '../../fixtures/workspace.ts';

const PAIRS = [
  ['Cats calm everyone at work.', 'Cats calm people.', 1],
  ['Cats calm everyone at work.', 'Cats make people sneeze.', 0],
  ['Cats make people sneeze.', 'Cats make people sneeze.', 1],
  ['The printer is out of paper.', 'Cats calm people.', 0],
] as const;

const judgesAt = ({ url }: ModelServer) => {
  const model = {
    type: 'openai' as const,
    mode: 'pair' as const,
    baseUrl: url,
    model: 'scripted',
    maxRetries: 0,
  };
  return { model, strict: { ...model, standard: 'strict' as const } };
};

class Bench {
  readonly controller: ValidationController;
  readonly server: ModelServer;
  readonly shown: { readonly text: string; readonly report: ValidationReport }[] = [];
  readonly confirmed: ValidationPlan[] = [];
  readonly offered: string[][] = [];
  judges: readonly string[] | undefined = ['model'];
  source: LabelSource | undefined;
  corpus: string | undefined = 'office';
  agrees = true;
  trusted = true;
  settings: CostSettings = { confirmCallsAbove: 0, requestBudget: 0, prices: {} };
  /** Cancels the work after its first step. */
  breaksOff = false;

  constructor(engine: Engine, folder: string, server: ModelServer, corpora: readonly string[]) {
    this.server = server;
    this.source = { own: false, path: path.join(folder, 'labels.jsonl') };
    const config = configSchema.parse({
      corpora: Object.fromEntries(corpora.map((name) => [name, { roots: [name] }])),
      judges: judgesAt(server),
      judge: 'model',
    });
    this.controller = new ValidationController({
      engine: {
        request: async (method, params, options = {}) => {
          const answer = engine[method] as (params: unknown, context: unknown) => Promise<never>;
          return answer.call(engine, params, {
            signal: options.signal ?? new AbortController().signal,
            report: options.onNote ?? (() => undefined),
          });
        },
      },
      workspace: () => ({ open: true, config, evalQueries: [] }),
      trusted: () => this.trusted,
      judgeSetting: () => 'auto',
      costSettings: () => this.settings,
      actions: {
        chooseJudges: async (choices, likely) => {
          this.offered.push([likely, ...choices.map(({ name }) => name)]);
          return this.judges;
        },
        chooseLabels: async () => this.source,
        chooseCorpus: async () => this.corpus,
        confirm: async (plan) => {
          this.confirmed.push(plan);
          return this.agrees;
        },
        progress: (_title, work) => {
          const controller = new AbortController();
          return work({
            signal: controller.signal,
            onNote: () => {
              if (this.breaksOff) controller.abort();
            },
          });
        },
        show: async (text, report) => void this.shown.push({ text, report }),
      },
    });
  }

  async refused(id: ErrorId, message: RegExp): Promise<void> {
    await assert.rejects(this.controller.run(), (error) => {
      assert.ok(ParallaxError.is(error, id), String(error));
      assert.match(error.message, message);
      return true;
    });
    assert.equal(this.shown.length, 0);
  }
}

async function setUp(t: TestContext, corpora: readonly string[] = ['office']): Promise<Bench> {
  const lines = PAIRS.map(([document, perspective, label]) =>
    JSON.stringify({ question: 'Cats?', document, perspective, label }),
  );
  // Finds support in passages about cats.
  const server = await startModelServer({
    chat: ({ messages }) => verdictReply(/cats/i.test(readPairPrompt(messages).passage) ? 'yes' : 'no'),
  });
  const workspace = await testWorkspace(t, {
    files: {
      'labels.jsonl': lines.join('\n'),
      ...Object.fromEntries(corpora.map((name) => [`${name}/calm.md`, 'Cats calm everyone at work.'])),
    },
    corpora: Object.fromEntries(corpora.map((name) => [name, { roots: [name] }])),
    judges: judgesAt(server),
  });
  t.after(() => server.close());
  const { engine, folder } = workspace;
  const bench = new Bench(engine, folder, server, corpora);
  return bench;
}

/** A person's label on the one document of a corpus. */
function label(bench: Bench, verdict: 'yes' | 'no'): void {
  const { source } = bench;
  assert.ok(source && !source.own);
  const file = path.join(path.dirname(source.path), LABELS_FILE);
  mkdirSync(path.dirname(file), { recursive: true });
  const line = {
    v: 1,
    query: 'q',
    perspective: 'p',
    perspectiveText: 'Cats calm people.',
    document: 'office/calm.md',
    quote: 'Cats calm everyone',
    by: { kind: 'human', name: 'ann' },
    at: '2026-01-01T00:00:00Z',
    verdict,
  };
  writeFileSync(file, `${JSON.stringify(line)}\n`);
  bench.source = { own: true };
}

describe('validating judges', () => {
  test('announces the cost, asks, and shows judges side by side', async (t) => {
    const bench = await setUp(t);
    bench.judges = ['model', 'strict'];
    await bench.controller.run();
    assert.deepEqual(
      bench.offered,
      [['model', 'model', 'strict', 'vscode']],
      'neither people nor the heuristic',
    );
    const [plan] = bench.confirmed;
    assert.deepEqual([plan?.pairs, plan?.of, plan?.effort.requests.most], [4, undefined, 8]);
    assert.equal(bench.server.requests.length, 8);
    const [{ text, report } = { text: '', report: undefined }] = bench.shown;
    assert.deepEqual(
      report?.judges.map(({ judge, accuracy }) => [judge, judge === 'model' ? accuracy : 'any']),
      [
        ['model', 0.75],
        ['strict', 'any'],
      ],
    );
    assert.match(text, /4 labelled pairs of .*labels\.jsonl, 2 of them labelled as support/);
    await bench.controller.run();
    assert.equal(bench.server.requests.length, 8, 'answers are not paid for twice');
  });

  test('asks nothing if the user cancels at any step', async (t) => {
    const bench = await setUp(t);
    bench.agrees = false;
    await bench.controller.run();
    bench.agrees = true;
    bench.source = undefined;
    await bench.controller.run();
    bench.judges = undefined;
    await bench.controller.run();
    bench.judges = [];
    await bench.controller.run();
    assert.equal(bench.confirmed.length, 1);
    assert.deepEqual([bench.shown.length, bench.server.requests.length], [0, 0]);
  });

  test('few calls need no confirmation', async (t) => {
    const bench = await setUp(t);
    bench.settings = { ...bench.settings, confirmCallsAbove: 4 };
    await bench.controller.run();
    assert.deepEqual([bench.confirmed.length, bench.shown.length], [0, 1]);
  });

  test('a budget leaves a part of the pairs, which is reported', async (t) => {
    const bench = await setUp(t);
    bench.settings = { ...bench.settings, requestBudget: 2, confirmCallsAbove: 100 };
    await bench.controller.run();
    const [plan] = bench.confirmed;
    assert.deepEqual([plan?.pairs, plan?.of, plan?.effort.requests.most], [2, 4, 2]);
    assert.equal(bench.shown[0]?.report.labels.pairs, 2);
    assert.equal(bench.server.requests.length, 2);
  });

  test('sends nothing without trust', async (t) => {
    const bench = await setUp(t);
    bench.trusted = false;
    await bench.refused('untrusted', /until you trust the folder/);
    assert.equal(bench.server.requests.length, 0);
  });

  test('offers the labels of the workspace with their corpus', async (t) => {
    const bench = await setUp(t, ['office', 'news']);
    label(bench, 'yes');
    await bench.controller.run();
    assert.equal(bench.shown[0]?.report.labels.yes, 1, bench.shown[0]?.text);
    assert.match(bench.shown[0].text, /1 labelled pairs? of \.parallax\/judgements\.jsonl/);
    bench.corpus = undefined;
    await bench.controller.run();
    assert.equal(bench.shown.length, 1, 'without a corpus the user gave up');
  });

  test('reports invalid labels', async (t) => {
    const bench = await setUp(t);
    bench.source = { own: true };
    await bench.refused('not-found', /has no labels yet/);
    bench.source = { own: false, path: '/nowhere/labels.jsonl' };
    await bench.refused('not-found', /Cannot read \/nowhere\/labels\.jsonl: no such file/);
  });

  test('can be cancelled without a report', async (t) => {
    const bench = await setUp(t);
    bench.breaksOff = true;
    await bench.refused('cancelled', /./);
  });
});
