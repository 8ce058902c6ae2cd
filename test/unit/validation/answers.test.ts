import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Judgement } from '../../../src/core/model.ts';
import {
  automaticAnswer,
  finalAnswer,
  labelsByRound,
  latencyOf,
  meanCost,
} from '../../../src/features/validation/core/answers.ts';

const judgement = (fields: Partial<Judgement>): Judgement => ({ verdict: 'yes', ...fields }) as Judgement;
const given = (fields: Partial<Judgement>, unparsed = false) => ({
  judgement: judgement(fields),
  unparsed,
  cached: false,
});

test('an escalated pair has no answer by the judge; a pair left to people has no final answer', () => {
  const answers = [
    given({}),
    given({ escalated: 'adjudicator' }),
    given({ escalated: 'human' }),
    given({}, true),
  ];
  assert.deepEqual(answers.map(automaticAnswer), ['yes', 'escalated', 'escalated', 'unparsed']);
  assert.deepEqual(answers.map(finalAnswer), ['yes', 'yes', 'escalated', 'unparsed']);
});

test('an agent whose label could not be read is unsure', () => {
  const turn = (label: 'yes' | undefined) => ({ label, argument: '', evidence: [] }) as never;
  assert.deepEqual(labelsByRound([[turn('yes'), turn(undefined)]]), [['yes', 'unsure']]);
});

test('costs are means over the judgements that report them', () => {
  const judgements = [
    judgement({ cost: { requests: 1, promptTokens: 10, milliseconds: 400 } }),
    judgement({ cost: { requests: 4, promptTokens: 30, completionTokens: 6, milliseconds: 1000 } }),
    judgement({ cost: { requests: 1, milliseconds: 600 } }),
    judgement({}),
  ];
  assert.deepEqual(meanCost(judgements), { requests: 2, promptTokens: 20, completionTokens: 6 });
  assert.deepEqual(latencyOf(judgements), { median: 600, p95: 960 });
  assert.deepEqual(meanCost([]), { requests: null, promptTokens: null, completionTokens: null });
  assert.deepEqual(latencyOf([judgement({})]), { median: null, p95: null });
});
