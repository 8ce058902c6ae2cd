import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disagreementText } from '../../../src/shared/p-value.ts';

test('explains why an interval and a p-value disagree', () => {
  const agreeing = [
    { low: 0.01, high: 0.2, p: 0.049 },
    { low: -0.2, high: -0.01, p: 0.001 },
    { low: -0.1, high: 0.2, p: 0.4 },
    { low: 0, high: 0, p: 1 },
    { low: 0.01, high: 0.2 },
  ];
  assert.equal(disagreementText(agreeing), undefined);
  for (const one of [
    { low: 0.01, high: 0.2, p: 0.05 },
    { low: -0.2, high: -0.01, p: 0.3 },
    { low: -0.01, high: 0.2, p: 0.04 },
  ])
    assert.match(
      disagreementText([...agreeing, one])!,
      /^On some differences .* disagree: .* fewer than 6 questions differ;/u,
      JSON.stringify(one),
    );
});
