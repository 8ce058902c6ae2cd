/** Paid answers survive a damaged page. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { textHash } from '../../../src/engine/text-sums.ts';
import { ANSWERS_FILE } from '../../../src/shared/requests/configuration.ts';
import { verdictReply } from '../../fixtures/model-server.ts';
import { testWorkspace } from '../../fixtures/workspace.ts';
import { serverFor } from '../judges/support.ts';

const PASSAGES = 400;

test('answers on undamaged pages are not asked for again', async (t) => {
  const server = await serverFor(t, { chat: () => verdictReply('no') });
  const logged: string[] = [];
  const workspace = await testWorkspace(t, {
    files: {
      'docs.jsonl': Array.from({ length: PASSAGES }, (_, at) => `{"text":"office number ${at}"}\n`).join(''),
    },
    corpora: { docs: { roots: ['docs.jsonl'], split: { type: 'none' } } },
    judges: {
      model: { type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted', concurrency: 32 },
    },
    log: (message) => void logged.push(message),
  });
  const judge = async (): Promise<void> => {
    const found = await workspace.request('search', {
      corpus: 'docs',
      query: { text: 'office' },
      perspectives: [],
      pipeline: parsePipeline({ retriever: { type: 'bm25' }, k: 100, candidates: PASSAGES }),
      judge: 'model',
    });
    await workspace.request('judge', {
      corpus: 'docs',
      judge: 'model',
      query: { text: 'office' },
      perspectives: [{ id: 'p', text: 'It is an office.' }],
      slots: found.candidates.map(({ slot }) => slot),
    });
  };
  await judge();
  assert.equal(server.chatRequests.length, PASSAGES);

  const file = path.join(workspace.config.storage, ANSWERS_FILE);
  await workspace.engine.close();
  const bytes = readFileSync(file);
  // A leaf page in the table of answers.
  const inPage = bytes.indexOf(textHash('office number 200'));
  assert.ok(inPage > 0);
  const page = Math.floor(inPage / 4096) * 4096;
  bytes.fill(0xff, page, page + 16);
  writeFileSync(file, bytes);

  await workspace.restart();
  assert.match(logged.join('\n'), /a new one is begun\. Model answers that could still be read: 3\d\d\./u);
  await judge();
  const again = server.chatRequests.length - PASSAGES;
  assert.ok(again > 0 && again < 50, `${again} were asked again`);
});
