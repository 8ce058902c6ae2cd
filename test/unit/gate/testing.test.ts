/** The part of evaluation in the editor that does not use the editor. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { Evaluator } from '../../../src/features/gate/host/evaluator.ts';
import { comparisonMarkdown, runsMarkdown } from '../../../src/features/gate/host/history-markdown.ts';
import { isEvaluationInput } from '../../../src/features/gate/host/evaluation-inputs.ts';
import { unguardedText } from '../../../src/features/gate/host/unguarded-text.ts';
import { unreachedText } from '../../../src/features/gate/host/unreached-text.ts';
import { configSchema } from '../../../src/shared/config.ts';
import type { EvalQuery } from '../../../src/shared/eval-query.ts';
import {
  gateOf,
  withDefaultBaseline,
  type EvaluationSummary,
  type SummaryRow,
} from '../../../src/shared/evaluation.ts';
import type { Result } from '../../../src/shared/rpc.ts';

const CORPORA = { handbook: { roots: ['docs', './more/'] }, whole: { roots: ['/elsewhere'] } };

describe('inputs of evaluations', () => {
  const config = configSchema.parse({
    corpora: CORPORA,
    gate: { pipelines: ['bm25'], baseline: { file: 'accepted.json' } },
  });
  const rests = (file: string): boolean => isEvaluationInput(file, config, new Set(['eval/a.jsonl']));

  for (const file of [
    'parallax.json',
    'eval/a.jsonl',
    '.parallax/judgements.jsonl',
    '.parallax/baselines/main.json',
    'accepted.json',
    'docs/a/b.md',
    'more/c.txt',
  ])
    test(`${file} is one`, () => assert.equal(rests(file), true));

  for (const file of [
    'app/rag.py',
    'docs-old/a.md',
    'eval/b.jsonl',
    '.parallax/drafts.jsonl',
    'docs/.git/index',
    'docs/node_modules/x/readme.md',
    'elsewhere/a.md',
  ])
    test(`${file} is not`, () => assert.equal(rests(file), false));

  test("a corpus of the whole folder excludes Parallax's own files", () => {
    const all = configSchema.parse({ corpora: { all: { roots: ['.'] } } });
    assert.equal(isEvaluationInput('app/rag.py', all, new Set()), true);
    assert.equal(isEvaluationInput('.parallax/drafts.jsonl', all, new Set()), false);
    assert.equal(isEvaluationInput('.git/HEAD', all, new Set()), false);
  });
});

describe('checks', () => {
  test('come from the gate of parallax.json; without a gate the first or default pipeline has none', () => {
    const pipelines = {
      mine: { retriever: { type: 'dense' }, k: 7 },
      other: { retriever: { type: 'bm25' } },
    };
    const gate = gateOf(configSchema.parse({ pipelines }));
    assert.deepEqual([gate.pipelines, gate.k, gate.thresholds, gate.baseline], [['mine'], 7, [], undefined]);
    assert.deepEqual(gateOf(configSchema.parse({})).pipelines, ['hybrid']);
    const own = configSchema.parse({
      pipelines,
      gate: { pipelines: ['other'], baseline: { file: 'b.json' } },
    });
    assert.equal(withDefaultBaseline(gateOf(own)).baseline!.file, 'b.json');
    assert.equal(withDefaultBaseline(gate).baseline!.file, '.parallax/baselines/main.json');
  });
});

const BAD_CONFIG = 'parallax.json: corpora.docs.roots: there is no such field.';

describe('an evaluation', () => {
  const query = (evalSet: string, id = 'q'): EvalQuery => ({ evalSet, id, text: '?', perspectives: [] });

  function asked(
    evalQueries: EvalQuery[],
    config: object,
    configProblem?: string,
  ): { evaluator: Evaluator; log: unknown[][] } {
    const log: unknown[][] = [];
    const request = (method: string, params: object): Promise<never> => {
      log.push([method, params]);
      return Promise.resolve({} as never);
    };
    const parsed = configSchema.parse(config);
    return {
      log,
      evaluator: new Evaluator({ request }, () => ({ config: parsed, evalQueries, configProblem })),
    };
  }

  test('updates every corpus that it uses first, once', async () => {
    const gate = { pipelines: ['bm25'], corpora: { b: 'whole', 'eval/c.jsonl': 'whole' } };
    const queries = ['eval/a.parallax.jsonl', 'eval/b.jsonl', 'eval/c.jsonl'].map((set) => query(set));
    const { evaluator, log } = asked(queries, { corpora: CORPORA, gate });
    await evaluator.evaluate({ ask: false, baseline: 'present', requestBudget: 0, evalSets: ['x'] }, {});
    assert.deepEqual(log.slice(0, 2), [
      ['index', { corpus: 'handbook', rebuild: false }],
      ['index', { corpus: 'whole', rebuild: false }],
    ]);
    const [method, params] = log[2]! as [string, Record<string, unknown>];
    assert.equal(method, 'evaluate');
    assert.deepEqual([params['ask'], params['budget'], params['evalSets']], [false, undefined, ['x']]);
  });

  test('counting the cost keeps to the budget, since steps of pipelines may ask a model', async () => {
    const { evaluator, log } = asked([query('eval/a.jsonl')], { corpora: CORPORA });
    await evaluator.cost({ prices: {}, requestBudget: 7 }, {});
    const [method, params] = log.at(-1)! as [string, Record<string, unknown>];
    assert.deepEqual([method, params['budget']], ['figuresCost', { requests: 7 }]);
  });

  test('without eval sets explains how to name one', async () => {
    const { evaluator, log } = asked([], { corpora: CORPORA });
    await assert.rejects(
      evaluator.evaluate({ ask: false, baseline: 'none', requestBudget: 5 }, {}),
      (error) => ParallaxError.is(error, 'no-eval-set') && /"evalSets"/u.test(error.message),
    );
    assert.deepEqual(log, []);
  });

  test('with an invalid parallax.json gives the reason and uses no defaults', async () => {
    const { evaluator, log } = asked([query('eval/a.jsonl')], { corpora: CORPORA }, BAD_CONFIG);
    const options = { ask: true, baseline: 'present' as const, requestBudget: 0 };
    for (const work of [
      evaluator.evaluate(options, {}),
      evaluator.accept({}),
      evaluator.cost({ prices: {}, requestBudget: 7 }, {}),
      evaluator.unreached({}),
    ])
      await assert.rejects(
        work,
        (error) => ParallaxError.is(error, 'bad-config') && error.message.startsWith(`${BAD_CONFIG} `),
      );
    assert.deepEqual(log, []);
  });
});

type SummaryChange = NonNullable<SummaryRow['since']>['changes'][number];

const run = (at: string, value: number, since?: SummaryRow['since']): EvaluationSummary => ({
  id: at,
  at,
  k: 5,
  judge: 'labels',
  outcome: 'passed',
  commit: '0123456789abcdef',
  accepted: false,
  rows: [
    {
      dataset: 'a|b',
      evalSet: 'eval/a|b.jsonl',
      pipeline: 'bm25',
      queries: 2,
      figures: { 'MRecall@5': { value, low: value - 0.1, high: value } },
      corpus: 'f00d',
      passages: 9,
      pairs: 8,
      judged: 7,
      ...(since ? { since } : {}),
    },
  ],
});

const CHANGE: Result<'compareEvaluations'> = {
  notes: ['Only then: "dense" on "a|b".'],
  comparisons: [
    {
      dataset: 'a|b',
      pipeline: 'bm25',
      queries: 2,
      configuration: [{ field: 'retriever.k1', then: '0.9', now: '0' }],
      differences: [
        {
          metric: 'MRecall@5',
          then: 1,
          now: 0.5,
          difference: -0.5,
          low: -1,
          high: 0,
          p: 1,
          wins: 0,
          losses: 1,
          ties: 1,
          mayRise: { then: false, now: true },
          attribution: { changes: ['corpus', 'pipeline'], noise: true },
        },
      ],
      changed: [{ id: 'q_1', metrics: { 'MRecall@5': [1, 0] }, gained: [], lost: ['pro'] }],
    },
  ],
};

describe('the history as text', () => {
  const since = {
    id: '2026-01-01',
    at: '2026-01-01',
    changes: ['corpus', 'pipeline'] as SummaryChange[],
    differences: { 'MRecall@5': { difference: -0.5, low: -1, high: 0, p: 1 } },
  };
  const [older, newer] = [run('2026-01-01', 1), run('2026-01-02', 0.5, since)];

  test('has a row for each run with intervals and reasons for changed figures', () => {
    const text = runsMarkdown([newer, { ...older, accepted: true }], 'a|b');
    assert.match(
      text,
      /\| 2026-01-02 \| 0123456789 \| bm25 \| 50\.0 \\\[40\.0, 50\.0\\\] \| 7 of 8 \(labels\) \| −50\.0\. Changed since the run before: the corpus and the pipeline\. The interval includes 0: this may be noise\. \|/u,
    );
    assert.match(text, /\| 2026-01-01 \(baseline\) \|/u);
    assert.ok(text.indexOf('| 2026-01-02') < text.indexOf('| 2026-01-01'));
    assert.doesNotMatch(runsMarkdown([newer], 'a|b', 'dense'), /bm25/u);
    assert.doesNotMatch(runsMarkdown([newer], 'c'), /bm25/u);
  });

  test('compares two runs by query, with differences of configuration', () => {
    const text = comparisonMarkdown(older, newer, CHANGE);
    assert.match(
      text,
      /\| MRecall@5 \| 100\.0 \| ≥ 50\.0 \| −50\.0 \| \\\[−100\.0, 0\.0\\\] \| p 1 \| 0 \/ 1 \|/u,
    );
    assert.match(text, /\| q\\_1 \| pro \| {2}\| MRecall@5 100\.0 → 0\.0 \|/u);
    assert.match(text, /- Only then: "dense" on "a\\\|b"\./u);
    assert.match(text, /- retriever\.k1: 0\.9 → 0/u);
  });
});

test('shares of unreached documents are listed and long lists shortened', () => {
  const unreached = Array.from({ length: 502 }, (_, index) => ({
    path: `d_${index}.md`,
    documents: 1,
    passages: 2,
  }));
  const text = unreachedText({
    corpus: 'docs',
    k: 5,
    queries: 3,
    unreached,
    documents: 505,
    reachedDocuments: 3,
    passages: 1010,
    reachedPassages: 4,
    leftOut: [],
    folders: [{ folder: '', documents: 505, reached: 3 }],
  });
  assert.match(
    text,
    /3 of 505 \(0\.6%\) documents and 4 of 1010 \(0\.4%\) passages are within the top 5 .*, for 3 questions of/u,
  );
  assert.doesNotMatch(text, /Left out/u);
  assert.match(text, /\| d\\_499\.md \| 1 \| 2 \|/u);
  assert.doesNotMatch(text, /d\\_500/u);
  assert.match(text, /… and 2 more\./u);
});

test('unreached documents and failed queries are described in words', () => {
  const part = (path: string): { path: string; documents: number; passages: number } => ({
    path,
    documents: 2,
    passages: 2,
  });
  const folder = (name: string): { folder: string; documents: number; reached: number } => ({
    folder: name,
    documents: 2,
    reached: 1,
  });
  const text = unreachedText({
    corpus: 'docs',
    k: 5,
    queries: 2,
    documents: 9,
    reachedDocuments: 3,
    passages: 9,
    reachedPassages: 3,
    unreached: ['./', 'a/', 'a/b.jsonl#…', 'c.csv#7', 'C#.md'].map(part),
    folders: ['', 'a/', 'a/b.jsonl#', 'F#/'].map(folder),
    leftOut: [{ id: 'q_7', text: 'Is *this* fair?' }],
  });
  const cells = [...text.matchAll(/^\| (.*?) \| 2 \|/gmu)].map(([, first]) => first);
  assert.deepEqual(cells, [
    ...['(in no folder)', 'a/', 'a/b.jsonl (records)', 'F#/'],
    ...['the whole corpus', 'a/', 'a/b.jsonl, all records', 'c.csv, record 7', 'C#.md'],
  ]);
  assert.match(text, /, for 1 question of the eval sets\./u);
  assert.match(text, /## Left out\n\n.* Fetch them .*\n\n- Is \\\*this\\\* fair\? \(q\\_7\)\n/u);
});

describe('some queries failed and the gate passed', () => {
  for (const [failed, queries, said] of [
    [3, 8, /^3 of 8 questions lost perspectives against the baseline; the gate has no check against it\.$/u],
    [1, 8, /^1 of 8 questions lost perspectives .* has no check against it\.$/u],
    [1, 1, /^1 of 1 question lost perspectives .* has no check against it\.$/u],
  ] as const)
    test(`${failed} of ${queries}`, () => {
      assert.match(unguardedText({ outcome: 'passed' }, failed, queries)!, said);
      assert.equal(unguardedText({ outcome: 'missed' }, failed, queries), undefined);
      assert.equal(unguardedText({ outcome: 'not-evaluated' }, failed, queries), undefined);
      assert.equal(unguardedText({ outcome: 'passed' }, 0, queries), undefined);
    });
});
