/** Two engines on one storage folder, as with two windows or with a window and the command line. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { openLock } from '../../../src/engine/store/database.ts';
import type { JudgedPair } from '../../../src/shared/requests/passages.ts';
import type { Params, ProgressNote } from '../../../src/shared/rpc.ts';
import { startModelServer, verdictReply } from '../../fixtures/model-server.ts';
import { findings, forkEngine, index, undisturbed, type Asked } from './support/engines.ts';
import { BM25, CORPUS, densePipeline, JUDGE, QUESTIONS, Workspace } from './support/workspace.ts';

const PIPELINES = [BM25, densePipeline('small')];
const ROUNDS = 2;

interface Windows {
  readonly workspace: Workspace;
  readonly config: ReturnType<Workspace['config']>;
  /** Asks both engines at the same time. */
  both<T>(ask: (engine: Asked, window: number) => Promise<T>): Promise<[T, T]>;
}

async function openTwo(t: TestContext): Promise<Windows> {
  const workspace = new Workspace({ seed: 11, files: 30, records: 600 });
  const server = await startModelServer({
    chat: ({ index: place }) => verdictReply(place % 2 === 0 ? 'yes' : 'no', null, `Answer ${place}.`),
  });
  const config = workspace.config('storage', server.url);
  const engines = await Promise.all([forkEngine(config), forkEngine(config)]);
  t.after(async () => {
    await Promise.all(engines.map((engine) => engine.stop()));
    await server.close();
    workspace.remove();
  });
  const [first, second] = engines;
  return {
    workspace,
    config,
    both: (ask) => Promise.all([ask(first.client, 0), ask(second.client, 1)]),
  };
}

async function matterOf(engine: Asked): Promise<Params<'judge'>> {
  const { candidates } = await engine.request('search', {
    corpus: CORPUS,
    query: { text: QUESTIONS[0]! },
    perspectives: [],
    pipeline: BM25,
  });
  return {
    corpus: CORPUS,
    judge: JUDGE,
    query: { text: QUESTIONS[0]! },
    perspectives: [{ id: 'p', text: 'It is so.' }],
    slots: candidates.slice(0, 40).map(({ slot }) => slot),
  };
}

const sorted = (pairs: readonly JudgedPair[]): string[] => pairs.map((pair) => JSON.stringify(pair)).sort();

test('two windows that index, search and judge at once lose, double and change nothing', async (t) => {
  const { workspace, config, both } = await openTwo(t);
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) workspace.change(0.3, 600);
    const reports = await both((engine) => index(engine));
    assert.equal(reports[0].passages, reports[1].passages);
    await both((engine, window) => findings(engine, [PIPELINES[(round + window) % 2]!]));
  }
  const expected = await undisturbed(workspace.config('undisturbed'), async (engine) => {
    await index(engine);
    return findings(engine, PIPELINES);
  });
  for (const found of await both((engine) => findings(engine, PIPELINES))) assert.deepEqual(found, expected);

  const reported = await both(async (engine) => {
    const notes: ProgressNote[] = [];
    await engine.request('judge', await matterOf(engine), { onNote: (note) => notes.push(note) });
    return notes.flatMap((note) => (note.type === 'judgement' ? note.pair : []));
  });
  const [known, same] = await both(
    async (engine) => (await engine.request('judgements', await matterOf(engine))).pairs,
  );
  assert.equal(known.length, 40);
  assert.deepEqual(sorted(same), sorted(known));
  // A later window is told only about pairs that had no answer yet.
  const standing = sorted(known);
  for (const pair of sorted(reported.flat()))
    assert.ok(standing.includes(pair), `${pair} is the answer that stands`);
  assert.deepEqual([...new Set(sorted(reported.flat()))], standing);

  // A third engine finds the work of both.
  const third = await undisturbed(config, (engine) => findings(engine, PIPELINES));
  assert.deepEqual(third, expected);
});

test('an index that one window rebuilds is used by the other', async (t) => {
  const { workspace, both } = await openTwo(t);
  await both((engine) => index(engine));
  await both((engine) => findings(engine, PIPELINES));
  workspace.change(0.2);
  const refusals = await both(async (engine, window) => {
    if (window === 0) {
      await engine.request('index', { corpus: CORPUS, rebuild: true });
      return 0;
    }
    let refused = 0;
    for (let n = 0; n < 30; n++) {
      await delay(10);
      await findings(engine, PIPELINES).catch((error: unknown) => {
        assert.ok(
          ParallaxError.is(error, 'store-unusable') || ParallaxError.is(error, 'not-indexed'),
          String(error),
        );
        refused++;
      });
    }
    return refused;
  });
  t.diagnostic(`${refusals[1]} of 30 searches were refused meanwhile`);
  await both((engine) => index(engine));
  const [first, second] = await both((engine) => findings(engine, PIPELINES));
  assert.deepEqual(second, first);
});

test('a window that has to wait is told and may cancel', async (t) => {
  const workspace = new Workspace({ seed: 3, files: 3 });
  t.after(() => workspace.remove());
  const config = workspace.config();
  const [corpus] = config.corpora;
  mkdirSync(corpus!.store, { recursive: true });
  const lock = openLock(path.join(corpus!.store, 'update.lock'));
  assert.ok(lock.take());
  await undisturbed(config, async (engine) => {
    const details: (string | undefined)[] = [];
    const giveUp = new AbortController();
    const waiting = engine.request(
      'index',
      { corpus: CORPUS, rebuild: false },
      {
        signal: giveUp.signal,
        onNote: (note) => {
          if (note.type === 'progress') details.push(note.progress.detail);
          giveUp.abort();
        },
      },
    );
    await assert.rejects(waiting, (error) => ParallaxError.is(error, 'cancelled'));
    assert.deepEqual(details, ['Waiting for another window that writes to this index']);
    lock.close();
    assert.equal((await index(engine)).added, 3);
  });
});
