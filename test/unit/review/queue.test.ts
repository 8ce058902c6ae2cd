import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { drawn, drawnAlike } from '../../../src/features/review/core/draw.ts';
import {
  areDivided,
  inReviewOrder,
  isMoreUrgent,
  REVIEW_REASONS,
  reviewStateOf,
  type Queued,
  type PersonVerdict,
} from '../../../src/features/review/core/queue.ts';
import { seededRandom } from '../../../src/core/statistics/random.ts';

const say = (text: string): PersonVerdict[] =>
  text
    .split(' ')
    .filter(Boolean)
    .map((each, index) => {
      const [person, verdict] = each.split(':');
      return { person, verdict, at: `2026-01-0${index + 1}T00:00:00Z` } as PersonVerdict;
    });

test('a pair is done with enough answers and no tie', () => {
  for (const [said, people, ann, bob] of [
    ['', 1, 'open', 'open'],
    ['ann:yes', 1, 'done', 'done'],
    ['ann:unsure', 1, 'done', 'done'],
    ['ann:yes', 2, 'waiting', 'open'],
    ['ann:yes bob:yes', 2, 'done', 'done'],
    ['ann:yes bob:no', 2, 'open', 'open'],
    ['ann:yes bob:no', 3, 'waiting', 'waiting'],
    ['ann:yes bob:no eve:no', 3, 'done', 'done'],
    ['ann:yes bob:no eve:unsure', 3, 'open', 'open'],
    ['ann:yes bob:no eve:unsure kim:no', 3, 'done', 'done'],
    ['ann:yes bob:no', 1, 'open', 'open'],
  ] as const) {
    assert.equal(reviewStateOf(say(said), { people }, 'ann'), ann, `${said} of ${people}, for Ann`);
    assert.equal(reviewStateOf(say(said), { people }, 'bob'), bob, `${said} of ${people}, for Bob`);
  }
});

test('earlier answers do not count if people are asked again', () => {
  const said = say('ann:yes bob:no');
  assert.equal(reviewStateOf(said, { people: 1, since: '2026-01-01T12:00:00Z' }, 'ann'), 'done');
  assert.equal(reviewStateOf(said, { people: 1, since: '2026-01-02T00:00:00Z' }, 'ann'), 'open');
  assert.equal(areDivided(said, { people: 1, since: '2026-01-01T12:00:00Z' }), false);
  assert.equal(
    reviewStateOf(say('ann:yes'), { people: 1, since: '2026-01-01T01:00:00+02:00' }, 'ann'),
    'done',
  );
});

test('the most urgent come first, checks are mixed in, and skipped ones come last', () => {
  const item = (name: string, reason: Queued['reason'], place = 0, skipped?: string) => ({
    name,
    reason,
    place,
    number: 0,
    ...(skipped === undefined ? {} : { skipped }),
  });
  const items = [
    item('hole', 'hole'),
    item('second of the drawn', 'narrowing', 1),
    item('first of the drawn', 'narrowing', 0),
    item('late', 'escalated', 0, '2026-01-02'),
    item('later', 'escalated', 0, '2026-01-03'),
    item('sample 2', 'calibration', 0.6),
    item('check', 'attention', 0.4),
    item('sample 1', 'calibration', 0.2),
    item('quarrel', 'disagreement'),
    item('debate', 'escalated'),
  ];
  assert.deepEqual(
    items.sort(inReviewOrder).map(({ name }) => name),
    [
      'debate',
      'quarrel',
      'first of the drawn',
      'second of the drawn',
      'sample 1',
      'check',
      'sample 2',
      'hole',
      'late',
      'later',
    ],
  );
});

test('the order is total, and a pair has its most urgent reason', () => {
  const reason = fc.constantFrom(...REVIEW_REASONS);
  fc.assert(
    fc.property(reason, reason, fc.nat(5), fc.nat(5), (a, b, m, n) => {
      const [x, y] = [
        { reason: a, place: 0, number: m },
        { reason: b, place: 0, number: n },
      ];
      assert.equal(Math.sign(inReviewOrder(x, y)) + Math.sign(inReviewOrder(y, x)), 0);
      if (isMoreUrgent(a, b)) assert.ok(inReviewOrder(x, y) < 0 && !isMoreUrgent(b, a));
    }),
  );
});

test('a sample has each item once, in the wanted number, with equal probability', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat()), fc.nat(20), fc.integer(), (items, count, seed) => {
      const sample = drawn(items, count, seededRandom(seed));
      assert.equal(sample.length, Math.min(count, items.length));
      assert.equal(new Set(sample).size, sample.length);
      assert.ok(sample.every((item) => items.includes(item)));
    }),
  );
  const counts = new Map<string, number>();
  for (let seed = 0; seed < 3000; seed++)
    for (const item of drawn(['a', 'b', 'c', 'd', 'e', 'f'], 2, seededRandom(seed)))
      counts.set(item, (counts.get(item) ?? 0) + 1);
  // 3000 draws with probability 1/3: 1000 each, standard deviation 26.
  for (const [item, count] of counts) assert.ok(Math.abs(count - 1000) < 130, `${item}: ${count}`);
  const alike = drawnAlike(['a', 'b', 'c', 'd'], 3, seededRandom(1));
  assert.deepEqual(
    alike.map(({ item, chance }) => [item, chance]),
    drawn(['a', 'b', 'c', 'd'], 3, seededRandom(1)).map((item) => [item, 0.75]),
  );
});
