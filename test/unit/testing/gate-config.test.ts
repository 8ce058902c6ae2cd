import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfig } from '../../../src/extension/workspace/workspace-model.ts';
import { withBaseline } from '../../../src/extension/testing/gate-config.ts';

const FILE = '.parallax/baselines/main.json';
const PLAIN =
  '{\n  "version": 2,\n  // kept\n  "pipelines": { "own": { "retriever": { "type": "bm25" }, "k": 3 } }\n}\n';

test('a baseline that is accepted begins a gate of the first pipeline, at its k, that no query may lose anything in', () => {
  const written = withBaseline(PLAIN, parseConfig(PLAIN), FILE);
  assert.match(written, /\/\/ kept/u);
  const { gate } = parseConfig(written);
  assert.deepEqual(
    [gate?.pipelines, gate?.k, gate?.baseline?.file, gate?.baseline?.lostPerspectives],
    [['own'], 3, FILE, 0],
  );
});

test('a gate that is there keeps its demands', () => {
  const gated = PLAIN.replace(
    '"version": 2,',
    '"version": 2, "gate": { "pipelines": ["own"], "k": 7, "judged": { "min": 0.9 } },',
  );
  const { gate } = parseConfig(withBaseline(gated, parseConfig(gated), FILE));
  assert.deepEqual([gate?.k, gate?.judged?.min, gate?.baseline?.file], [7, 0.9, FILE]);
});
