import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeSchema, type JudgeConfig } from '../../../src/shared/judge-config.ts';
import { judgeEffort } from '../../../src/shared/named-judges.ts';
import { answersEffort } from '../../../src/shared/judge-effort.ts';
import type { Effort } from '../../../src/shared/requests/spending.ts';

const judges: Record<string, JudgeConfig> = Object.fromEntries(
  Object.entries({
    single: { type: 'openai', model: 'large', mode: 'pair' },
    bare: { type: 'openai', model: 'large', mode: 'pair', explain: false },
    passage: { type: 'openai', model: 'large' },
    other: { type: 'openai', model: 'unpriced' },
    debate: { type: 'debate', agents: ['single', 'single'], rounds: 2 },
    lasting: { type: 'debate', agents: 'single', rounds: 2, continueTo: 5 },
    decided: { type: 'debate', agents: 'single', rounds: 2, adjudicator: 'other' },
    filter: { type: 'filter', judges: ['bare', 'bare'], then: 'debate' },
    lexical: { type: 'lexical' },
    once: { type: 'openai', model: 'large', askAgain: false },
    circle: { type: 'filter', judges: ['circle'], then: 'circle' },
  }).map(([name, config]) => [name, judgeSchema.parse(config)]),
);
const WORKLOAD = { pairs: 20, passages: 10, passageLength: 400 };
const PRICES = { large: { input: 2, output: 10 } };
const effort = (name: string): Effort => judgeEffort(name, judges, WORKLOAD, PRICES);

test('the number of requests follows from the type of the judge', () => {
  assert.deepEqual(effort('single').requests, { least: 20, most: 20 });
  assert.deepEqual(effort('passage').requests, { least: 10, most: 10 });
  const many = judgeEffort('passage', judges, { pairs: 170, passages: 10, passageLength: 400 }, PRICES);
  assert.deepEqual(many.requests, { least: 20, most: 20 }, 'more perspectives than fit');
  // Two agents, one round at least and two at most.
  assert.deepEqual(effort('debate').requests, { least: 40, most: 80 });
  // Two rounds if they never agree, five if they agree at once.
  assert.deepEqual(effort('lasting').requests, { least: 80, most: 200 });
  assert.deepEqual(effort('decided').requests, { least: 40, most: 100 });
  // The first cheap judge at least; at most both and the debates.
  assert.deepEqual(effort('filter').requests, { least: 20, most: 120 });
});

test('counts a second question about quotations if one may follow', () => {
  const told = ['single', 'passage', 'filter', 'bare', 'once', 'debate'].map(
    (name) => effort(name).mayAskAgain,
  );
  // The filter ends in a debate, and its cheap judges give bare verdicts.
  assert.deepEqual(told, [true, true, undefined, undefined, undefined, undefined]);
});

test('impossible and free judgements cost nothing', () => {
  for (const name of ['lexical', 'labels', 'toString', 'circle'])
    assert.deepEqual(effort(name).requests, { least: 0, most: 0 });
  assert.deepEqual(judgeEffort('debate', judges, { ...WORKLOAD, pairs: 0 }, PRICES).price, {
    least: 0,
    most: 0,
  });
});

test('the price is for the estimated tokens, if every price is known', () => {
  const { price, promptTokens, completionTokens } = effort('single');
  assert.deepEqual(promptTokens, { least: 14_500, most: 14_500 });
  assert.deepEqual(completionTokens, { least: 1800, most: 1800 });
  assert.ok(Math.abs(price!.most - (14_500 * 2 + 1800 * 10) / 1e6) < 1e-9);
  assert.ok(effort('bare').price!.most < price!.most);
  assert.equal(effort('other').price, undefined);
  assert.equal(effort('decided').price, undefined);
  assert.ok(effort('debate').price!.least < effort('debate').price!.most);
});

test('estimates answers and their judgement separately, each at its own price', () => {
  const workload = {
    answers: 10,
    promptLength: 40_000,
    judgements: 12,
    judgePromptLength: 24_000,
    perspectives: 30,
  };
  const models = { generator: 'large', judge: 'other' };
  const { requests, promptTokens, completionTokens, price } = answersEffort(workload, models, PRICES);
  assert.deepEqual(requests, { least: 22, most: 22 });
  // 10,000 to write from; 6,000 and the ten answers to judge.
  assert.deepEqual(promptTokens, { least: 18_000, most: 18_000 });
  assert.deepEqual(completionTokens, { least: 3_500, most: 3_500 });
  assert.equal(price, undefined);
  const same = answersEffort(workload, { generator: 'large', judge: 'large' }, PRICES);
  assert.ok(Math.abs(same.price!.most - (18_000 * 2 + 3_500 * 10) / 1e6) < 1e-9);
  const nothing = { answers: 0, promptLength: 0, judgements: 0, judgePromptLength: 0, perspectives: 0 };
  assert.deepEqual(answersEffort(nothing, models, {}).requests, { least: 0, most: 0 });
});
