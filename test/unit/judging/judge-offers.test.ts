import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { configSchema } from '../../../src/shared/config.ts';
import { judgeChoices } from '../../../src/extension/judging/judge-choice.ts';
import { judgeOffers } from '../../../src/extension/judging/judge-offers.ts';

describe('judges in the panels', () => {
  const offered = (judges: Record<string, unknown>): readonly string[][] =>
    judgeOffers(judgeChoices(configSchema.parse({ judges }))).map(({ name, label, restsOn, sureness }) => [
      name,
      label,
      restsOn,
      sureness,
    ]);

  test('people come first, then models, then judges without network', () => {
    const judges = {
      entails: { type: 'nli', path: 'models/nli' },
      large: { type: 'openai', model: 'qwen3-8b' },
    };
    assert.deepEqual(
      offered(judges).map(([, label]) => label),
      ['People', 'A model: large (qwen3-8b)', "A model: the editor's", 'Offline: entails (NLI)'],
    );
  });

  test('a debate, a filter and lara follow their judge', () => {
    const judges = {
      careful: { type: 'filter', judges: ['entails'], then: 'dream' },
      dream: { type: 'debate', preset: 'dream', agents: 'large' },
      unsure: { type: 'lara', judge: 'large', share: 0.1 },
      quick: { type: 'filter', judges: ['large'], then: 'entails' },
      large: { type: 'openai', model: 'large' },
      entails: { type: 'nli', path: 'models/nli' },
    };
    const ways = offered(judges).map(([name, , restsOn, sureness]) => [name, restsOn, sureness]);
    assert.deepEqual(ways, [
      ['labels', 'labels', 'One answer is enough'],
      ['large', 'large', 'One answer is enough'],
      ['vscode', 'vscode', 'One answer is enough'],
      ['careful', 'large', 'Cheaper judges first, then a debate'],
      ['dream', 'large', 'After a debate'],
      ['unsure', 'large', 'You decide if it is unsure'],
      ['entails', 'entails', 'One answer is enough'],
      ['quick', 'entails', 'Cheaper judges first'],
    ]);
  });

  test('a judge without a target, or in a circle, is listed separately', () => {
    const judges = {
      lost: { type: 'filter', judges: ['large'], then: 'nobody' },
      round: { type: 'filter', judges: ['large'], then: 'trip' },
      trip: { type: 'filter', judges: ['large'], then: 'round' },
      large: { type: 'openai', model: 'large' },
    };
    const standing = offered(judges).filter(([name, , restsOn]) => name === restsOn);
    assert.deepEqual(
      standing.map(([name]) => name),
      ['labels', 'lost', 'round', 'trip', 'large', 'vscode'],
    );
  });
});
