/** What the side panel shows about a judge's errors and about the order that it made. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { Answer } from '../../../src/features/inspector/host/answer.ts';
import type { Candidate } from '../../../src/shared/requests/passages.ts';
import type { TakenErrors } from '../../../src/features/validation/core/taken-errors.ts';

const MEASURED: TakenErrors = {
  judge: 'J',
  yesOfSupport: 0.8,
  yesOfNone: 0.1,
  from: 'validation',
  labels: 40,
  leftOut: 0,
};
const RAISED = { perspectiveId: 'p', supports: 0.8, only: 0.72 };

function answered(): Answer {
  const candidates: Candidate[] = ['first', 'second'].map((id, slot) => ({
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
    score: 1,
    ...(slot === 0 ? { raised: RAISED } : {}),
  }));
  const found = { candidates, search: 'exact', milliseconds: 0, notices: [], validated: MEASURED } as const;
  return new Answer(
    { ...found, candidates, notices: [], takenErrors: MEASURED },
    {
      corpus: 'docs',
      query: { text: 'question' },
      perspectives: [{ id: 'p', text: 'Cats calm.' }],
      pipeline: parsePipeline({ retriever: { type: 'bm25' }, k: 2 }),
    },
  );
}

test("a judge's errors are told where figures rest on its word, and not where they rest on people's", () => {
  const answer = answered();
  assert.equal(answer.view().validated, undefined, 'nobody has judged anything');
  const judged = (slot: number, source: 'human' | 'llm', judge: string) =>
    answer.learn([
      {
        slot,
        perspectiveId: 'p',
        judgement: { verdict: 'yes', evidence: [], source, judge, standard: 's', at: '' },
      },
    ]);
  judged(0, 'human', 'J');
  assert.equal(answer.view().validated, undefined, 'a person of the same name');
  judged(1, 'llm', 'J');
  assert.deepEqual(answer.view().validated, MEASURED);
});

test('the reason for a move refers to the order that moved it', () => {
  const answer = answered();
  assert.deepEqual(
    answer.view().items.map(({ raised }) => raised),
    [RAISED, undefined],
  );
  assert.deepEqual(answer.view().takenErrors, MEASURED);
  answer.reorder([1, 0]);
  assert.ok(answer.view().items.every(({ raised }) => raised === undefined));
});
