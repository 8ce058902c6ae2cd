import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { configSchema } from '../../../src/shared/config.ts';
import { surenessWays, type SurenessWay } from '../../../src/extension/judging/sureness-ways.ts';

describe('the certainty required of a judge', () => {
  const ways = (judges: Record<string, unknown>, judge: string): readonly SurenessWay[] =>
    surenessWays(configSchema.parse({ judges }), judge);
  const large = { type: 'openai', model: 'large' };

  test('writes a judge that parallax.json accepts', () => {
    const judges = { large, small: { type: 'openai', model: 'small' } };
    const written = ways(judges, 'large').map(({ name, written: judge, cheaper }) => [name, judge, cheaper]);
    assert.deepEqual(written, [
      ['large', undefined, undefined],
      ['large-debate', { type: 'debate', agents: 'large' }, undefined],
      ['large-lara', { type: 'lara', judge: 'large', share: 0.1 }, undefined],
      ['large-filter', { type: 'filter', then: 'large' }, ['small']],
    ]);
    const all = ways(judges, 'large').flatMap(({ name, written: judge, cheaper }) =>
      judge ? [[name, { ...judge, ...(cheaper ? { judges: cheaper } : {}) }]] : [],
    );
    assert.equal(configSchema.safeParse({ judges: { ...judges, ...Object.fromEntries(all) } }).success, true);
  });

  test('reuses an existing way, whichever is in use', () => {
    const judges = { large, dream: { type: 'debate', preset: 'dream', agents: 'large' } };
    for (const inUse of ['large', 'dream'])
      assert.deepEqual(
        ways(judges, inUse).map(({ name, written }) => [name, written !== undefined]),
        [
          ['large', false],
          ['dream', false],
          ['large-lara', true],
        ],
      );
  });

  test("a model of the editor, which says no probabilities, leaves nothing to people's decision", () => {
    const names = ways({ mine: { type: 'vscode' } }, 'mine').map(({ name }) => name);
    assert.deepEqual(names, ['mine', 'mine-debate']);
  });

  test('offers no choice for people and for models with only one way', () => {
    assert.deepEqual(ways({ large }, 'labels'), []);
    assert.deepEqual(ways({ entails: { type: 'nli', path: 'm' } }, 'entails'), []);
    assert.deepEqual(ways({ large }, 'nobody'), []);
  });
});
