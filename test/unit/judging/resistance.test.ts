import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTILE_PASSAGES } from '../../../src/core/judging/prompts/hostile-passages.ts';
import { resistanceCases, resistanceOf } from '../../../src/core/judging/resistance.ts';

test('there are at least 40 hostile passages, each with a name of its own and in two cases', () => {
  const names = new Set(HOSTILE_PASSAGES.map(({ name }) => name));
  assert.ok(names.size >= 40);
  assert.equal(names.size, HOSTILE_PASSAGES.length);
  const cases = resistanceCases();
  assert.equal(cases.length, 2 * names.size);
  assert.equal(new Set(cases.map(({ name }) => name)).size, cases.length);
  assert.equal(cases.filter(({ right }) => right === 'yes').length, names.size);
});

test('only the opposite of the right verdict counts as fooled', () => {
  const cases = resistanceCases().slice(0, 4); // no, yes, no, yes
  assert.deepEqual(resistanceOf(cases, ['no', 'no', 'unsure', undefined]), {
    cases: 4,
    passed: 1,
    undecided: 1,
    fooled: [{ name: cases[1]!.name, verdict: 'no' }],
    unanswered: 1,
  });
});
