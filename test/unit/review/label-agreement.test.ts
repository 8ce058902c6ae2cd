import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttentionCheck, Label } from '../../../src/core/formats/labels.ts';
import { agreementOfLabels } from '../../../src/features/review/core/label-agreement.ts';

const label = (person: string, verdict: Label['verdict'], fields: Partial<Label> = {}): Label => ({
  v: 1,
  query: 'q',
  perspective: 'p',
  perspectiveText: 'It is good.',
  document: 'a.md',
  hash: 'h',
  verdict,
  by: { kind: 'human', name: person },
  at: '2026-01-02T00:00:00Z',
  standard: 'berds-1',
  ...fields,
});

const dividedOn = (...labels: Label[]): string[] =>
  agreementOfLabels(labels, []).divided.map(({ said }) =>
    said.map(({ person, verdict }) => `${person} ${verdict}`).join(', '),
  );

test('people disagree if their newest labels differ; one person never does', () => {
  const [ann, bob] = [label('ann', 'yes'), label('bob', 'no')];
  assert.deepEqual(dividedOn(ann, bob), ['ann yes, bob no']);
  assert.deepEqual(dividedOn(ann), []);
  assert.deepEqual(dividedOn(ann, label('bob', 'yes')), []);
  const before = { at: '2026-01-01T00:00:00Z' };
  assert.deepEqual(
    dividedOn(ann, label('bob', 'yes'), label('bob', 'no', before)),
    [],
    'an older word below',
  );
  assert.deepEqual(dividedOn(ann, bob, label('bob', 'yes', before)), ['bob no, ann yes']);
  assert.deepEqual(dividedOn(ann, label('x', 'no', { by: { kind: 'imported', name: 'x' } })), []);
});

test('a label without a valid time is the oldest, wherever it is', () => {
  const [old, unread, late] = [
    label('bob', 'no', { at: '2026-01-01T00:00:00Z' }),
    label('bob', 'no', { at: 'yesterday' }),
    label('bob', 'yes', { at: '2026-01-03T00:00:00Z' }),
  ];
  for (const order of [
    [late, unread, old],
    [old, late, unread],
    [unread, late, old],
  ])
    assert.deepEqual(dividedOn(label('ann', 'yes'), ...order), []);
});

test('labels match by text, else by quotation in a document, else by document', () => {
  const other = (fields: Partial<Label>): string[] =>
    dividedOn(label('ann', 'yes', fields), label('bob', 'no'));
  assert.equal(other({ document: 'moved.md' }).length, 1);
  assert.equal(other({ perspectiveText: 'it is  GOOD' }).length, 1);
  for (const fields of [{ hash: 'other' }, { standard: 'strict-1' }, { perspectiveText: 'It is bad.' }])
    assert.deepEqual(other(fields), []);
  const quoted = (document: string, quote?: string) => ({ hash: undefined, document, quote });
  const both = (one: Partial<Label>, two: Partial<Label>): number =>
    dividedOn(label('ann', 'yes', one), label('bob', 'no', two)).length;
  assert.equal(both(quoted('a.md', 'so'), quoted('a.md', 'so')), 1);
  assert.equal(both(quoted('a.md'), quoted('a.md')), 1);
  assert.equal(both(quoted('a.md', 'so'), quoted('b.md', 'so')), 0);
  assert.equal(both(quoted('a.md', 'so'), quoted('a.md', 'not so')), 0);
});

test('agreement with and without the arguments excludes labels of unknown kind', () => {
  const asked = (document: string, informed?: boolean): Label[] =>
    ['ann', 'bob'].map((person) => label(person, 'yes', { hash: document, informed }));
  const conditions = (...labels: Label[]): boolean[] =>
    agreementOfLabels(labels, []).byCondition.map(({ informed }) => informed);
  assert.deepEqual(conditions(...asked('a')), []);
  assert.deepEqual(conditions(...asked('a'), ...asked('b', true)), [true]);
});

test('attention: the number of checks that each person passed', () => {
  const check = (person: string, answer: AttentionCheck['answer']): AttentionCheck => {
    const { verdict: _, ...about } = label(person, 'yes');
    return { ...about, expected: 'no', answer };
  };
  const checks = [check('ann', 'no'), check('bob', 'yes'), check('ann', 'unsure')];
  assert.deepEqual(agreementOfLabels([], checks).attention, [
    { person: 'ann', checks: 2, passed: 1 },
    { person: 'bob', checks: 1, passed: 0 },
  ]);
});
