import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  correctedDifference,
  correctionOf,
  withCorrectedDifferences,
  type TwoOpinions,
} from '../../../src/core/metrics/corrected.ts';
import { correctedFigureText, correctionText } from '../../../src/core/metrics/corrected-text.ts';
import { parseMeasure } from '../../../src/core/metrics/measures.ts';
import { boundsOf, isSettled } from '../../../src/core/metrics/unjudged.ts';
import type { Qrels, Run } from '../../../src/core/model.ts';
import { seededRandom } from '../../../src/core/statistics/random.ts';

type Verdicts = Readonly<Record<string, Readonly<Record<string, 0 | 1>>>>;
const topic = (verdicts: Verdicts): ReadonlyMap<string, ReadonlyMap<string, number>> =>
  new Map(Object.entries(verdicts).map(([perspective, own]) => [perspective, new Map(Object.entries(own))]));

const MRECALL = parseMeasure('MRecall@2');

describe('a figure is settled', () => {
  const settled = (verdicts: Verdicts, measure = 'MRecall@2'): number | undefined => {
    const bounds = boundsOf(parseMeasure(measure), ['a', 'b', 'c'], topic(verdicts), 'open');
    return isSettled(bounds) ? bounds.low : undefined;
  };

  test('once no open verdict can change it', () => {
    assert.equal(settled({ pro: { a: 1 }, con: { b: 1 } }), 1);
    assert.equal(settled({ pro: { a: 0, b: 0 }, con: {} }), 0);
    assert.equal(settled({ pro: { a: 1 }, con: { b: 0 } }), undefined);
    assert.equal(settled({ pro: { a: 0 }, con: {} }), undefined);
  });

  test('by the top k only', () => {
    assert.equal(settled({ pro: { a: 1, c: 1 }, con: { a: 0, b: 0, c: 1 } }), 0);
  });

  test('later if it counts passages', () => {
    assert.equal(settled({ pro: { a: 1 }, con: { b: 1 } }, 'Precision@2'), 1);
    assert.equal(settled({ pro: { a: 1 }, con: {} }, 'Precision@2'), undefined);
    assert.equal(settled({ pro: { a: 1, b: 0 }, con: { b: 0 } }, 'Precision@2'), 0.5);
  });
});

describe('a correction', () => {
  const QUERIES = 40;
  const ids = Array.from({ length: QUERIES }, (_, at) => `q${at}`);
  const run = new Map(
    ids.map((id) => [
      id,
      [
        { item: 'a', score: 2 },
        { item: 'b', score: 1 },
      ],
    ]),
  );
  const qrels = (of: (at: number) => Verdicts): Qrels => new Map(ids.map((id, at) => [id, topic(of(at))]));
  /** Finds both sides everywhere. */
  const judge = qrels(() => ({ pro: { a: 1, b: 0 }, con: { a: 0, b: 1 } }));
  /** Every other query has in fact one side only. People decided the first queries. */
  const people = (decided: number): Qrels =>
    qrels((at) =>
      at < decided ? { pro: { a: 1, b: 0 }, con: { a: 0, b: at % 2 === 0 ? 1 : 0 } } : { pro: {}, con: {} },
    );
  const opinions = (decided: number): TwoOpinions => ({
    annotators: people(decided),
    judge,
    chances: new Map(),
    basis: 'open',
  });

  test('removes the errors of the judge', () => {
    const found = correctionOf(run, [MRECALL], opinions(20));
    const { value, low, high } = found.figures['MRecall@2']!;
    assert.equal(value, 0.5);
    assert.ok(low > 0.25 && low < 0.5 && high > 0.5 && high < 0.75, `${low} to ${high}`);
    assert.deepEqual([found.decided, found.queries, found.assumesRandom], [20, 40, true]);
    assert.match(
      correctionText(found),
      /by 80 labels of people, which decide 20 of 40 questions.* not drawn by chance.* About \d+ more/,
    );
  });

  test('says if labels have fitted the judge', () => {
    const textOf = (fitted: TwoOpinions['fitted']): string =>
      correctionText(correctionOf(run, [MRECALL], { ...opinions(20), fitted }));
    assert.match(textOf('held-out'), /with people without the labels of that query/);
    assert.match(textOf('included'), /threshold was chosen on labels\. .* the correction is too small/);
    assert.doesNotMatch(textOf(undefined), /learns|chosen/);
  });

  test('is described in one sentence', () => {
    const found = { value: 0.55, low: 0.49, high: 0.61 };
    assert.equal(
      correctedFigureText(0.62, found, { labels: 80 }),
      'As counted: 62.0. Corrected by 80 of your labels: 55.0, between 49.0 and 61.0.',
    );
  });

  test('uses the top k of the pipeline only, whatever else was retrieved', () => {
    const base = opinions(20);
    const beyond = (topics: Qrels): Qrels =>
      new Map(
        [...topics].map(([id, own]) => [
          id,
          new Map([...own].map(([name, passages]) => [name, new Map([...passages, ['elsewhere', 1]])])),
        ]),
      );
    const more = { ...base, people: beyond(base.annotators), judge: beyond(base.judge) };
    assert.deepEqual(correctionOf(run, [MRECALL], more), correctionOf(run, [MRECALL], base));
  });

  test('assumes no random choice if the queries were sampled', () => {
    const chances = new Map(ids.slice(0, 20).map((id) => [id, 0.5]));
    const found = correctionOf(run, [MRECALL], { ...opinions(20), chances });
    assert.equal(found.assumesRandom, false);
    assert.doesNotMatch(correctionText(found), /not drawn/);
  });

  test('is missing for too few queries and says how many more it needs', () => {
    const found = correctionOf(run, [MRECALL], opinions(7));
    assert.deepEqual([found.figures, found.lacks, found.more], [{}, 'queries', 3]);
    assert.match(correctionText(found), /7 questions are labelled, and 10 are needed\. .* 3 more/);
  });

  test('is missing for fewer than ten pairs with the label yes', () => {
    const nothing = qrels((at) =>
      at < 12 ? { pro: { a: 0, b: 0 }, con: { a: 0, b: 0 } } : { pro: {}, con: {} },
    );
    const found = correctionOf(run, [MRECALL], { ...opinions(0), annotators: nothing });
    assert.equal(found.lacks, 'positives');
    assert.match(correctionText(found), /: 0 of the pairs .* are labelled yes, and 10 are needed/);
  });

  test('is missing if no label is a no, since only queries that succeed are decided then', () => {
    const onlyYes = qrels((at) => (at < 12 ? { pro: { a: 1 }, con: { b: 1 } } : { pro: {}, con: {} }));
    const found = correctionOf(run, [MRECALL], { ...opinions(20), annotators: onlyYes });
    assert.deepEqual([found.lacks, found.figures], ['negatives', {}]);
    assert.match(correctionText(found), /no label is a no.* Label passages that do not support, too/);
  });

  test('is missing if the judge has not answered the labelled pairs', () => {
    const silent = qrels((at) => (at < 20 ? { pro: {}, con: {} } : { pro: { a: 1 }, con: { b: 1 } }));
    const found = correctionOf(run, [MRECALL], { ...opinions(20), judge: silent });
    assert.equal(found.lacks, 'unanswered');
    assert.match(correctionText(found), /Have it judge them/);
  });

  test('does not suggest judging if all queries together are too few', () => {
    const few = new Map([...people(7)].slice(0, 7));
    const silent = qrels(() => ({ pro: {}, con: {} }));
    const found = correctionOf(run, [MRECALL], { ...opinions(7), annotators: few, judge: silent });
    assert.match(correctionText(found), /there are 7 questions, and 10 labelled ones are needed/);
  });

  test('exists for the measures that a few labels can settle', () => {
    const measures = ['MRecall@2', 'nDCG@2', 'StRecall@2', 'Judged@2'].map(parseMeasure);
    assert.deepEqual(Object.keys(correctionOf(run, measures, opinions(20)).figures), [
      'MRecall@2',
      'StRecall@2',
    ]);
  });
});

describe('a corrected difference', () => {
  const QUERIES = 60;
  const ids = Array.from({ length: QUERIES }, (_, at) => `q${at}`);
  const runOf = (items: readonly string[]): Run =>
    new Map(ids.map((id) => [id, items.map((item, place) => ({ item, score: -place }))]));
  const [now, then] = [runOf(['a', 'b']), runOf(['a', 'c'])];
  /** One of two perspectives has `a`, the other what `b` and `c` say. */
  const said = (b: boolean, c: boolean) =>
    topic({ pro: { a: 1, b: 0, c: 0 }, con: { a: 0, b: b ? 1 : 0, c: c ? 1 : 0 } });
  const nothing = topic({ pro: {}, con: {} });

  /** Random truths, a judge that errs in a fifth of its answers, and people who decide the first queries. */
  const drawn = (seed: number, decided: number): { opinions: TwoOpinions; truth: number } => {
    const random = seededRandom(seed);
    const worlds = ids.map(() => ({ b: random() < 0.6, c: random() < 0.4 }));
    const heard = (truth: boolean): boolean => (random() < (truth ? 0.95 : 0.35) ? true : false);
    const judge = new Map(ids.map((id, at) => [id, said(heard(worlds[at]!.b), heard(worlds[at]!.c))]));
    const people = new Map(
      ids.map((id, at) => [id, at < decided ? said(worlds[at]!.b, worlds[at]!.c) : nothing]),
    );
    const truth = worlds.reduce((sum, { b, c }) => sum + Number(b) - Number(c), 0) / QUERIES;
    return { opinions: { annotators: people, judge, chances: new Map(), basis: 'open' }, truth };
  };

  test('has an interval that contains the truth in about 19 of 20 samples', () => {
    const draws = Array.from({ length: 400 }, (_, seed) => {
      const { opinions, truth } = drawn(seed + 1, 25);
      const { low, high } = correctedDifference(now, then, MRECALL, opinions).figures['MRecall@2']!;
      return low <= truth + 1e-9 && truth <= high + 1e-9;
    });
    const covered = draws.filter(Boolean).length / draws.length;
    assert.ok(covered > 0.925 && covered < 0.985, String(covered));
  });

  test('accompanies the corrected figures if both rankings are decided', () => {
    const { opinions } = drawn(7, 25);
    const correction = correctionOf(now, [MRECALL], opinions);
    const { differences, figures } = withCorrectedDifferences(correction, now, then, opinions);
    assert.deepEqual(figures, correction.figures);
    assert.deepEqual(
      differences!['MRecall@2'],
      correctedDifference(now, then, MRECALL, opinions).figures['MRecall@2'],
    );
    // The results of the other pipeline have no labels.
    assert.deepEqual(withCorrectedDifferences(correction, now, runOf(['d', 'e']), opinions).differences, {});
    assert.deepEqual(
      withCorrectedDifferences(correction, now, now, opinions).differences!['MRecall@2']!.value,
      0,
    );
  });

  test('counts a query that could not be asked as one without results', () => {
    const { opinions } = drawn(7, 25);
    const correction = correctionOf(now, [MRECALL], opinions);
    const { differences } = withCorrectedDifferences(correction, now, new Map(), opinions);
    assert.equal(differences!['MRecall@2']!.value, correction.figures['MRecall@2']!.value);
  });
});
