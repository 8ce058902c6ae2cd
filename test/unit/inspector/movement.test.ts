/** The meaning of ▲ and ▼ beside a result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { Answer } from '../../../src/features/inspector/host/answer.ts';
import type { Candidate } from '../../../src/shared/requests/passages.ts';

/** Passages in the order of the reranker, with their ranks before it. */
function answered(ranks: Readonly<Record<string, number>>): Answer {
  const candidates: Candidate[] = Object.entries(ranks).map(([id, retrievedRank], slot) => ({
    slot,
    id,
    documentId: id,
    title: id,
    text: id,
    path: id,
    hash: id,
    span: { start: 0, end: 1 },
    lines: { startLine: 0, endLine: 0 },
    verbatim: true,
    score: 1 / (slot + 1),
    retrievedRank,
  }));
  const pipeline = parsePipeline({
    retriever: { type: 'bm25' },
    rerank: [{ type: 'mmr', lambda: 0.5 }],
    k: 3,
  });
  return new Answer(
    { candidates, search: 'exact', milliseconds: 0, notices: [] },
    { corpus: 'docs', query: { text: 'question' }, perspectives: [], pipeline },
  );
}

const movements = (answer: Answer): (number | undefined)[] =>
  answer.view().items.map(({ movement }) => movement);

test('movement is positive for a passage moved up and negative for one moved down', () => {
  assert.deepEqual(movements(answered({ risen: 3, same: 2, sunk: 1 })), [2, 0, -2]);
});

test('movement in a what-if is relative to the order of the pipeline', () => {
  const answer = answered({ first: 1, second: 2, third: 3 });
  answer.reorder([2, 0, 1]);
  assert.deepEqual(movements(answer), [2, -1, -1]);
});
