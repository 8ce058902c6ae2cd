import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNUSED_REASONS } from '../../../src/features/capture/core/span-reading.ts';
import { UnusedSpans } from '../../../src/features/capture/core/unused-spans.ts';
import {
  unusedKindDescription,
  unusedKindDetails,
  unusedKindName,
  unusedKindNodes,
  unusedName,
  unusedNodes,
} from '../../../src/features/capture/host/unused-text.ts';

const LLM = { kind: 'openinference.span.kind=LLM', reason: 'other-work' } as const;
const SILENT = { kind: 'openinference.span.kind=RETRIEVER', reason: 'no-query' } as const;

test('counts spans by kind and reason, most frequent first', () => {
  const spans = new UnusedSpans();
  for (const span of [SILENT, LLM, LLM]) spans.add(span);
  assert.deepEqual(spans.list(), [
    { ...LLM, count: 2 },
    { ...SILENT, count: 1 },
  ]);
  spans.clear();
  assert.deepEqual(spans.list(), []);
});

test('limits the number of kinds; further ones count as unnamed', () => {
  const spans = new UnusedSpans();
  spans.add({ kind: `rpc.system=${'x'.repeat(2_000)}`, reason: 'no-query' });
  assert.deepEqual(spans.list(), [{ kind: '', reason: 'no-query', count: 1 }]);
  spans.clear();
  for (let i = 0; i < 1000; i++) spans.add({ kind: `rpc.system=${i}`, reason: 'other-work' });
  const [first, ...others] = spans.list();
  assert.deepEqual(first, { kind: '', reason: 'other-work', count: 950 });
  assert.equal(others.length, 50);
});

test('reports that no span was a retrieval', () => {
  const unused = [
    { ...LLM, count: 4 },
    { kind: '', reason: 'other-work' as const, count: 1 },
  ];
  const [alone] = unusedNodes(unused, true);
  assert.equal(unusedName(alone!), '5 spans received, none of them a retrieval that can be shown');
  assert.equal(unusedName(unusedNodes(unused, false)[0]!), '5 spans more, not shown as retrievals');
  assert.deepEqual(unusedNodes([], true), []);
  assert.deepEqual(
    unusedKindNodes(alone!).map((node) => [unusedKindName(node), unusedKindDescription(node)]),
    [
      ['openinference.span.kind=LLM', '4 spans · not a retrieval'],
      ['other kinds', '1 span · not a retrieval'],
    ],
  );
});

test('every reason has its own sentence', () => {
  const told = UNUSED_REASONS.map((reason) => {
    const node = { kind: 'unused-kind' as const, spans: { kind: 'x', reason, count: 1 } };
    return `${unusedKindDescription(node)}: ${unusedKindDetails(node)}`;
  });
  assert.equal(new Set(told).size, UNUSED_REASONS.length);
  for (const sentence of told) assert.match(sentence, /^1 span · .+: [A-Z].+\.$/u);
});
