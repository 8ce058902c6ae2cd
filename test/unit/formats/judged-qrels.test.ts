/** Judgements as qrels, with their sources. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQrels } from '../../../src/core/formats/exchange/trec.ts';
import { formatJudgedQrels, LABELLED, WhoJudged } from '../../../src/core/formats/judged-qrels.ts';
import type { Qrels } from '../../../src/core/model.ts';

const QRELS: Qrels = new Map([
  [
    'q1',
    new Map([
      ['pro', new Map([['a b.md', 1]])],
      ['con', new Map([['a b.md', 0]])],
    ]),
  ],
  ['q2', new Map([['pro', new Map([['c', 2]])]])],
]);
const MODEL = {
  judge: 'chat',
  source: 'llm',
  verdict: 'no',
  model: 'm',
  promptVersion: 'p-1',
  standard: 'berds-1',
  at: '2026-11-27T10:00:00.000Z',
} as const;

test('writes the source of each judgement; those without a source were given', () => {
  const who = new WhoJudged();
  who.note('q1', 'pro', 'a b.md', { ...MODEL, verdict: 'unsure' });
  who.note('q1', 'con', 'a b.md', LABELLED);
  who.note('q1', 'con', 'a b.md', MODEL);
  const { verdict: _, ...said } = MODEL;
  assert.deepEqual(who.lines(QRELS), [
    { query: 'q1', perspective: 'pro', passage: 'a b.md', relevance: 1, ...said, verdict: 'unsure' },
    { query: 'q1', perspective: 'con', passage: 'a b.md', relevance: 0, ...said },
    { query: 'q2', perspective: 'pro', passage: 'c', relevance: 2, judge: 'qrels', source: 'imported' },
  ]);
});

test('omits missing fields; imported judgements have no support standard', () => {
  const who = new WhoJudged();
  who.note('q1', 'pro', 'a b.md', LABELLED);
  who.note('q1', 'con', 'a b.md', { ...MODEL, source: 'imported', at: '' });
  const [labelled, imported] = who.lines(QRELS);
  assert.deepEqual(labelled, {
    ...{ query: 'q1', perspective: 'pro', passage: 'a b.md', relevance: 1 },
    ...{ judge: 'labels', source: 'human' },
  });
  assert.deepEqual([imported!.standard, imported!.at, imported!.model], [undefined, undefined, 'm']);
  assert.ok(!('at' in imported!));
});

test('writes the same judgements in the same lines of both files, and counts ids with blanks', () => {
  const [first, second, third] = new WhoJudged().lines(QRELS) as [never, never, never];
  const written = formatJudgedQrels([first, third, second]);
  assert.equal(written.qrels, 'q1 pro a%20b.md 1\nq1 con a%20b.md 0\nq2 pro c 2\n');
  const lines = written.judges.trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line): unknown => JSON.parse(line)),
    [first, second, third],
  );
  assert.equal(written.rewritten, 1);
  assert.deepEqual([...parseQrels(written.qrels).qrels.keys()], ['q1', 'q2']);
});
