import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { correctionOf, settledValue, type TwoOpinions } from '../../../src/core/metrics/corrected.ts';
import { correctedFigureText, correctionText } from '../../../src/core/metrics/corrected-text.ts';
import { parseMeasure } from '../../../src/core/metrics/measures.ts';
import type { Qrels } from '../../../src/core/model.ts';

type Verdicts = Readonly<Record<string, Readonly<Record<string, 0 | 1>>>>;
const topic = (verdicts: Verdicts): ReadonlyMap<string, ReadonlyMap<string, number>> =>
  new Map(Object.entries(verdicts).map(([perspective, own]) => [perspective, new Map(Object.entries(own))]));

const MRECALL = parseMeasure('MRecall@2');

describe('a figure is settled', () => {
  const settled = (verdicts: Verdicts, measure = 'MRecall@2'): number | undefined =>
    settledValue(parseMeasure(measure), ['a', 'b', 'c'], topic(verdicts), 'open');

  test('as soon as nothing that is still open can change it', () => {
    assert.equal(settled({ pro: { a: 1 }, con: { b: 1 } }), 1);
    assert.equal(settled({ pro: { a: 0, b: 0 }, con: {} }), 0);
    assert.equal(settled({ pro: { a: 1 }, con: { b: 0 } }), undefined);
    assert.equal(settled({ pro: { a: 0 }, con: {} }), undefined);
  });

  test('by what stands within k alone', () => {
    assert.equal(settled({ pro: { a: 1, c: 1 }, con: { a: 0, b: 0, c: 1 } }), 0);
  });

  test('later where it counts passages', () => {
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
  /** It finds both sides everywhere. */
  const judge = qrels(() => ({ pro: { a: 1, b: 0 }, con: { a: 0, b: 1 } }));
  /** In truth every other query has one side only; people decided the first ones. */
  const people = (decided: number): Qrels =>
    qrels((at) =>
      at < decided ? { pro: { a: 1, b: 0 }, con: { a: 0, b: at % 2 === 0 ? 1 : 0 } } : { pro: {}, con: {} },
    );
  const opinions = (decided: number): TwoOpinions => ({
    people: people(decided),
    judge,
    chances: new Map(),
    basis: 'open',
  });

  test('takes out what the judge gets wrong', () => {
    const found = correctionOf(run, [MRECALL], opinions(20));
    const { value, low, high } = found.figures['MRecall@2']!;
    assert.equal(value, 0.5);
    assert.ok(low > 0.25 && low < 0.5 && high > 0.5 && high < 0.75, `${low} to ${high}`);
    assert.deepEqual([found.decided, found.queries, found.assumesRandom], [20, 40, true]);
    assert.match(
      correctionText(found),
      /by 80 labels of people, which decide 20 of 40 queries.* not drawn by chance.* About \d+ more/,
    );
  });

  test('is said in plain words', () => {
    const found = { value: 0.55, low: 0.49, high: 0.61 };
    assert.equal(
      correctedFigureText(0.62, found, { labels: 80 }),
      'As counted: 62.0. Corrected by 80 of your labels: 55.0, between 49.0 and 61.0.',
    );
  });

  test('rests on the top k of the pipeline alone, whatever else was retrieved', () => {
    const base = opinions(20);
    const beyond = (topics: Qrels): Qrels =>
      new Map(
        [...topics].map(([id, own]) => [
          id,
          new Map([...own].map(([name, passages]) => [name, new Map([...passages, ['elsewhere', 1]])])),
        ]),
      );
    const more = { ...base, people: beyond(base.people), judge: beyond(base.judge) };
    assert.deepEqual(correctionOf(run, [MRECALL], more), correctionOf(run, [MRECALL], base));
  });

  test('says nothing of chance where the queries were drawn', () => {
    const chances = new Map(ids.slice(0, 20).map((id) => [id, 0.5]));
    const found = correctionOf(run, [MRECALL], { ...opinions(20), chances });
    assert.equal(found.assumesRandom, false);
    assert.doesNotMatch(correctionText(found), /not drawn/);
  });

  test('is none of too few queries, and says how many more it takes', () => {
    const found = correctionOf(run, [MRECALL], opinions(7));
    assert.deepEqual([found.figures, found.lacks, found.more], [{}, 'queries', 3]);
    assert.match(correctionText(found), /decided 7 queries, and it takes 10; .* 3 more/);
  });

  test('is none of fewer than ten pairs that people said yes to', () => {
    const nothing = qrels((at) =>
      at < 12 ? { pro: { a: 0, b: 0 }, con: { a: 0, b: 0 } } : { pro: {}, con: {} },
    );
    const found = correctionOf(run, [MRECALL], { ...opinions(0), people: nothing });
    assert.equal(found.lacks, 'positives');
    assert.match(correctionText(found), /said yes to 0 of the pairs .* with 10 more/);
  });

  test('is none where the judge has not answered what people labelled', () => {
    const silent = qrels((at) => (at < 20 ? { pro: {}, con: {} } : { pro: { a: 1 }, con: { b: 1 } }));
    const found = correctionOf(run, [MRECALL], { ...opinions(20), judge: silent });
    assert.equal(found.lacks, 'unanswered');
    assert.match(correctionText(found), /Have it judge them/);
  });

  test('is of measures that a few labels can settle alone', () => {
    const measures = ['MRecall@2', 'nDCG@2', 'StRecall@2', 'Judged@2'].map(parseMeasure);
    assert.deepEqual(Object.keys(correctionOf(run, measures, opinions(20)).figures), [
      'MRecall@2',
      'StRecall@2',
    ]);
  });
});
