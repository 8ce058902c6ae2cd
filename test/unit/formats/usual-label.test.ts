/** The short way to read a label says what the schema says, or nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { labelSchema, usualLabel } from '../../../src/core/formats/labels.ts';
import { usualTime } from '../../../src/core/formats/usual-time.ts';

const USUAL = {
  v: 1,
  query: 'q1',
  queryText: 'Are cats kind?',
  perspective: 'p1',
  perspectiveText: 'Cats are kind.',
  document: 'docs/cats.md',
  hash: '0123456789abcdef0123456789abcdef',
  split: 'sections',
  by: { kind: 'human', name: 'Ada' },
  at: '2026-11-26T10:00:00.000Z',
  verdict: 'yes',
};

test('a label as the product writes it needs no schema, and is what the schema makes of it', () => {
  assert.deepEqual(usualLabel(USUAL), labelSchema.parse(USUAL));
  const { queryText: _text, hash: _hash, split: _split, ...least } = USUAL;
  assert.deepEqual(usualLabel(least), labelSchema.parse(least));
  const own = { ...USUAL, standard: 'strict-1', by: { kind: 'imported', name: '' } };
  assert.deepEqual(usualLabel(own), labelSchema.parse(own));
});

test('whatever a line holds, the short way is never another than that of the schema', () => {
  const values = fc.oneof(
    fc.constantFrom<unknown>(1, 2, '', 'yes', 'no', 'unsure', 'human', null, [], {}, undefined, 0.5, true),
    fc.constantFrom<unknown>({ kind: 'imported', name: 'qrels' }, { kind: 'model', name: 'm' }),
    fc.constantFrom<unknown>({ kind: 'human', name: 'Ada', age: 7 }, { kind: 'human' }),
    fc.string(),
  );
  const keys = fc.constantFrom(
    ...Object.keys(USUAL),
    ...['standard', 'quote', 'note', 'chance', 'informed', 'withdraws', 'expected', 'extra', '__proto__'],
  );
  const changes = fc.array(fc.tuple(keys, values), { maxLength: 3 });
  let short = 0;
  fc.assert(
    fc.property(changes, fc.subarray(Object.keys(USUAL), { minLength: 8 }), (changed, kept) => {
      const all = kept.map((key) => [key, USUAL[key as keyof typeof USUAL]] as const);
      const text = `{${[...all, ...changed]
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
        .join()}}`;
      const label = usualLabel(JSON.parse(text));
      if (label === undefined) return;
      short++;
      assert.deepEqual(label, labelSchema.parse(JSON.parse(text)));
    }),
    { seed: 20_261_126, numRuns: 5_000 },
  );
  assert.ok(short > 300, `${short} of 5,000 took the short way`);
});

test('a time is the one that a date function reads, or is left to it', () => {
  const times = fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(times, (date) => {
      const time = usualTime(date.toISOString());
      if (date.getUTCDate() > 28) assert.equal(time, undefined);
      else assert.equal(time, date.getTime());
    }),
    { seed: 20_261_126 },
  );
  for (const other of ['2026-11-26', '2026-02-30T10:00:00.000Z', '0026-11-26T10:00:00.000Z', 'yesterday', ''])
    assert.equal(usualTime(other), undefined);
});
