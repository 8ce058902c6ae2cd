/** The content of every format of a report, and how figures are shown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GateCheck, GateReport } from '../../../src/features/gate/core/report.ts';
import {
  checksTable,
  circumstances,
  costText,
  figuresTable,
  groundsOf,
  headline,
  lossesOf,
  pCell,
  placeOf,
  reasonsOf,
  UNKNOWN,
} from '../../../src/core/reports/tables.ts';
import { HOSTILE } from './support.ts';

const [missed, passed] = HOSTILE.checks as [GateCheck, GateCheck];
const [dataset] = HOSTILE.datasets;
const [pipeline] = dataset!.pipelines;
const unknown: GateCheck = { ...missed, outcome: 'undecided', reason: 'Nobody judged.' };
const withChecks = (outcome: GateReport['outcome'], ...checks: GateCheck[]): GateReport => ({
  ...HOSTILE,
  outcome,
  checks,
});

test('the first sentence counts missed and undecided checks', () => {
  assert.equal(headline(withChecks('passed', passed)), 'Passed: 1 check.');
  assert.equal(headline(withChecks('missed', missed, passed)), 'Failed: 1 of 2 checks.');
  assert.equal(
    headline(withChecks('missed', missed, unknown, passed)),
    'Failed: 1 of 3 checks; 1 undecided.',
  );
  assert.equal(headline(withChecks('undecided', unknown, passed)), 'Undecided: 1 of 2 checks.');
  assert.match(headline(withChecks('passed')), /^Nothing was checked/u);
  const gaps = { ...HOSTILE, datasets: [{ ...dataset!, gaps: ['A query is missing.'] }] };
  assert.match(headline(gaps), /^Not evaluated: .* questions: A query is missing\.$/u);
});

test('gives the time, the commit and the baseline', () => {
  const { commit, ...bare } = HOSTILE;
  const baseline = { file: 'main.json', at: 'then' };
  assert.equal(circumstances(bare), 'k = 5, judge gpt [x](y), 2026-01-02T03:04:05.000Z.');
  assert.match(circumstances({ ...HOSTILE, baseline }), / on 0123456789, baseline main\.json of then\.$/u);
  assert.match(
    circumstances({ ...bare, baseline: { ...baseline, commit: commit! } }),
    /Z, baseline main\.json of then \(0123456789\)\.$/u,
  );
  const one = { ...dataset!, queries: 1, corpus: { ...dataset!.corpus, passages: 1 } };
  assert.match(groundsOf({ ...HOSTILE, datasets: [one] })[0]!, /: 1 question of .* \(1 passage\);/u);
});

test('a check is shown with its baseline, and its value only if something is judged', () => {
  const paired = { difference: -0.1, low: -0.2, high: 0.05, p: 0.02, wins: 1, losses: 2 };
  const baseline = { value: 0.6, paired };
  const judgedNothing = {
    ...dataset!,
    name: 'new',
    pipelines: [{ ...pipeline!, metrics: { 'Judged@5': 0 } }],
  };
  const { rows } = checksTable({
    ...withChecks(
      'missed',
      { ...missed, baseline } as unknown as GateCheck,
      { ...missed, dataset: 'new' },
      unknown,
    ),
    datasets: [dataset!, judgedNothing],
  });
  assert.deepEqual(rows[0]?.slice(4), ['50.0', '60.0', '−10.0', '[−20.0, +5.0]', '.020']);
  assert.deepEqual(rows[1]?.slice(4), [UNKNOWN, '', '', '', '']);
  assert.equal(rows[2]?.[0], 'undecided');
  assert.deepEqual([pCell(undefined, undefined), pCell(undefined, 0.1)], ['circular', 'corrected']);
});

test('figures of several data sets share one table, with empty cells for missing ones', () => {
  const other = {
    ...dataset!,
    name: 'other',
    pipelines: [{ ...pipeline!, metrics: { 'Precision@5': 0.25 } }],
  };
  const { header, rows } = figuresTable({ ...HOSTILE, datasets: [dataset!, other] });
  assert.deepEqual(header, ['eval set', 'pipeline', 'MRecall@5', 'Judged@5', 'Precision@5']);
  assert.deepEqual(
    rows.map((row) => row.slice(2)),
    [
      ['50.0', '90.0', ''],
      ['', '', '25.0'],
    ],
  );
});

test('lists each reason for a failed check or changed figure once', () => {
  const moved = {
    ...passed,
    baseline: { paired: { difference: 0.1 } },
    reason: 'Moved.',
  } as unknown as GateCheck;
  const same = {
    ...passed,
    baseline: { paired: { difference: 0 } },
    reason: 'Same.',
  } as unknown as GateCheck;
  assert.deepEqual(
    reasonsOf(withChecks('missed', unknown, unknown, moved, same, passed)).map((reason) =>
      reason.slice(reason.lastIndexOf(':') + 2),
    ),
    ['Nobody judged.', 'Moved.'],
  );
});

test('gives the requests to the judge if they are known', () => {
  const asked = (requests: number, tokens: number) => costText({ ...HOSTILE, asked: { requests, tokens } });
  assert.deepEqual(costText(HOSTILE), []);
  assert.match(asked(0, 0)[0]!, /asked nothing/u);
  assert.match(asked(1, 1)[0]!, /asked 1 time in this run \(1 token\)\./u);
  assert.match(asked(2, 30)[0]!, /asked 2 times in this run \(30 tokens\)\./u);
});

test('a perspective is called lost only if it is known to be', () => {
  const query = pipeline!.queries[0]!;
  const [loss] = query.lost;
  const wordOf = (change: Partial<NonNullable<typeof loss>>) =>
    lossesOf({ ...query, lost: [{ ...loss!, newly: false, ...change }] })[0]!.split(':')[0];
  assert.equal(wordOf({}), 'Lost');
  assert.equal(wordOf({ newly: true }), 'Newly lost');
  assert.equal(wordOf({ where: 'not-found' }), 'Not found');
  assert.equal(wordOf({ where: 'unjudged', newly: true }), 'Unjudged');
  assert.equal(wordOf({ unjudged: 2, newly: true }), 'Unjudged');
  assert.equal(wordOf({ quarantined: true, unjudged: 2 }), 'Quarantined');
  assert.equal(placeOf(dataset!, query), 'eval/my questions.jsonl:7');
  assert.equal(placeOf(dataset!, { ...query, line: undefined }), 'eval/my questions.jsonl');
});
