/** The history panel's controller with a fake evaluator and a fake editor. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { HistoryController } from '../../../src/features/gate/host/history-controller.ts';
import { configSchema } from '../../../src/shared/config.ts';
import type { EvaluationSummary } from '../../../src/shared/evaluation.ts';
import {
  toHistorySchema,
  type FromHistory,
  type ToHistory,
} from '../../../src/features/history/contract/panel.ts';
import { HISTORY_FIXTURES } from '../../panels/history-fixtures.ts';

const RUNS: readonly EvaluationSummary[] = HISTORY_FIXTURES.runs.runs;
const { comparison } = HISTORY_FIXTURES.compared.state.compared;
const SET = 'eval/questions.parallax.jsonl';

interface Bench {
  readonly controller: HistoryController;
  /** Requested actions besides messages to the panel. */
  readonly log: unknown[];
  readonly posted: ToHistory[];
  runs: readonly EvaluationSummary[];
  unlisted: number;
  trusted: boolean;
  mayReplace: boolean;
  failure: ParallaxError | undefined;
  evaluating: () => Promise<void>;
}

function bench(): Bench {
  const log: unknown[] = [];
  const posted: ToHistory[] = [];
  const config = configSchema.parse({ gate: { pipelines: ['bm25', 'hybrid'] } });
  const perspectives = [{ id: 'sleep', text: 'Teenagers get more sleep.' }];
  const evalQueries = [
    { evalSet: SET, id: 'school-start', text: 'Should schools start later?', perspectives },
    { evalSet: SET, id: 'other', text: 'What else?', perspectives: [] },
    { evalSet: 'eval/empty.jsonl', id: 'x', text: '?', perspectives: [] },
  ];
  const noted =
    (what: string) =>
    (...given: unknown[]): Promise<void> => {
      log.push([what, ...given]);
      return Promise.resolve();
    };
  const own: Bench = {
    log,
    posted,
    runs: RUNS,
    unlisted: 0,
    trusted: true,
    mayReplace: true,
    failure: undefined,
    evaluating: () => Promise.resolve(),
    controller: new HistoryController({
      evaluator: {
        history: () =>
          own.failure
            ? Promise.reject(own.failure)
            : Promise.resolve({ evaluations: [...own.runs], unlisted: own.unlisted }),
        compare: (then, now) => {
          log.push(['compare', then, now]);
          return Promise.resolve(comparison);
        },
        acceptKept: (id) => {
          log.push(['accept', id]);
          own.runs = own.runs.map((run) => (run.id === id ? { ...run, accepted: true } : run));
          return Promise.resolve({ file: 'main.json', isNew: true, holes: [] });
        },
      },
      workspace: () => ({ config, evalQueries }),
      trusted: () => own.trusted,
      actions: {
        // Every posted message fits the schema.
        post: (message) => posted.push(toHistorySchema.parse(structuredClone(message))),
        evaluate: () => own.evaluating(),
        mayReplaceBaseline: () => Promise.resolve(own.mayReplace),
        accepted: (outcome) => void log.push(['accepted', outcome]),
        inspect: noted('inspect'),
        openEvalSet: noted('open'),
        applyRemedy: noted('remedy'),
        copy: noted('copy'),
        save: noted('save'),
        log: () => undefined,
      },
    }),
  };
  return own;
}

const ready: FromHistory = { type: 'ready' };
const typesOf = (posted: readonly ToHistory[]): string[] => posted.map(({ type }) => type);

describe('the history panel', () => {
  test('receives the runs before the state that counts them, once, and again if they change', async () => {
    const { controller, posted } = bench();
    await controller.handle(ready);
    assert.deepEqual(typesOf(posted), ['runs', 'state']);
    assert.deepEqual(posted[0], { type: 'runs', revision: 1, runs: RUNS });
    assert.deepEqual(controller.state().demands, {
      k: 5,
      evalSets: [SET],
      pipelines: ['bm25', 'hybrid'],
    });
    await controller.runsChanged();
    assert.deepEqual(typesOf(posted), ['runs', 'state', 'state']);
    await controller.handle(ready);
    assert.deepEqual(typesOf(posted).slice(3), ['runs', 'state']);
    controller.dispose();
  });

  test('asks the engine nothing before it is open or without trust', async () => {
    const own = bench();
    own.failure = new ParallaxError('internal', 'asked');
    await own.controller.runsChanged();
    assert.deepEqual(own.posted, []);
    own.trusted = false;
    await own.controller.handle(ready);
    assert.equal(own.controller.state().error, undefined);
    assert.deepEqual(typesOf(own.posted), ['state']);
    own.controller.dispose();
  });

  test('shows a new run without reopening', async () => {
    const own = bench();
    own.runs = RUNS.slice(1);
    await own.controller.handle(ready);
    own.runs = RUNS;
    await own.controller.runsChanged();
    assert.deepEqual(own.posted.at(-2), { type: 'runs', revision: 2, runs: RUNS });
    own.unlisted = 3;
    await own.controller.runsChanged();
    assert.deepEqual(own.posted.at(-2), { type: 'runs', revision: 3, runs: RUNS, unlisted: 3 });
    own.controller.dispose();
  });

  test('evaluates in a task that can be cancelled, and shows the stored result', async () => {
    const own = bench();
    own.runs = [];
    await own.controller.handle(ready);
    own.evaluating = async () => {
      assert.equal(own.controller.state().task?.title, 'Evaluating the workspace');
      own.runs = RUNS.slice(-1);
      await Promise.resolve();
    };
    await own.controller.handle({ type: 'evaluate' });
    assert.equal(own.controller.state().task, undefined);
    assert.deepEqual(own.posted.at(-2), { type: 'runs', revision: 2, runs: RUNS.slice(-1) });
    own.controller.dispose();
  });

  test('compares the later run with the earlier one, with texts of existing queries', async () => {
    const { controller, log } = bench();
    await controller.handle(ready);
    await controller.handle({ type: 'compare', ids: ['run-8', 'run-7'] });
    assert.deepEqual(log, [['compare', 'run-7', 'run-8']]);
    const { then, now, questions } = controller.state().compared!;
    assert.deepEqual([then, now], ['run-7', 'run-8']);
    assert.deepEqual(questions, {
      questions: {
        'school-start': {
          text: 'Should schools start later?',
          perspectives: { sleep: 'Teenagers get more sleep.' },
        },
      },
    });
    await controller.handle({ type: 'copy-comparison' });
    assert.match(JSON.stringify(log.at(-1)), /^\["copy","# Evaluations compared/);
    await controller.handle({ type: 'close-comparison' });
    assert.equal(controller.state().compared, undefined);
    controller.dispose();
  });

  test('reports a deleted run', async () => {
    const { controller } = bench();
    await controller.handle({ type: 'compare', ids: ['run-8', 'nothing'] });
    assert.match(controller.state().error!.message, /no longer in the history/);
    await controller.handle({ type: 'dismiss-error' });
    assert.equal(controller.state().error, undefined);
    controller.dispose();
  });

  test('accepts a run as the baseline unless the user keeps the current one, and marks it', async () => {
    const own = bench();
    await own.controller.handle(ready);
    own.mayReplace = false;
    await own.controller.handle({ type: 'accept', id: 'run-3' });
    assert.deepEqual(own.log, []);
    own.mayReplace = true;
    await own.controller.handle({ type: 'accept', id: 'run-3' });
    assert.deepEqual(own.log, [
      ['accept', 'run-3'],
      ['accepted', { file: 'main.json', isNew: true, holes: [] }],
    ]);
    const message = own.posted.findLast(({ type }) => type === 'runs') as Extract<
      ToHistory,
      { type: 'runs' }
    >;
    assert.equal(message.runs.find(({ id }) => id === 'run-3')!.accepted, true);
    own.controller.dispose();
  });

  test('forwards actions to the editor', async () => {
    const { controller, log } = bench();
    await controller.handle(ready);
    await controller.handle({ type: 'copy-runs', dataset: 'questions', pipeline: 'bm25' });
    await controller.handle({ type: 'open-eval-set', evalSet: SET });
    await controller.handle({ type: 'inspect', evalSet: SET, queryId: 'a', pipeline: 'bm25' });
    await controller.handle({ type: 'save-chart', name: 'MRecall@5 a/b', format: 'csv', content: 'x' });
    await controller.handle({ type: 'remedy', remedy: 'open-config' });
    const [copied, ...others] = log;
    assert.match(JSON.stringify(copied), /^\["copy","# Evaluations of questions/);
    assert.deepEqual(others, [
      ['open', SET],
      ['inspect', SET, 'a', 'bm25'],
      ['save', 'mrecall@5-a-b.csv', 'x'],
      ['remedy', 'open-config', undefined],
    ]);
    controller.dispose();
  });

  test('shows a failure in the state and never throws', async () => {
    const own = bench();
    own.failure = new ParallaxError('store-unusable', 'The database is damaged.');
    await own.controller.handle(ready);
    assert.deepEqual(own.controller.state().error, { message: 'The database is damaged.', remedies: [] });
    own.controller.dispose();
  });
});
