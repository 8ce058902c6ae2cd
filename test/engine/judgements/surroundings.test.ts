import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgedReply, startModelServer } from '../../fixtures/model-server.ts';
import { readPassagePrompt } from '../../fixtures/read-prompts.ts';
import { testWorkspace } from '../../fixtures/workspace.ts';

const GUIDE = `# Guide

Everything begins here. The kettle is on the left.

## Brewing

Tea needs hot water. Let it draw. Nobody likes it cold.

## Cleaning

Rinse the pot at once. Then dry it.
`;

test('a judge by passage gets the question and the text around the passage', async (t) => {
  const server = await startModelServer({
    chat: ({ messages }) =>
      judgedReply(messages, (passage) => ({ verdict: passage.includes('hot water') ? 'yes' : 'no' })),
  });
  t.after(() => server.close());
  const workspace = await testWorkspace(t, {
    files: { 'docs/guide.md': GUIDE },
    corpora: { docs: { roots: ['docs'], split: { type: 'sections', size: 12 } } },
    judges: { gpt: { type: 'openai', baseUrl: server.url, model: 'm' } },
  });
  const asked = {
    corpus: 'docs',
    judge: 'gpt',
    query: { text: 'How is tea made?' },
    perspectives: ['Tea needs heat.', 'Tea needs time.'].map((text, id) => ({ id: `${id}`, text })),
    slots: [1, 2, 3],
  };
  const cost = await workspace.request('judgeCost', asked);
  const report = await workspace.request('judge', asked);
  assert.deepEqual(cost.effort.requests, {
    least: server.chatRequests.length,
    most: server.chatRequests.length,
  });
  assert.deepEqual([report.answered, server.chatRequests.length], [6, 3]);
  const prompts = server.chatRequests.map(({ messages }) => readPassagePrompt(messages));
  const brewing = prompts.find(({ passage }) => passage.includes('hot water'))!;
  assert.equal(brewing.question, 'How is tea made?');
  assert.deepEqual(brewing.statements, { A: 'Tea needs heat.', B: 'Tea needs time.' });
  assert.match(brewing.around['section']!, /Brewing$/);
  assert.equal(brewing.around['before'], 'The kettle is on the left.');
  assert.equal(brewing.around['after'], '## Cleaning');
  const first = prompts.find(({ passage }) => passage.includes('begins here'))!;
  assert.equal(first.around['before'], undefined, 'nothing stands before the first passage');
});
