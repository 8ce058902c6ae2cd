import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import type { LabelledPair } from '../../../src/core/formats/labelled-pairs.ts';
import { labelSchema, type Label } from '../../../src/core/formats/labels.ts';
import { seededRandom } from '../../../src/core/statistics/random.ts';
import {
  referenceFromLabels,
  referenceFromPairs,
  referenceSetOf,
  sampled,
  stancesOf,
  withStances,
} from '../../../src/features/validation/core/reference-set.ts';

const setOf = (pairs: LabelledPair[]) => ({ ...referenceFromPairs(pairs), warnings: [] });
let line = 0;
const pair = (verdict: LabelledPair['verdict'], by?: string, passage = 'A text.'): LabelledPair => ({
  question: 'Why?',
  passage,
  perspective: 'Because.',
  verdict,
  by,
  line: ++line,
});

test('lines without an annotator are separate pairs, even with equal texts', () => {
  const { pairs, votes } = referenceFromPairs([pair('yes'), pair('yes'), pair('no'), pair(undefined)]);
  assert.deepEqual(
    pairs.map(({ verdict }) => verdict),
    ['yes', 'yes', 'no', undefined],
  );
  assert.deepEqual(votes, []);
});

test('several people: the majority decides, a tie is unsure, and all votes are kept', () => {
  const { pairs, votes } = referenceFromPairs([
    pair('yes', 'ann'),
    pair('no', 'bob'),
    pair('yes', 'cid'),
    pair('yes', 'ann', 'Another.'),
    pair('no', 'bob', 'Another.'),
    pair(undefined, 'bob', 'A third.'),
  ]);
  assert.deepEqual(
    pairs.map(({ passage, verdict }) => [passage, verdict]),
    [
      ['A text.', 'yes'],
      ['Another.', 'unsure'],
      ['A third.', undefined],
    ],
  );
  assert.equal(votes.length, 5);
  assert.deepEqual(
    new Set(votes.map(({ item }) => item)),
    new Set(pairs.slice(0, 2).map(({ item }) => item)),
  );
});

const label = (fields: Partial<Label>): Label =>
  labelSchema.parse({
    v: 1,
    query: 'q',
    perspective: 'p1',
    perspectiveText: 'Because.',
    document: 'long.md',
    verdict: 'yes',
    by: { kind: 'human', name: 'ann' },
    at: '2026-01-01T00:00:00Z',
    ...fields,
  });
const by = (name: string): Pick<Label, 'by'> => ({ by: { kind: 'human', name } });

const CORPUS = new Map([
  [
    'long.md',
    [
      { documentId: 'long.md', text: 'The first part.', hash: 'h1' },
      { documentId: 'long.md', text: 'The second part.', hash: 'h2' },
    ],
  ],
  ['short.md', [{ documentId: 'short.md', text: 'One passage.', hash: 'h3' }]],
]);
const fromLabels = (...labels: Label[]) => referenceFromLabels(labels, (id) => CORPUS.get(id) ?? []);

test('labels with a hash or quote find their passages', () => {
  const { pairs, warnings } = fromLabels(
    label({ hash: 'h1' }),
    label({ quote: 'second part', verdict: 'no', perspectiveText: 'Other.', perspective: 'p2' }),
  );
  assert.deepEqual(
    pairs.map(({ passage, perspective, verdict }) => [passage, perspective, verdict]),
    [
      ['The first part.', 'Because.', 'yes'],
      ['The second part.', 'Other.', 'no'],
    ],
  );
  assert.deepEqual(warnings, []);
});

test('a label of a whole document counts only if the document is one passage', () => {
  const { pairs, warnings } = fromLabels(
    label({ document: 'short.md', verdict: 'no' }),
    label({ document: 'long.md' }),
    label({ document: 'gone.md', hash: 'h9' }),
  );
  assert.deepEqual(
    pairs.map(({ passage, verdict }) => [passage, verdict]),
    [['One passage.', 'no']],
  );
  assert.equal(warnings.length, 1);
  assert.match(warnings[0]!, /^For 2 labelled documents and perspectives no passage is found/);
});

test('divided people: the majority decides, ties are unsure, imported labels are no votes', () => {
  const { pairs, votes } = fromLabels(
    label({ hash: 'h1', ...by('ann') }),
    label({ hash: 'h1', ...by('bob'), verdict: 'no' }),
    label({ hash: 'h2', ...by('ann') }),
    label({ hash: 'h2', ...by('bob') }),
    label({ hash: 'h2', verdict: 'no', by: { kind: 'imported', name: 'qrels' } }),
    // Ann changed her mind; the wording differs only in insignificant ways.
    label({
      hash: 'h2',
      ...by('ann'),
      verdict: 'no',
      at: '2026-02-01T00:00:00Z',
      perspectiveText: 'because',
    }),
  );
  assert.deepEqual(
    pairs.map(({ verdict }) => verdict),
    ['unsure', 'unsure'],
  );
  assert.deepEqual(
    votes.map(({ person, verdict }) => `${person} ${verdict}`),
    ['ann yes', 'bob no', 'ann no', 'bob yes'],
  );
});

test('judges see a record with its title', () => {
  const titled = { ...pair('yes'), title: 'Memo' };
  assert.deepEqual(
    referenceFromPairs([titled, pair('no')]).pairs.map(({ title }) => title),
    ['Memo', undefined],
  );
  const passage = { documentId: 'a', text: 'A text.', hash: 'h1', title: 'Memo' };
  const { pairs } = referenceFromLabels([label({ document: 'a' })], () => [passage]);
  assert.equal(pairs[0]?.title, 'Memo');
});

test('the same passage in two documents is one pair with one vote for each person', () => {
  const passage = { documentId: 'a', text: 'A text.', hash: 'h1' };
  const { pairs, votes } = referenceFromLabels(
    [label({ document: 'a' }), label({ document: 'b', verdict: 'no' })],
    (documentId) => [{ ...passage, documentId }],
  );
  assert.deepEqual([pairs.length, votes.length], [1, 1]);
});

test('stances are collected over all questions by the text of the perspective', () => {
  const perspectives = [
    { id: 'p1', text: 'Because.', stance: 'oppose' },
    { id: 'p2', text: 'Since.' },
  ] as const;
  assert.deepEqual([...stancesOf([{ perspectives }])], [['because', 'oppose']]);
});

test('stances from an eval set complete pairs without one', () => {
  const set = setOf([{ ...pair('yes'), stance: 'support' }, pair('no')]);
  const { pairs } = withStances(set, new Map([['because', 'oppose']]));
  assert.deepEqual(
    pairs.map(({ stance }) => stance),
    ['support', 'oppose'],
  );
});

test('a sample keeps the order, spans the set, and includes its votes', () => {
  const set = setOf(Array.from({ length: 50 }, (_, i) => pair('yes', 'ann', `Text ${i}.`)));
  const some = sampled(set, 10, seededRandom(1));
  assert.equal(some.pairs.length, 10);
  assert.equal(some.votes.length, 10);
  const places = some.pairs.map((each) => set.pairs.indexOf(each));
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
  );
  assert.ok(places.at(-1)! > 15, places.join());
  assert.deepEqual(sampled(set, 10, seededRandom(1)).pairs, some.pairs);
  assert.equal(sampled(set, 50, seededRandom(1)), set);
});

test('reads both forms in one file; without a corpus only pairs, or an error if there are none', () => {
  const labels = [label({ hash: 'h1' })];
  const both = { pairs: [pair('yes')], labels, warnings: ['Line 3: bad; skipped.'] };
  const passagesOf = (id: string) => CORPUS.get(id) ?? [];
  assert.equal(referenceSetOf(both, passagesOf).pairs.length, 2);
  assert.equal(referenceSetOf({ ...both, pairs: [pair('yes', 'ann')] }, passagesOf).votes.length, 2);
  assert.deepEqual(referenceSetOf({ ...both, labels: [] }, undefined).warnings, both.warnings);
  assert.match(
    referenceSetOf({ ...both, labels: [...labels, ...labels] }, undefined).warnings[1]!,
    /^2 labels name passages /u,
  );
  const without = referenceSetOf(both, undefined);
  assert.equal(without.pairs.length, 1);
  assert.deepEqual(without.warnings, [
    'Line 3: bad; skipped.',
    '1 label names a passage of a corpus; left out.',
  ]);
  assert.throws(
    () => referenceSetOf({ ...both, pairs: [] }, undefined),
    (error) => ParallaxError.is(error, 'bad-argument') && /which corpus/.test(error.message),
  );
});
