import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLabelledPairs } from '../../../src/core/formats/labelled-pairs.ts';
import { labelledWorkload } from '../../../src/features/validation/engine/requests.ts';
import '../../fixtures/built.ts';

const line = (perspective: string, document = 'x'.repeat(400)): string =>
  JSON.stringify({ question: 'Q', document, perspective, label: 1 });
const label = (perspective: string, hash: string): string =>
  JSON.stringify({
    v: 1,
    query: 'q',
    perspective: 'p',
    perspectiveText: perspective,
    document: 'd',
    hash,
    by: { kind: 'human', name: 'ann' },
    at: '2026-01-01T00:00:00Z',
    verdict: 'yes',
  });

test('lines, distinct passages, and pairs with labels of several people are counted', () => {
  const lines = [line('p1'), line('p2'), line('p1', 'y'.repeat(200))];
  assert.deepEqual(labelledWorkload(parseLabelledPairs(lines.join('\n'))), {
    pairs: 3,
    passages: 2,
    passageLength: 300,
  });
  const labels = [label('p', 'h1'), label('P ', 'h1'), label('p', 'h2')];
  assert.deepEqual(labelledWorkload(parseLabelledPairs(labels.join('\n'))), {
    pairs: 2,
    passages: 2,
    passageLength: 600,
  });
});
