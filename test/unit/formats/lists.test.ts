/** Lists in foreign data are read at a cost in proportion to their valid entries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { baselineSchema } from '../../../src/features/gate/core/baseline.ts';
import { historyEntrySchema } from '../../../src/features/history/core/entry.ts';
import { fullListOf, listOf, numbers, recordOf } from '../../../src/core/formats/lists.ts';

const entry = z.object({ id: z.string(), rank: z.number().default(1) });
const WRONG = Array.from({ length: 100_000 }, () => ({}));

test('reads entries by their schema', () => {
  assert.deepEqual(listOf(entry).parse([{ id: 'a', more: 1 }]), [{ id: 'a', rank: 1 }]);
  assert.deepEqual(listOf(entry).parse([]), []);
  assert.equal(fullListOf(entry).safeParse([]).error?.issues[0]!.message, 'Is empty');
  assert.deepEqual(fullListOf(entry).parse([{ id: 'a' }]), [{ id: 'a', rank: 1 }]);
  const named = recordOf(entry).parse(JSON.parse('{"__proto__":{"rank":2},"b":{"id":"b"}}'));
  assert.deepEqual(Object.entries(named), [['b', { id: 'b', rank: 1 }]]);
});

test('stops at the first invalid entry and reports its place', () => {
  const lists = [
    listOf(entry).safeParse([{ id: 'a' }, ...WRONG]),
    listOf(z.string()).safeParse(['a', ...WRONG]),
    fullListOf(entry).safeParse([{ id: 'a' }, ...WRONG]),
  ];
  for (const { error } of lists) {
    assert.equal(error?.issues.length, 1);
    assert.equal(error.issues[0]!.path[0], 1);
  }
  const record = recordOf(entry).safeParse({ good: { id: 'a' }, ...WRONG });
  assert.equal(record.error?.issues.length, 1);
  assert.equal(numbers.safeParse(WRONG).error?.issues.length, 1);
});

test('vectors are finite numbers, at least one', () => {
  assert.deepEqual(numbers.parse([1, -0.5]), [1, -0.5]);
  for (const none of [[], [1, null], [1, Infinity], ['1'], '12', { length: 1, 0: 1 }])
    assert.equal(numbers.safeParse(none).success, false, JSON.stringify(none));
});

test('files of a workspace are read the same way', () => {
  for (const schema of [baselineSchema, historyEntrySchema]) {
    const { error } = schema.safeParse({ datasets: WRONG });
    assert.equal(error?.issues.filter(({ path: [field] }) => field === 'datasets').length, 1);
  }
});
