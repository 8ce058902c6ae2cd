import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ARGUMENT_FORM,
  pairForm,
  passageForm,
  WORD_FORM,
  WRITTEN_FORM,
} from '../../../src/core/judging/answer-form.ts';

const decided = { type: 'string', enum: ['yes', 'no'] };
const explained = {
  type: 'object',
  properties: {
    evidence: { type: ['string', 'null'] },
    verdict: { type: 'string', enum: ['yes', 'no', 'unsure'] },
    reason: { type: 'string' },
  },
  required: ['evidence', 'verdict', 'reason'],
  additionalProperties: false,
};

test('a pair is answered by a verdict, or by evidence, verdict and reason in this order', () => {
  const { schema } = pairForm({ explain: true });
  assert.deepEqual(schema, explained);
  assert.ok(schema?.type === 'object');
  assert.deepEqual(Object.keys(schema.properties), ['evidence', 'verdict', 'reason']);
  const short = { type: 'object', properties: { verdict: decided }, required: ['verdict'] };
  assert.deepEqual(pairForm({ explain: false }).schema, { ...short, additionalProperties: false });
});

test('a passage is answered for every statement by its letter', () => {
  const object = { type: 'object', required: ['A', 'B'], additionalProperties: false };
  assert.deepEqual(passageForm({ explain: false }, 2).schema, {
    ...object,
    properties: { A: decided, B: decided },
  });
  assert.deepEqual(passageForm({ explain: true }, 2).schema, {
    ...object,
    properties: { A: explained, B: explained },
  });
});

test('agents choose their quotations and decide', () => {
  assert.deepEqual(ARGUMENT_FORM.schema, {
    type: 'object',
    properties: {
      evidence: { type: 'array', items: { type: 'string' } },
      reason: { type: 'string' },
      verdict: decided,
    },
    required: ['evidence', 'reason', 'verdict'],
    additionalProperties: false,
  });
});

test('every valid answer fits, with more room for more statements', () => {
  const room = (explain: boolean, statements: number) => passageForm({ explain }, statements).maxTokens;
  for (const explain of [true, false]) {
    const own = room(explain, 2) - room(explain, 1);
    assert.ok(own > 0 && room(explain, 1) > own, 'braces and what stands around it have room of their own');
    assert.equal(room(explain, 9), room(explain, 1) + 8 * own);
    assert.ok(pairForm({ explain }).maxTokens <= room(explain, 1));
  }
  assert.ok(pairForm({ explain: true }).maxTokens > pairForm({ explain: false }).maxTokens);
  assert.ok(WRITTEN_FORM.maxTokens > ARGUMENT_FORM.maxTokens && WORD_FORM.maxTokens >= 8);
  assert.ok(WORD_FORM.schema === undefined && WRITTEN_FORM.schema === undefined);
});
