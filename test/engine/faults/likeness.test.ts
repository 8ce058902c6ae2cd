/** Likeness and maps that are cancelled, or whose engine is killed, while they are computed. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import type { EngineConfig } from '../../../src/shared/requests/configuration.ts';
import { forkEngine, index, type Asked } from './support/engines.ts';
import { CORPUS, QUESTIONS, Workspace } from './support/workspace.ts';
import '../../fixtures/built.ts';

const RECORDS = 2_500;
const PIPELINE = parsePipeline({ retriever: { type: 'bm25' }, k: 10, candidates: 1_000 });
const QUESTION = QUESTIONS[0]!;
/** The candidates on a map, and further passages. Drawing takes a few seconds. */
const MAPPED = 300;
/** Shares of the time that the work takes without interruption. */
const MOMENTS = [0.15, 0.4, 0.7];

type Work = (engine: Asked, signal?: AbortSignal) => Promise<unknown>;

let workspace: Workspace;
let config: EngineConfig;
let candidates: readonly number[];
const works: Readonly<Record<string, Work>> = {
  likeness: (engine, signal) =>
    engine.request(
      'likeness',
      {
        corpus: CORPUS,
        question: QUESTION,
        pipeline: PIPELINE,
        candidates: [...candidates],
        top: candidates.slice(0, PIPELINE.k),
      },
      signal ? { signal } : {},
    ),
  'the map': (engine, signal) =>
    engine.request(
      'passageMap',
      {
        corpus: CORPUS,
        query: { text: QUESTION },
        perspectives: [],
        pipeline: PIPELINE,
        name: 'words',
        candidates: candidates.slice(0, MAPPED),
        others: [],
        sample: MAPPED,
      },
      signal ? { signal } : {},
    ),
};

before(async () => {
  workspace = new Workspace({ seed: 20_261_123, files: 10, records: RECORDS });
  config = workspace.config();
  const engine = await forkEngine(config);
  await index(engine.client);
  candidates = await found(engine.client);
  await engine.stop();
});
after(() => workspace?.remove());

async function found(engine: Asked): Promise<number[]> {
  const query = { text: QUESTION };
  const { candidates: all } = await engine.request('search', {
    ...{ corpus: CORPUS, query, perspectives: [], pipeline: PIPELINE },
  });
  return all.map(({ slot }) => slot);
}

/** The result of the work without interruption, and its duration in an engine that has just started. */
async function undisturbed(work: Work): Promise<{ answer: unknown; tookMs: number }> {
  const engine = await forkEngine(config);
  try {
    const began = performance.now();
    const answer = await work(engine.client);
    return { answer, tookMs: performance.now() - began };
  } finally {
    await engine.stop();
  }
}

/** The end of a work: its answer, or the expected error. */
function endOf(work: Promise<unknown>, expected: 'cancelled' | 'engine-stopped'): Promise<'done' | 'ended'> {
  return work.then(
    () => 'done',
    (error: unknown) => {
      if (ParallaxError.is(error, expected)) return 'ended';
      throw error;
    },
  );
}

for (const [name, work] of Object.entries(works)) {
  let known: ReturnType<typeof undisturbed> | undefined;
  test(`after ${name} is cancelled, the engine continues and its next answer is complete`, async (t) => {
    const { answer, tookMs } = await (known ??= undisturbed(work));
    const engine = await forkEngine(config);
    t.after(() => engine.stop());
    let hits = 0;
    for (const share of MOMENTS) {
      const stop = new AbortController();
      const end = endOf(work(engine.client, stop.signal), 'cancelled');
      await Promise.race([end, delay(tookMs * share)]);
      stop.abort();
      if ((await end) === 'ended') hits++;
      assert.deepEqual(await found(engine.client), candidates);
    }
    assert.ok(hits > 0, 'it was done before it was cancelled');
    assert.deepEqual(await work(engine.client), answer);
  });

  test(`after the engine is killed during ${name}, the next engine gives the same answer`, async (t) => {
    const { answer, tookMs } = await (known ??= undisturbed(work));
    let hits = 0;
    for (const share of MOMENTS) {
      const engine = await forkEngine(config);
      const end = endOf(work(engine.client), 'engine-stopped');
      await Promise.race([end, delay(tookMs * share)]);
      await engine.kill();
      if ((await end) === 'ended') hits++;
    }
    assert.ok(hits > 0, 'it was done before the kill');
    const next = await forkEngine(config);
    t.after(() => next.stop());
    assert.deepEqual(await work(next.client), answer);
    assert.deepEqual(await found(next.client), candidates);
    const left = readdirSync(config.storage, { recursive: true, encoding: 'utf8' });
    assert.deepEqual(
      left.filter((file) => /\.(?:building|ahead|tmp)$/u.test(file)),
      [],
    );
    assert.deepEqual(
      next.log.filter((line) => /damaged|anew/iu.test(line)),
      [],
    );
  });
}
