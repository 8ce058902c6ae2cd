import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Verdict } from '../../../src/core/model.ts';
import {
  agreementByCondition,
  agreementOfPeople,
  ballotsOf,
  majority,
  type Vote,
} from '../../../src/features/validation/core/people.ts';

const WORDS: Record<string, Verdict> = { y: 'yes', n: 'no', '?': 'unsure' };
/** `{ ann: 'yn.' }`: Ann's votes on items 0, 1, 2; '.' is no vote. */
function votesOf(said: Record<string, string>): Vote[] {
  return Object.entries(said).flatMap(([person, letters]) =>
    [...letters].flatMap((letter, item) =>
      letter === '.' ? [] : [{ item: String(item), person, verdict: WORDS[letter]! }],
    ),
  );
}

test('the most frequent verdict wins, a tie is unsure', () => {
  assert.deepEqual(majority(['yes', 'no', 'yes']), { verdict: 'yes', tie: false });
  assert.deepEqual(majority(['yes', 'no']), { verdict: 'unsure', tie: true });
  assert.deepEqual(majority(['yes', 'no', 'unsure']), { verdict: 'unsure', tie: true });
  assert.deepEqual(majority(['unsure', 'unsure', 'no']), { verdict: 'unsure', tie: false });
  assert.deepEqual(majority(['no']), { verdict: 'no', tie: false });
  assert.deepEqual(majority([]), { verdict: 'unsure', tie: false });
});

test('the order of votes does not matter', () => {
  const verdict = fc.constantFrom<Verdict>('yes', 'no', 'unsure');
  fc.assert(
    fc.property(fc.array(verdict), (verdicts) => {
      assert.deepEqual(majority(verdicts), majority([...verdicts].reverse()));
      assert.deepEqual(majority([...verdicts].sort()), majority(verdicts));
    }),
  );
});

test('of several votes by one person the last counts', () => {
  const [ballot] = ballotsOf([
    { item: 'a', person: 'ann', verdict: 'yes' },
    { item: 'a', person: 'bob', verdict: 'no' },
    { item: 'a', person: 'ann', verdict: 'no' },
  ]);
  assert.deepEqual([ballot?.verdict, ballot?.tie, ballot?.votes.length], ['no', false, 2]);
});

test('agreement of three people: for each two, for all, and the ties', () => {
  const { people, pairs, all, ties } = agreementOfPeople(votesOf({ ann: 'yyn', bob: 'ynny', cid: '....n' }));
  assert.deepEqual(people, [
    { name: 'ann', labels: 3 },
    { name: 'bob', labels: 4 },
    { name: 'cid', labels: 1 },
  ]);
  // Ann and Bob share items 0 to 2 and agree on two; no other two people share any.
  assert.deepEqual(
    pairs.map(({ first, second, items, observed }) => [first, second, items, observed]),
    [['ann', 'bob', 3, 2 / 3]],
  );
  assert.deepEqual([all.items, all.observed], [3, 2 / 3]);
  assert.deepEqual(
    ties.map(({ item, votes }) => [item, votes.length]),
    [['1', 2]],
  );
});

test('an item without a reference counts for agreement only', () => {
  const votes = votesOf({ ann: 'yn', bob: 'yn' }).map((vote) => ({ ...vote, condition: 'with' }));
  const [row] = agreementByCondition(votes, new Map([['1', 'yes']]));
  assert.deepEqual([row?.agreement.items, row?.figures.pairs, row?.figures.accuracy], [2, 1, 0]);
});

test('with and without the debate history: agreement, and the majority against experts', () => {
  const under = (condition: string, said: Record<string, string>) =>
    votesOf(said).map((vote) => ({ ...vote, condition }));
  const rows = agreementByCondition(
    [
      ...under('without', { ann: 'ynyn', bob: 'nnyy', cid: 'yyn.' }),
      ...under('with', { ann: 'yynn', bob: 'yynn', cid: 'ynnn' }),
    ],
    new Map([
      ['0', 'yes'],
      ['1', 'yes'],
      ['2', 'no'],
      ['3', 'no'],
    ]),
  );
  assert.deepEqual(
    rows.map(({ condition }) => condition),
    ['without', 'with'],
  );
  // Without: yes, no, yes and a tie. With: all right.
  assert.deepEqual(rows[0]?.figures.recall, { yes: 0.5, no: 0 });
  assert.equal(rows[0]?.figures.balancedAccuracy, 0.25);
  assert.equal(rows[1]?.figures.balancedAccuracy, 1);
  // Per item 1/3, 1/3, 1/3, 0; and 1, 1/3, 1, 1.
  assert.ok(Math.abs(rows[0].agreement.observed! - 0.25) < 1e-12);
  assert.ok(Math.abs(rows[1].agreement.observed! - 10 / 12) < 1e-12);
  assert.ok(rows[1].agreement.kappa! > rows[0].agreement.kappa!);
});
