import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { measuresOwnLabels } from '../../../src/features/validation/engine/validate-request.ts';
import '../../fixtures/built.ts';

test("whether the labels to measure on are the workspace's own, however they are named", () => {
  const base = path.resolve('workspace');
  const own = { base, labelsFile: path.join(base, '.parallax/judgements.jsonl') };
  assert.equal(measuresOwnLabels({}, own), true);
  assert.equal(measuresOwnLabels({ labelsFile: '.parallax/judgements.jsonl' }, own), true);
  assert.equal(measuresOwnLabels({ labelsFile: own.labelsFile }, own), true);
  assert.equal(measuresOwnLabels({ labelsFile: 'other.jsonl' }, own), false);
  assert.equal(measuresOwnLabels({ pairs: [{ document: 'a', perspective: 'b', label: 'yes' }] }, own), false);
});
