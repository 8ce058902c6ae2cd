/** A validation by the real engine in a separate process, as the editor requests it. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { EngineClient } from '../../../src/extension/engine-process/engine-client.ts';
import type { ProgressNote } from '../../../src/shared/rpc.ts';
import { verdictReply } from '../../fixtures/model-server.ts';
import { serverFor } from '../judges/support.ts';
import { engineConfig } from '../../fixtures/workspace.ts';
import { engineBundle } from '../../fixtures/engine-bundle.ts';

const ENGINE = await engineBundle();

async function setUp(t: TestContext): Promise<EngineClient> {
  const server = await serverFor(t, { chat: ({ index }) => verdictReply(index % 2 === 0 ? 'yes' : 'no') });
  const folder = mkdtempSync(path.join(tmpdir(), 'parallax-validate-rpc-'));
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  write('docs/cats.md', 'Cats sleep most of the day.\n');
  write('more.jsonl', '{"document":"Dogs bark.","perspective":"Dogs bark.","label":1}\n');
  write(
    '.parallax/judgements.jsonl',
    `${JSON.stringify({
      v: 1,
      query: 'q',
      perspective: 'p1',
      perspectiveText: 'Cats sleep most of the day.',
      document: 'docs/cats.md',
      verdict: 'yes',
      by: { kind: 'human', name: 'ann' },
      at: '2026-01-01T00:00:00Z',
    })}\n`,
  );
  const ignore = (): void => undefined;
  const client = new EngineClient({
    enginePath: ENGINE,
    config: async () =>
      engineConfig(folder, {
        corpora: { pets: { roots: ['docs'] } },
        judges: {
          model: { type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted', concurrency: 1 },
        },
      }),
    complete: () => Promise.reject(new Error('not asked here')),
    log: { info: ignore, warn: ignore, error: ignore },
    onState: ignore,
  });
  t.after(() => {
    client.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  return client;
}

const pair = (document: string, label: 'yes' | 'no') => ({ document, perspective: 'Cats sleep.', label });

test('pairs given with the request, repeats, progress', async (t) => {
  const client = await setUp(t);
  const notes: ProgressNote[] = [];
  const report = await client.request(
    'validateJudge',
    {
      judges: ['lexical', 'model'],
      pairs: [pair('Cats sleep.', 'yes'), pair('Dogs bark.', 'no'), pair('Birds sing.', 'no')],
      repeats: 2,
    },
    { onNote: (note) => notes.push(note) },
  );
  const [lexical, model] = report.judges;
  assert.deepEqual([lexical?.accuracy, lexical?.consistency?.share], [1, 1]);
  // Three pairs, asked twice without a cache: every answer contradicts the one before.
  assert.deepEqual([model?.accuracy, model?.consistency?.share], [2 / 3, 0]);
  assert.deepEqual([model?.cost.asked, model?.cost.cached], [6, 0]);
  assert.ok(
    notes.some((note) => note.type === 'progress' && note.progress.done === 12 && note.progress.total === 12),
  );
});

test("the workspace's own labels, a file, and what is wrong with a request", async (t) => {
  const client = await setUp(t);
  await client.request('index', { corpus: 'pets', rebuild: false });
  const own = await client.request('validateJudge', { judges: ['lexical'], corpus: 'pets' });
  assert.deepEqual([own.labels.pairs, own.judges[0]?.accuracy], [1, 1]);
  const ofFile = await client.request('validateJudge', { judges: ['lexical'], labelsFile: 'more.jsonl' });
  assert.equal(ofFile.judges[0]?.byPerspective[0]?.perspective, 'Dogs bark.');
  for (const [params, id] of [
    [{ judges: ['nobody'], labelsFile: 'more.jsonl' }, 'bad-argument'],
    [{ judges: ['labels'], labelsFile: 'more.jsonl' }, 'bad-argument'],
    [{ judges: ['lexical'], labelsFile: 'gone.jsonl' }, 'not-found'],
    [{ judges: ['lexical'] }, 'bad-argument'],
  ] as const)
    await assert.rejects(
      client.request('validateJudge', { ...params, judges: [...params.judges] }),
      (error) => ParallaxError.is(error, id),
    );
});
