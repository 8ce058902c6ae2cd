import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import type { Judgement } from '../../../src/core/model.ts';
import { JudgementCache } from '../../../src/engine/judgements/judgement-cache.ts';
import { openDatabase, type Database } from '../../../src/engine/store/database.ts';

const JUDGE = 'judge';

function opened(t: TestContext): { db: Database; cache: JudgementCache } {
  const db = openDatabase(':memory:');
  t.after(() => db.close());
  return { db, cache: new JudgementCache(db) };
}

function judgement(said: Partial<Judgement> = {}): Judgement {
  return {
    source: 'llm',
    judge: 'a judge',
    model: 'a model',
    promptVersion: 'pair-1',
    standard: 'berds-1',
    verdict: 'yes',
    evidence: [{ start: 3, end: 17 }],
    rationale: 'It says so.',
    confidence: 0.9,
    at: '2026-01-01T00:00:00.000Z',
    ...said,
  };
}

const keyOf = (number: number): { passageHash: string; perspectiveHash: string } => ({
  passageHash: number.toString(16).padStart(32, '0'),
  perspectiveHash: 'f'.repeat(32),
});

test('an answer is returned exactly as stored, to the last digit', (t) => {
  const { cache } = opened(t);
  let number = 0;
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('', '"', '\\', '\n\u0001', '[null]'),
  );
  const span = fc.record({ start: fc.nat(10_000), end: fc.nat(10_000) }, { noNullPrototype: true });
  fc.assert(
    fc.property(
      fc.option(text, { nil: undefined }),
      fc.option(fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1, 0.1, 1 / 3)), {
        nil: undefined,
      }),
      fc.array(span, { maxLength: 3 }),
      fc.boolean(),
      (rationale, confidence, evidence, unparsable) => {
        const key = keyOf(number++);
        // SQLite does not distinguish -0 from 0.
        const answer = {
          judgement: judgement({ rationale, confidence: confidence && confidence + 0, evidence }),
          unparsable,
        };
        cache.put(JUDGE, key, answer);
        assert.deepEqual(cache.get(JUDGE, key), answer);
      },
    ),
    { numRuns: 500 },
  );
});

test('a missing quotation is stored, and earlier answers do not mention it', (t) => {
  const { db, cache } = opened(t);
  cache.put(JUDGE, keyOf(1), {
    judgement: judgement({ evidence: [], evidenceNotFound: true }),
    unparsable: false,
  });
  cache.put(JUDGE, keyOf(2), { judgement: judgement(), unparsable: false });
  const found = [1, 2].map((number) => new JudgementCache(db).get(JUDGE, keyOf(number))?.judgement);
  assert.deepEqual(
    found.map((each) => each?.evidenceNotFound),
    [true, undefined],
  );
});

test('many are found in the requested order, without missing ones', (t) => {
  const { cache } = opened(t);
  for (const number of [1, 3, 5]) {
    const rationale = String(number);
    cache.put(JUDGE, keyOf(number), { judgement: judgement({ rationale }), unparsable: false });
  }
  const found = cache.getMany(JUDGE, [5, 4, 1, 5, 3].map(keyOf));
  assert.deepEqual(
    found.map((answer) => answer?.judgement.rationale),
    ['5', undefined, '1', '5', '3'],
  );
  assert.deepEqual(cache.getMany('nobody', [keyOf(1)]), [undefined]);
  assert.deepEqual(cache.getMany(JUDGE, []), []);
});

test('a damaged answer is missing, whatever replaces it, and the others stay', (t) => {
  const { db, cache } = opened(t);
  const damage = [
    "rationale = x'00ff'",
    "evidence = x'ff'",
    "confidence = 'much'",
    "confidence = x'01'",
    'confidence = NULL',
    'rationale = NULL',
    'checksum = checksum + 1',
    "checksum = 'none'",
    "at = ''",
  ];
  const keys = damage.map((_, number) => keyOf(number));
  const whole = keyOf(damage.length);
  for (const key of [...keys, whole]) cache.put(JUDGE, key, { judgement: judgement(), unparsable: false });
  for (const [number, change] of damage.entries())
    db.exec(`UPDATE answers_1 SET ${change} WHERE passage = '${keys[number]!.passageHash}'`);
  const found = cache.getMany(JUDGE, [...keys, whole]);
  assert.deepEqual(
    found.slice(0, -1),
    damage.map(() => undefined),
  );
  assert.deepEqual(found.at(-1)?.judgement, judgement());
});
