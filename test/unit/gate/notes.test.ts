/** What a gate reports besides its checks: notes, gaps, and the details of a query. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caveatsOf } from '../../../src/features/gate/core/accept.ts';
import type { EvaluatedDataset, EvaluatedPipeline } from '../../../src/features/gate/core/evaluated.ts';
import { openQueries } from '../../../src/features/gate/core/open-checks.ts';
import { demandsCorrected } from '../../../src/features/gate/core/spec.ts';
import {
  attributionSentence,
  checkTitle,
  checkValue,
  firstOf,
  missedBy,
  overQueries,
  points,
  pValue,
  thresholdReason,
} from '../../../src/features/gate/core/wording.ts';
import { accepted, all, dataset, report, spec } from './support.ts';

const FIRST = { metric: 'MRecall@2', min: 0 };
const BASELINE = { baseline: { file: 'main.json' } };
const SET = dataset({ bm25: all(8, 'both') });

const notesOf = (change: Partial<EvaluatedDataset>): readonly string[] =>
  report({ thresholds: [FIRST] }, { ...SET, ...change }).notes;
const ofPipeline = (change: Partial<EvaluatedPipeline>): readonly string[] =>
  notesOf({ pipelines: SET.pipelines.map((own) => ({ ...own, ...change })) });
const failed = (...queries: string[]) =>
  queries.map((query) => ({ query, message: `${query} timed out.` })) as unknown as NonNullable<
    EvaluatedPipeline['queryErrors']
  >;

test('fully judged figures of all queries have no caveats', () => assert.deepEqual(notesOf({}), []));

test('excluded and failed queries are counted and named, with the first reason', () => {
  assert.deepEqual(notesOf({ leftOut: ['a'] }), [
    'Left out of "set", because the corpus has no pages that were found for it: 1 question (a).',
  ]);
  assert.deepEqual(notesOf({ leftOut: ['a', 'b'] }), [
    'Left out of "set", because the corpus has no pages that were found for them: 2 questions (a, b).',
  ]);
  assert.deepEqual(ofPipeline({ queryErrors: failed('q1') }), [
    '"bm25", "set": 1 of 8 questions failed and counts as finding nothing (q1): q1 timed out.',
  ]);
  assert.deepEqual(ofPipeline({ queryErrors: failed('q1', 'q2') }), [
    '"bm25", "set": 2 of 8 questions failed and count as finding nothing (q1, q2): q1 timed out.',
  ]);
  assert.deepEqual(ofPipeline({ exactErrors: failed('q1', 'q2') }), [
    'Whether the approximate search of "bm25" missed something on "set" is unknown, because the exact one failed (q1, q2): q1 timed out.',
  ]);
});

test('unjudged and circular figures are marked as such', () => {
  const judgements = { ...SET.judgements, judged: 0, by: [] };
  assert.match(notesOf({ judgements }).join('\n'), /^Nothing retrieved for "set"/u);
  assert.deepEqual(notesOf({ judgements: { ...judgements, pairs: 0 } }), []);
  assert.match(ofPipeline({ circular: 'J' }).join('\n'), /^"bm25" on "set" is circular\. J both/u);
});

test('an accepted baseline reports its gaps, then and in each comparison', () => {
  const half = accepted(SET);
  const whole = accepted({ ...SET, judgements: { ...SET.judgements, judged: SET.judgements.pairs } });
  assert.match(caveatsOf(half).join('\n'), /^In "set" 16 of 32 pairs are judged/u);
  assert.deepEqual(caveatsOf(whole), []);
  assert.deepEqual(report(BASELINE, SET, half).notes, [
    'When the baseline of "set" was accepted, 16 of 32 pairs were judged: its figures count the others as not supporting.',
  ]);
  assert.deepEqual(report(BASELINE, SET, whole).notes, []);
});

test('only the evaluated part of a baseline is compared, and the rest is named', () => {
  const both = accepted([SET, dataset({ bm25: all(8, 'both') }, { name: 'other' })]);
  const notes = report(BASELINE, SET, both).notes.join('\n');
  assert.match(notes, /The baseline has the pipeline "bm25" on "other", which was not evaluated\./u);
  assert.doesNotMatch(notes, /"bm25" on "set", which was not/u);
  const added = (count: number): string =>
    report(BASELINE, dataset({ bm25: all(8 + count, 'both') }), accepted(SET)).notes.join('\n');
  assert.match(added(1), /New in "set" since the baseline, and not compared: 1 question\./u);
  assert.match(added(2), /New in "set" since the baseline, and not compared: 2 questions\./u);
});

test('too few queries for a check are a gap, and nothing passes', () => {
  const gapsOf = (min: number) => report({ thresholds: [FIRST], queries: { min } }, SET).datasets[0]!.gaps;
  assert.deepEqual(gapsOf(9), ['The gate demands at least 9 questions, and there are 8.']);
  assert.equal(gapsOf(8), undefined);
  assert.equal(report({ thresholds: [FIRST], queries: { min: 9 } }, SET).outcome, 'not-evaluated');
});

test('a report shows the passages of the top k whose text is known', () => {
  const shown = { id: 'pro of q1', path: 'a.md', text: 'For.' } as never;
  const [query] = report(
    {},
    {
      ...SET,
      passages: new Map([
        ['pro of q1', shown],
        ['other of q1', shown],
      ]),
    },
  ).datasets[0]!.pipelines[0]!.queries;
  assert.deepEqual(query!.passages, [shown]);
});

test('a perspective that the baseline missed and the top k covers is won', () => {
  const wonBy = (before: EvaluatedDataset) =>
    report(BASELINE, SET, accepted(before)).datasets[0]!.pipelines[0]!.queries[0]!.won;
  assert.deepEqual(wonBy(dataset({ bm25: all(8, 'one') })), [{ perspective: 'con', text: 'against q1' }]);
  assert.equal(wonBy(SET), undefined);
  const half = dataset({ bm25: all(8, 'one') });
  assert.deepEqual(
    report(BASELINE, half, accepted(dataset({ bm25: all(8, 'none') }))).datasets[0]!.pipelines[0]!.queries[0]!
      .won,
    [{ perspective: 'pro', text: 'for q1' }],
    'not what both miss',
  );
  assert.equal(wonBy(dataset({ bm25: all(8, 'one') }, { digest: 'another' })), undefined);
});

test('corrected figures are checked by a threshold or against the baseline', () => {
  const corrected = { ...FIRST, corrected: true };
  assert.ok(demandsCorrected(spec({ thresholds: [FIRST, corrected] })));
  assert.ok(demandsCorrected(spec({ baseline: { file: 'main.json', corrected: true } })));
  assert.ok(!demandsCorrected(spec({ thresholds: [FIRST], ...BASELINE })));
  assert.ok(!demandsCorrected(spec({})));
});

test('open queries are those that may fail, else those that move the mean', () => {
  const queries = [
    { id: 'fails', value: 0, most: 0 },
    { id: 'hangs', value: 0, most: 1 },
    { id: 'moves', value: 0.5, most: 0.9 },
    { id: 'stands', value: 1, most: 1 },
  ];
  const below = (least: number) => (value: number) => value < least;
  assert.deepEqual(openQueries('undecided', queries, below(0.5)), { open: ['hangs'] });
  assert.deepEqual(openQueries('undecided', queries, below(0)), { open: ['hangs', 'moves'] });
  assert.deepEqual(openQueries('missed', queries, below(0)), {});
  assert.deepEqual(openQueries('passed', queries, below(0.5)), {});
  assert.deepEqual(openQueries('undecided', [queries[3]!], below(0)), {});
});

test('probabilities and differences have one format', () => {
  assert.deepEqual([0.0009, 0.001, 0.031, 0.0994, 0.0995, 0.5, 0.9949, 0.995, 1].map(pValue), [
    'p < .001',
    'p .001',
    'p .031',
    'p .099',
    'p .10',
    'p .50',
    'p .99',
    'p 1',
    'p 1',
  ]);
  assert.deepEqual([0.012, -0.012, 0, 0.0004, -0.0004].map(points), ['+1.2', '−1.2', '0.0', '0.0', '0.0']);
});

test('reasons for a changed figure: what changed, and the part of the judgements', () => {
  const why = (changes: readonly ('corpus' | 'pipeline' | 'judgements' | 'eval set')[], more = {}): string =>
    attributionSentence(0.1, { changes, noise: false, ...more });
  assert.equal(why([]), 'Changed since the baseline: nothing that is known of.');
  assert.equal(why(['corpus']), 'Changed since the baseline: the corpus.');
  assert.equal(
    why(['eval set', 'corpus', 'judgements'], { noise: true }),
    'Changed since the baseline: the eval set, the corpus and the judgements. The interval includes 0: this may be noise.',
  );
  assert.match(
    why(['judgements'], { parts: { judgements: 0.06, retrieval: 0.04 } }),
    /\+6\.0 points of the difference come from judgements, and \+4\.0 from retrieval\.$/u,
  );
  assert.doesNotMatch(why(['pipeline'], { parts: { judgements: 0, retrieval: 0.1 } }), /come from/u);
  assert.equal(attributionSentence(0, { changes: [], noise: false }), 'Nothing changed.');
  assert.equal(
    attributionSentence(0, { changes: ['pipeline'], noise: false }),
    'Changed since the baseline: the pipeline.',
  );
});

test('a threshold shows enough digits to differ from its limit', () => {
  const say = (
    value: number,
    most: number,
    min: number,
    outcome: 'passed' | 'missed' | 'undecided',
  ): string => thresholdReason('AP', { value, most, min, outcome }, overQueries(1, 'hard'));
  const over = 'AP over 1 question with the tag "hard"';
  assert.equal(say(0.5, 0.5, 0.5, 'passed'), `${over} is 50.0, which reaches 50.0.`);
  assert.equal(say(0.4996, 0.4996, 0.5, 'missed'), `${over} is 49.9600, which is below 50.0000.`);
  assert.equal(
    say(0.3, 0.4, 0.5, 'missed'),
    `${over} is 30.0, and would be 40.0 if all unjudged pairs counted as support, which is below 50.0.`,
  );
  assert.equal(overQueries(2, 'hard'), 'over 2 questions with the tag "hard"');
  assert.equal(overQueries(1, undefined), 'over 1 question');
});

test('a check is named by its condition and marks a lower bound', () => {
  assert.equal(checkTitle({ kind: 'baseline', metric: 'AP' }), 'AP vs. baseline');
  assert.equal(checkTitle({ kind: 'threshold', metric: 'AP', min: 0.5, tag: 'hard' }), 'AP ≥ 50.0 [hard]');
  assert.equal(
    checkTitle({ kind: 'documents', metric: 'AP', lost: { count: 1, most: 0 } }),
    'missing documents ≤ 0',
  );
  const value = 0.25;
  assert.equal(checkValue({ value, bound: 'least', most: 0.75 }), '≥ 25.0');
  assert.equal(checkValue({ value, bound: 'exact' }), '25.0');
  assert.equal(checkValue({ value, bound: 'exact', lost: { count: 2, most: 0 } }), '2');
});

test('names the first five of many queries', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  assert.equal(firstOf(ids), 'a, b, c, d, e, …');
  assert.equal(firstOf(ids.slice(0, 5)), 'a, b, c, d, e');
});

test('a query that makes a check miss has its own value beside the condition', () => {
  const check = {
    dataset: 's',
    pipeline: 'p',
    outcome: 'missed',
    value: 0.5,
    bound: 'exact',
    queries: 2,
  } as const;
  const more = { reason: '', failing: [] };
  const threshold = { kind: 'threshold', metric: 'AP', min: 0.75, ...check, ...more } as const;
  assert.equal(missedBy({ AP: 0.25 }, threshold), 'AP ≥ 75.0 (here 25.0)');
  assert.equal(missedBy({}, threshold), 'AP ≥ 75.0 (here 0.0)');
  const lost = { ...threshold, kind: 'perspectives', lost: { count: 2, most: 1 } } as const;
  assert.equal(missedBy({ AP: 0.25 }, lost), 'lost perspectives ≤ 1');
});
