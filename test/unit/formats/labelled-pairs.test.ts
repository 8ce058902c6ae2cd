import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { parseLabelledPairs } from '../../../src/core/formats/labelled-pairs.ts';

const DATA = '../shared/data/berds/perspective-detection.jsonl';
const skip = existsSync(DATA) ? false : 'cannot run here: ../shared/data is absent';
const parse = (...lines: unknown[]) =>
  parseLabelledPairs(
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  );
const pair = { question: 'Why?', document: 'A text.', perspective: 'Because.' };
const label = {
  v: 1,
  query: 'q',
  perspective: 'p1',
  perspectiveText: 'Because.',
  document: 'a.md',
  verdict: 'yes',
  by: { kind: 'human', name: 'ann' },
  at: '2026-01-01T00:00:00Z',
};

test('the 278 pairs of BERDS', { skip }, () => {
  const { pairs, labels, warnings } = parseLabelledPairs(readFileSync(DATA, 'utf8'));
  assert.deepEqual([pairs.length, labels.length, warnings.length], [278, 0, 0]);
  assert.equal(pairs.filter(({ verdict }) => verdict === 'yes').length, 46);
  assert.deepEqual(pairs.at(-1)?.line, 278);
});

test('reads labels as numbers, booleans and verdicts, stances, people and unknown fields', () => {
  const { pairs } = parse(
    ...[1, 0, true, false, 'yes', 'no', 'unsure', null].map((value) => ({ ...pair, label: value })),
    { ...pair, title: 'Texts', stance: 'oppose', by: 'ann', more: {} },
  );
  assert.deepEqual(
    pairs.map(({ verdict }) => verdict),
    ['yes', 'no', 'yes', 'no', 'yes', 'no', 'unsure', undefined, undefined],
  );
  assert.deepEqual(pairs.at(-1), {
    question: 'Why?',
    passage: 'A text.',
    title: 'Texts',
    perspective: 'Because.',
    stance: 'oppose',
    verdict: undefined,
    by: 'ann',
    line: 9,
  });
});

test("a workspace's labels, also in one file with pairs", () => {
  const { pairs, labels, warnings } = parse(label, { ...pair, label: 1 });
  assert.deepEqual([pairs.length, labels.length, warnings.length], [1, 1, 0]);
  assert.equal(labels[0]?.standard, 'berds-1');
});

test('reports bad lines with number and reason and reads the rest', () => {
  const { pairs, warnings } = parse(
    { ...pair, label: 1 },
    '',
    { ...pair, label: 2 },
    { ...pair, document: ' ', label: 1 },
    { document: 'x', label: 1 },
    '<<<<<<< HEAD',
    { ...label, verdict: 'maybe' },
    '7',
    'null',
    { ...pair, label: 0 },
  );
  assert.deepEqual(
    pairs.map(({ line }) => line),
    [1, 10],
  );
  assert.deepEqual(
    warnings.map((warning) => /^Line (\d+): .*; skipped\.$/.exec(warning)?.[1]),
    ['3', '4', '5', '6', '7', '8', '9'],
  );
  assert.match(warnings[0]!, /label: expected 0, 1, "yes", "no" or "unsure" \(found 2\)/);
  assert.match(warnings[2]!, /perspective/);
  assert.match(warnings[3]!, /merge whose conflict/);
  assert.match(warnings[4]!, /verdict/);
});

test('refuses another file format', () => {
  for (const text of ['', 'q Q0 d 1 1 t\n', '[]'])
    assert.throws(
      () => parseLabelledPairs(text),
      (error) => ParallaxError.is(error, 'bad-file') && /file of labels/.test(error.message),
    );
});
