import assert from 'node:assert/strict';
import test from 'node:test';
import { probabilityOfYes, type AnsweredToken } from '../../../src/core/judging/replies/token-probability.ts';

/** A token with alternatives by their probabilities; the first of them is the token. */
function answered(probabilities: Record<string, number>): AnsweredToken {
  const alternatives = Object.entries(probabilities).map(([token, p]) => ({ token, logprob: Math.log(p) }));
  return { ...alternatives[0]!, alternatives };
}

function close(actual: unknown, expected: number): void {
  assert.ok(
    typeof actual === 'number' && Math.abs(actual - expected) < 1e-12,
    `${String(actual)} is not ${expected}`,
  );
}

test('is the share of yes among yes and no', () => {
  close(probabilityOfYes([answered({ yes: 0.6, no: 0.2, maybe: 0.2 })]), 0.75);
  close(probabilityOfYes([answered({ no: 0.9, yes: 0.1 })]), 0.1);
});

test('spellings of a word add up', () => {
  close(
    probabilityOfYes([answered({ Yes: 0.3, ' yes': 0.2, YES: 0.1, No: 0.2, '▁no': 0.1, 'Ġno.': 0.1 })]),
    0.6,
  );
});

test('words with a common prefix do not count', () => {
  close(probabilityOfYes([answered({ yes: 0.5, nothing: 0.2, yesterday: 0.2, no: 0.1 })]), 0.5 / 0.6);
});

test('ignores blanks, quotes and emphasis before the word', () => {
  close(
    probabilityOfYes([answered({ '\n': 1 }), answered({ '**': 1 }), answered({ no: 0.5, yes: 0.5 })]),
    0.5,
  );
});

test('counts a token missing from its alternatives once', () => {
  const alternatives = [{ token: 'no', logprob: Math.log(0.2) }];
  close(probabilityOfYes([{ token: 'yes', logprob: Math.log(0.6), alternatives }]), 0.75);
  close(probabilityOfYes([{ token: 'no', logprob: Math.log(0.2), alternatives }]), 0);
});

test('a floor instead of minus infinity gives certainty', () => {
  const alternatives = [
    { token: 'yes', logprob: 0 },
    { token: 'no', logprob: -9999 },
  ];
  close(probabilityOfYes([{ token: 'yes', logprob: 0, alternatives }]), 1);
});

test('is undefined for answers with neither word', () => {
  const reason = (tokens: AnsweredToken[]): string => {
    const read = probabilityOfYes(tokens);
    assert.ok(typeof read === 'object');
    return read.reason;
  };
  assert.match(reason([answered({ Perhaps: 0.9, It: 0.1 })]), /began its answer with "Perhaps"/);
  assert.match(reason([]), /empty/);
  assert.match(reason([answered({ ' ': 1 })]), /empty/);
  const impossible = { token: 'yes', logprob: Number.NEGATIVE_INFINITY };
  assert.match(reason([{ ...impossible, alternatives: [impossible] }]), /began its answer/);
});
