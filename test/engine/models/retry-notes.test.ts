import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryText } from '../../../src/engine/models/retry.ts';
import { createCachedJudge } from '../../../src/engine/judgements/cached-judge.ts';
import { JudgementCache } from '../../../src/engine/judgements/judgement-cache.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import type { Progress } from '../../../src/shared/requests/progress.ts';
import { startModelServer, verdictReply } from '../../fixtures/model-server.ts';
import { judgeOn, pairsOf, serverFor } from '../judges/support.ts';
import { testWorkspace } from '../../fixtures/workspace.ts';

test('a wait before a retry is shown in a plain line beside the work', async (t) => {
  const server = await serverFor(t, {
    chat: ({ index }) =>
      index === 0
        ? { fault: 'rate-limit', retryAfter: '12' }
        : index === 1
          ? { fault: 'status', status: 500 }
          : verdictReply('yes'),
  });
  const db = openDatabase(':memory:');
  t.after(() => db.close());
  const judge = createCachedJudge(judgeOn(server.url, { concurrency: 1 }), new JudgementCache(db));
  const said: Progress[] = [];
  await judge.judge(pairsOf(2), { onProgress: (progress) => said.push(progress) });
  assert.deepEqual(said[0], {
    done: 0,
    total: 2,
    detail: 'The model is busy; trying again in 13 s (2 of 5).',
  });
  assert.deepEqual(
    said.filter(({ detail }) => detail === undefined),
    [
      { done: 1, total: 2 },
      { done: 2, total: 2 },
    ],
    'progress is not counted twice',
  );
});

test('short waits are not shown, and an endpoint without an answer is not called busy', () => {
  const wait = { attempt: 3, of: 5, isBusy: false };
  assert.equal(retryText({ ...wait, waitMs: 400 }), undefined);
  assert.equal(
    retryText({ ...wait, waitMs: 4_200 }),
    'The model did not answer; trying again in 5 s (3 of 5).',
  );
});

test('notes reach the panels as progress of their request', async (t) => {
  const server = await startModelServer({
    chat: ({ index }) => (index === 0 ? { fault: 'rate-limit', retryAfter: '1' } : verdictReply('yes')),
  });
  t.after(() => server.close());
  const workspace = await testWorkspace(t, {
    files: { 'docs/a.md': 'Tea needs hot water.' },
    corpora: { docs: { roots: ['docs'] } },
    judges: { gpt: { type: 'openai', baseUrl: server.url, model: 'm' } },
  });
  const details: unknown[] = [];
  const asked = {
    corpus: 'docs',
    judge: 'gpt',
    query: { text: 'Tea?' },
    perspectives: [{ id: 'p', text: 'Tea needs heat.' }],
    slots: [1],
  };
  const onNote = (note: { type: string }): void =>
    void ('progress' in note && details.push((note.progress as Progress).detail));
  await workspace.request('judge', asked, { onNote });
  assert.ok(details.includes('The model is busy; trying again in 2 s (2 of 5).'), JSON.stringify(details));
});
