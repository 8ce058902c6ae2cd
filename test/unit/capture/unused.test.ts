import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNUSED_REASONS } from '../../../src/core/capture/heard.ts';
import { UnusedSpans } from '../../../src/core/capture/unused-spans.ts';
import {
  unusedKindDescription,
  unusedKindDetails,
  unusedKindName,
  unusedKindNodes,
  unusedName,
  unusedNodes,
} from '../../../src/extension/capture/unused-text.ts';

const LLM = { kind: 'openinference.span.kind=LLM', reason: 'other-work' } as const;
const SILENT = { kind: 'openinference.span.kind=RETRIEVER', reason: 'no-query' } as const;

test('spans are counted by kind and reason, the most frequent first', () => {
  const spans = new UnusedSpans();
  for (const span of [SILENT, LLM, LLM]) spans.add(span);
  assert.deepEqual(spans.list(), [
    { ...LLM, count: 2 },
    { ...SILENT, count: 1 },
  ]);
  spans.clear();
  assert.deepEqual(spans.list(), []);
});

test('a program that names ever more kinds fills no memory: they are counted as of no kind', () => {
  const spans = new UnusedSpans();
  for (let i = 0; i < 1000; i++) spans.add({ kind: `rpc.system=${i}`, reason: 'other-work' });
  const [first, ...others] = spans.list();
  assert.deepEqual(first, { kind: '', reason: 'other-work', count: 950 });
  assert.equal(others.length, 50);
});

test('where nothing else came, it is said that there was no retrieval among them', () => {
  const unused = [
    { ...LLM, count: 4 },
    { kind: '', reason: 'other-work' as const, count: 1 },
  ];
  const [alone] = unusedNodes(unused, true);
  assert.equal(unusedName(alone!), '5 spans came, none was a retrieval that can be shown');
  assert.equal(unusedName(unusedNodes(unused, false)[0]!), '5 spans besides, not shown as retrievals');
  assert.deepEqual(unusedNodes([], true), []);
  assert.deepEqual(
    unusedKindNodes(alone!).map((node) => [unusedKindName(node), unusedKindDescription(node)]),
    [
      ['openinference.span.kind=LLM', '4 spans · not a retrieval'],
      ['other kinds', '1 span · not a retrieval'],
    ],
  );
});

test('every reason is told in a sentence of its own', () => {
  const told = UNUSED_REASONS.map((reason) => {
    const node = { kind: 'unused-kind' as const, own: { kind: 'x', reason, count: 1 } };
    return `${unusedKindDescription(node)}: ${unusedKindDetails(node)}`;
  });
  assert.equal(new Set(told).size, UNUSED_REASONS.length);
  for (const sentence of told) assert.match(sentence, /^1 span · .+: [A-Z].+\.$/u);
});
