/** An eval set as tests: its failures and what they show. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  coverageTallies,
  failedSearches,
  failedSearchesText,
  quarantinedIn,
  undecidedIn,
  isChecked,
  queryFailures,
  setOutcome,
  tallyText,
  uncheckedSentence,
  unknownIn,
  type QueryFailure,
} from '../../../src/features/gate/core/query-outcome.ts';
import type { GateReport } from '../../../src/features/gate/core/report.ts';
import { toJUnit } from '../../../src/core/reports/junit.ts';
import { accepted, all, dataset, report } from './support.ts';

const BASELINE = { baseline: { file: 'main.json' } };
const SET = 'eval/set.jsonl';

function failuresOf(found: GateReport, id: string): QueryFailure[] {
  const perspectives = [
    { id: 'pro', text: `for ${id}` },
    { id: 'con', text: `against ${id}` },
  ];
  return queryFailures(found, SET, { id, text: `question ${id}`, perspectives });
}

describe('against a baseline', () => {
  const before = dataset({ bm25: { ...all(6, 'both'), poor: 'one' } });
  const after = dataset(
    { bm25: { ...all(6, 'both'), q1: 'one', q2: 'one', poor: 'one' } },
    { whole: ['q1'] },
  );
  const found = report(BASELINE, after, accepted(before));

  test('a query that lost a perspective fails, even if one loss of seven is not significant', () => {
    assert.equal(found.outcome, 'undecided', 'the mean is a lower bound');
    const [failure, ...more] = failuresOf(found, 'q1');
    assert.deepEqual(more, []);
    assert.equal(
      failure!.message,
      'bm25 lost a perspective: against q1 (First supported at rank 3, below 2).',
    );
    assert.equal(
      failure!.expected,
      'Perspectives within the top 2\n  covered  for q1\n  covered  against q1\nTop 2\n  1  pro of q1\n  2  con of q1\n',
    );
    assert.equal(
      failure!.actual,
      'Perspectives within the top 2\n  covered  for q1\n  lost  against q1 (First supported at rank 3, below 2)\nTop 2\n  1  pro of q1\n  2  other of q1 (new)\n',
    );
  });

  test('perspectives that the baseline lost or never had are no failure', () => {
    assert.deepEqual(failuresOf(found, 'poor'), []);
    const added = dataset({ bm25: { ...all(6, 'both'), poor: 'one', added: 'none' } });
    assert.deepEqual(failuresOf(report(BASELINE, added, accepted(before)), 'added'), []);
  });

  test('a perspective with unjudged pairs neither fails nor passes', () => {
    assert.deepEqual(failuresOf(found, 'q2'), []);
    assert.deepEqual(undecidedIn(found, SET, 'q2'), [
      'bm25, against q2: 2 of the top 2 are unjudged for it; first supported at rank 3, below 2.',
      'bm25: MRecall@2 vs. baseline (here 0.0) depends on unjudged passages.',
    ]);
    assert.deepEqual(undecidedIn(found, SET, 'q1'), []);
    assert.match(
      toJUnit(found),
      /name="query q2" time="[\d.]+">\n\s*<skipped message="against q2: 2 of the top 2 are unjudged/u,
    );
    const demand = { thresholds: [{ metric: 'Judged@2', min: 1 }], ...BASELINE };
    const [failure] = failuresOf(report(demand, after, accepted(before)), 'q2');
    assert.match(failure!.expected, /\n {2}covered {2}against q2\n/u);
    assert.match(failure!.actual, /\n {2}unjudged {2}against q2\n/u);
  });

  test('another question loses nothing', () => {
    const reworded = dataset({ bm25: { ...all(6, 'both'), q1: 'one', poor: 'one' } }, { digest: 'another' });
    assert.deepEqual(failuresOf(report(BASELINE, reworded, accepted(before)), 'q1'), []);
  });

  test('a moved passage is shown with its former rank', () => {
    const swapped = dataset({ bm25: { q: 'none' } }, { whole: ['q'] });
    const [failure] = failuresOf(report(BASELINE, swapped, accepted(dataset({ bm25: { q: 'one' } }))), 'q');
    assert.match(failure!.expected, /Top 2\n {2}1 {2}pro of q\n {2}2 {2}other of q\n$/u);
    assert.match(failure!.actual, /Top 2\n {2}1 {2}other of q \(was 2\)\n {2}2 {2}noise of q \(new\)\n$/u);
    assert.match(failure!.expected, /\n {2}lost {2}against q\n/u);
    assert.match(failure!.actual, /\n {2}lost {2}against q\n/u, 'nothing changed there');
  });
});

test('a query that a pipeline could not ask says so, and its set counts them', () => {
  const set = dataset({ bm25: { a: 'none', b: 'one' } });
  const queryErrors = [{ query: 'a', message: 'It did not answer.' }];
  const failing = { ...set, pipelines: set.pipelines.map((pipeline) => ({ ...pipeline, queryErrors })) };
  const found = report({}, failing);
  assert.deepEqual(failedSearches(found, SET, 'a'), [
    'bm25 could not be asked this, which counts as finding nothing: It did not answer.',
  ]);
  assert.deepEqual(failedSearches(found, SET, 'b'), []);
  assert.equal(failedSearchesText(found, SET), '1 of 2 questions failed');
  assert.equal(failedSearchesText(report({}, set), SET), undefined);
});

describe('against thresholds', () => {
  const set = dataset({ bm25: { a: 'both', b: 'one' }, mmr: { a: 'both', b: 'both' } }, { whole: ['b'] });
  const found = report({ thresholds: [{ metric: 'MRecall@2', min: 0.8 }] }, set);

  test('a query fails if it makes the mean miss, for that pipeline only', () => {
    assert.deepEqual(failuresOf(found, 'a'), []);
    const failures = failuresOf(found, 'b');
    assert.deepEqual(
      failures.map(({ pipeline }) => pipeline),
      ['bm25'],
    );
    assert.match(failures[0]!.message, /^bm25 missed: MRecall@2 ≥ 80\.0 \(here 0\.0\)\.$/u);
    assert.match(failures[0]!.expected, /covered {2}against b\nRequired mean\n {2}MRecall@2 ≥ 80\.0\n$/u);
    assert.match(failures[0]!.actual, /Required mean\n {2}MRecall@2 = 0\.0\n$/u);
  });

  test('a query that depends on unjudged passages neither fails nor passes', () => {
    const open = dataset({ bm25: { a: 'both', b: 'one', c: 'none' } }, { whole: ['c'] });
    const missed = report({ thresholds: [{ metric: 'MRecall@2', min: 0.8 }] }, open);
    assert.equal(missed.outcome, 'missed');
    assert.equal(failuresOf(missed, 'c').length, 1);
    for (const [least, outcome] of [
      [0.8, 'missed'],
      [0.6, 'undecided'],
    ] as const) {
      const hangs = report({ thresholds: [{ metric: 'MRecall@2', min: least }] }, open);
      assert.equal(hangs.outcome, outcome);
      assert.deepEqual(failuresOf(hangs, 'b'), []);
      assert.deepEqual(undecidedIn(hangs, SET, 'b'), [
        `bm25: MRecall@2 ≥ ${least * 100}.0 (here 0.0) depends on unjudged passages.`,
      ]);
      assert.deepEqual(undecidedIn(hangs, SET, 'a'), []);
    }
  });

  test('a query without judgements does not pass, even if the mean is reached', () => {
    const known = dataset({ bm25: { a: 'both', b: 'both', c: 'none', d: 'one' } });
    const reached = report({ thresholds: [{ metric: 'MRecall@2', min: 0.5 }] }, known);
    assert.equal(reached.outcome, 'passed');
    assert.deepEqual(failuresOf(reached, 'c'), []);
    assert.deepEqual(unknownIn(reached, SET, 'c'), [
      'bm25: The result is unknown: no judged passage in the top 2 supports a perspective, and each perspective still has unjudged passages. Label passages, or have a model judge them.',
    ]);
    assert.deepEqual(unknownIn(reached, SET, 'd'), [], 'it covers one');
    assert.match(
      toJUnit(reached),
      /name="query c" time="[\d.]+">\n\s*<skipped message="The result is unknown/u,
    );
    assert.match(toJUnit(reached), /name="query d" time="[\d.]+"\/>/u);
  });

  test('a reached mean fails no query, however poor', () => {
    const lenient = report({ thresholds: [{ metric: 'MRecall@2', min: 0.5 }] }, set);
    assert.deepEqual(failuresOf(lenient, 'b'), []);
  });

  test('the set fails with the reasons of its own checks', () => {
    assert.deepEqual(setOutcome(found, SET), {
      outcome: 'missed',
      reasons: ['bm25: MRecall@2 over 2 questions is 50.0, which is below 80.0.'],
    });
    const sets = [set, dataset({ bm25: { c: 'both' } }, { name: 'other' })];
    const both = report({ thresholds: [{ metric: 'MRecall@2', min: 0.8 }] }, sets);
    assert.equal(setOutcome(both, 'eval/other.jsonl').outcome, 'passed');
  });

  test('an undecided check does not pass', () => {
    const baseline = accepted(dataset({ other: { a: 'both', b: 'both' } }));
    const { outcome, reasons } = setOutcome(report(BASELINE, set, baseline), SET);
    assert.equal(outcome, 'undecided');
    assert.match(reasons[0]!, /^bm25: The baseline has no pipeline "bm25" on "set"\./u);
  });
});

describe('without checks', () => {
  const set = dataset({ bm25: { a: 'both', b: 'one' } }, { tags: { b: ['policy'] } });
  const checked = (found: GateReport): boolean[] => ['a', 'b'].map((id) => isChecked(found, SET, id));

  test('without a baseline and thresholds the set reports that nothing is checked', () => {
    const found = report({}, set);
    assert.deepEqual(checked(found), [false, false]);
    assert.equal(
      uncheckedSentence(found, SET),
      'Skipped: there is no baseline to compare with, and no threshold.',
    );
    assert.deepEqual(setOutcome(found, SET), {
      outcome: 'unchecked',
      reasons: [uncheckedSentence(found, SET)],
    });
  });

  test('a threshold with a tag checks the queries with the tag', () => {
    const found = report({ thresholds: [{ metric: 'MRecall@2', min: 0, tag: 'policy' }] }, set);
    assert.deepEqual(checked(found), [false, true]);
    assert.equal(setOutcome(found, SET).outcome, 'passed');
  });

  test('a baseline checks its own queries, not new queries or pipelines', () => {
    const first = accepted(dataset({ bm25: { a: 'both' } }));
    const found = report(BASELINE, set, first);
    assert.deepEqual(checked(found), [true, false]);
    assert.match(
      uncheckedSentence(found, SET, 'b'),
      /^Skipped: .* The baseline does not have the question "b"\. Accept a new baseline/u,
    );
    const another = accepted(dataset({ bm25: { a: 'both' } }, { name: 'else' }));
    assert.match(
      uncheckedSentence(report(BASELINE, set, another), SET, 'a'),
      /The baseline has no eval set "set"\. Accept a new baseline/u,
    );
    const reworded = dataset({ bm25: { a: 'both' } }, { digest: 'another' });
    assert.match(
      uncheckedSentence(report(BASELINE, reworded, first), SET, 'a'),
      /another text or other perspectives for the question "a"/u,
    );
    const other = accepted(dataset({ dense: { a: 'both', b: 'one' } }));
    assert.deepEqual(checked(report(BASELINE, set, other)), [false, false]);
  });

  test('lost perspectives are reported once, with their texts', () => {
    const before = accepted(dataset({ bm25: { a: 'both', b: 'both' } }));
    const after = dataset({ bm25: { a: 'both', b: 'one' } }, { whole: ['b'] });
    const spec = { baseline: { file: 'main.json', lostPerspectives: 0 } };
    const messages = failuresOf(report(spec, after, before), 'b').map(({ message }) => message);
    assert.equal(messages.length, 1);
    assert.match(messages[0]!, /^bm25 lost a perspective: against b \([^)]+\)\./u);
    assert.doesNotMatch(messages[0]!, /lost perspectives ≤/u);
  });

  test('a baseline that covered no perspective of a query requires nothing of it', () => {
    const before = accepted(dataset({ bm25: { a: 'both', b: 'none' } }));
    const found = report({ baseline: { file: 'main.json', lostPerspectives: 0 } }, set, before);
    assert.deepEqual(checked(found), [true, false]);
    assert.match(uncheckedSentence(found, SET, 'b'), /^Skipped: the baseline covers nothing/u);
    const nothing = dataset({ bm25: { a: 'none', b: 'none' } });
    const spec = { baseline: { file: 'main.json', lostPerspectives: 0 } };
    assert.equal(setOutcome(report(spec, nothing, accepted(nothing)), SET).outcome, 'unchecked');
    const some = accepted(dataset({ bm25: { a: 'both', b: 'one' } }));
    assert.deepEqual(checked(report(BASELINE, set, some)), [true, true], 'one perspective can be lost');
  });

  test('reports covered and judged pairs per query and set, for each pipeline if there are several', () => {
    const found = report({}, dataset({ bm25: { a: 'both', b: 'one' }, mmr: { a: 'both', b: 'both' } }));
    const [a, b] = ['a', 'b'].map((id) => ({
      id,
      text: '',
      perspectives: [
        { id: 'pro', text: '' },
        { id: 'con', text: '' },
      ],
    }));
    assert.equal(
      tallyText(coverageTallies(found, SET, [b!])),
      'bm25 1/2, mmr 2/2 covered, 3 of 8 pairs judged',
    );
    assert.equal(tallyText(coverageTallies(report({}, set), SET, [a!])), '2/2 covered, 2 of 4 pairs judged');
    assert.equal(
      tallyText(coverageTallies(report({}, set), SET, [a!, b!])),
      '3/4 covered, 3 of 8 pairs judged',
    );
  });
});

test('an eval set without an evaluation has no failures', () => {
  const found = report({}, dataset({ bm25: { a: 'none' } }));
  assert.deepEqual(queryFailures(found, 'eval/else.jsonl', { id: 'a', text: '', perspectives: [] }), []);
  assert.deepEqual(setOutcome(found, 'eval/else.jsonl'), { outcome: 'passed', reasons: [] });
});

test('a fully quarantined query does not fail and says why', () => {
  const gate = { baseline: { file: 'main.json', repeats: 5 } };
  const baseline = accepted(dataset({ bm25: { a: 'both', b: 'both' } }));
  const repeated = [{ query: 'a', pipeline: 'bm25', perspective: 'con', runs: 5, now: 4, then: 5 }];
  const now = { ...dataset({ bm25: { a: 'one', b: 'both' } }), repeated };
  const found = report(gate, now, baseline);
  const [query] = now.queries;
  assert.deepEqual(queryFailures(found, SET, query!), []);
  assert.match(
    quarantinedIn(found, SET, 'a').join(),
    /^bm25, against a: .*Quarantined: judged again 5 times/u,
  );
  assert.deepEqual(quarantinedIn(found, SET, 'b'), []);
});
