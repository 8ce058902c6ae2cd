/** Error rates of a judge, as a validation stores them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  errorRates,
  MIN_OF_EACH,
  validationLine,
  validationLineSchema,
  type ValidationLine,
} from '../../../src/features/validation/core/error-rates.ts';
import type { JudgeView } from '../../../src/features/validation/core/report.ts';

type Counts = ValidationLine['perspectives'][number];

const about = (text: string, support: Counts['support'], none: Counts['none']): Counts => ({
  text,
  support,
  none,
});
const line = (...perspectives: Counts[]): ValidationLine => ({
  type: 'validation',
  judge: 'J',
  key: 'key of J',
  at: '2026-01-01T00:00:00Z',
  perspectives,
});

test('rates are counted over all perspectives and are never 0 or 1', () => {
  const found = errorRates(
    line(about('a', { yes: 6, no: 2 }, { yes: 0, no: 9 }), about('b', { yes: 2, no: 0 }, { yes: 0, no: 9 })),
    [],
  );
  assert.deepEqual(found, { yesOfSupport: 9 / 12, yesOfNone: 1 / 20, labels: 28, leftOut: 0 });
  const sure = errorRates(line(about('a', { yes: 10, no: 0 }, { yes: 0, no: 10 })), [])!;
  assert.ok(sure.yesOfSupport < 1 && sure.yesOfNone > 0);
});

test('labels of the query itself are excluded, however its perspective is spelt', () => {
  const validation = line(
    about('Cats calm.', { yes: 10, no: 0 }, { yes: 0, no: 10 }),
    about('Dogs bark.', { yes: 5, no: 5 }, { yes: 5, no: 5 }),
  );
  assert.deepEqual(errorRates(validation, [' Cats  calm. ']), {
    yesOfSupport: 0.5,
    yesOfNone: 0.5,
    labels: 20,
    leftOut: 20,
  });
  assert.equal(errorRates(validation, ['Cats calm.', 'Dogs bark.']), undefined);
});

test('fewer than ten pairs of either class give no rates', () => {
  const few = MIN_OF_EACH - 1;
  assert.equal(errorRates(line(about('a', { yes: few, no: 0 }, { yes: 0, no: 50 })), []), undefined);
  assert.equal(errorRates(line(about('a', { yes: 50, no: 0 }, { yes: 0, no: few })), []), undefined);
  assert.equal(errorRates(line(), []), undefined);
});

test('a stored validation contains the decided answers on each perspective', () => {
  const confusion = {
    yes: { yes: 5, no: 1, unsure: 2, unparsed: 3, escalated: 4 },
    no: { yes: 0, no: 7, unsure: 1, unparsed: 1, escalated: 1 },
  };
  const judge = { judge: 'J', byPerspective: [{ perspective: 'a', confusion }] } as unknown as JudgeView;
  const kept = validationLine(judge, 'key of J', '2026-01-01T00:00:00Z');
  assert.deepEqual(kept, line(about('a', { yes: 5, no: 1 }, { yes: 0, no: 7 })));
  assert.deepEqual(validationLineSchema.parse(kept), kept);
});
