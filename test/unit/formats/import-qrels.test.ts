import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelsFromQrels } from '../../../src/core/formats/import-qrels.ts';
import { LabelIndex } from '../../../src/core/formats/label-index.ts';
import { formatLabel } from '../../../src/core/formats/labels.ts';
import { parseLabels } from '../../fixtures/parse-labels.ts';
import { parseQrels } from '../../../src/core/formats/exchange/trec.ts';

const QUERIES = [{ id: 'q', text: 'Cats?', perspectives: [{ id: 'pro', text: 'Cats are good.' }] }];
const AT = '2026-01-01T00:00:00Z';

test('imported qrels answer as labels do, and labels by people override them', () => {
  const { qrels } = parseQrels('q pro d1 1\nq pro d2 0\nq pro d3 -1\n');
  const { labels, warnings } = labelsFromQrels(qrels, QUERIES, 'trec.txt', AT);
  assert.deepEqual(warnings, []);
  assert.deepEqual(new Set(labels.map(({ standard }) => standard)), new Set(['imported']));
  const parsed = parseLabels(labels.map(formatLabel).join(''));
  assert.deepEqual(parsed.warnings, []);
  const about = (index: LabelIndex, documentId: string): string | undefined =>
    index.lookup({ perspectiveText: 'Cats are good.' }, { documentId, text: 'any', hash: 'h' })?.verdict;
  const imported = new LabelIndex(parsed.labels);
  assert.equal(about(imported, 'd1'), 'yes');
  assert.equal(about(imported, 'd2'), 'no');
  assert.equal(about(imported, 'd3'), undefined, 'pooled but unjudged');
  const human = { ...parsed.labels[0]!, verdict: 'no' as const, by: { kind: 'human' as const, name: 'me' } };
  assert.equal(about(new LabelIndex([...parsed.labels, human]), 'd1'), 'no');
});

test('reports ids that the eval set lacks and imports the rest', () => {
  const { qrels } = parseQrels('q pro d1 1\nq con d1 1\nother pro d1 1\n');
  const { labels, warnings } = labelsFromQrels(qrels, QUERIES, 'trec.txt', AT);
  assert.equal(labels.length, 1);
  assert.match(warnings.join('\n'), /no perspective "con"/u);
  assert.match(warnings.join('\n'), /"other" is not in the eval set/u);
});

test('reports that labels of a part of a document count only if no document is split', () => {
  const { qrels } = parseQrels('q pro notes/d1.md#p7 1\nq pro d#2 1\n');
  const { labels, warnings } = labelsFromQrels(qrels, QUERIES, 'trec.txt', AT);
  assert.equal(labels.length, 2);
  assert.match(warnings.join('\n'), /^1 of 2 labels name parts of documents, such as "notes\/d1\.md#p7"\./u);
});
