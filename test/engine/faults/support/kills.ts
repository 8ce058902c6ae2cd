/**
 * Kills engines at random moments of their work and compares what remains with what they had reported. The store opens,
 * nothing reported is lost, the work continues where it was interrupted, and the final index equals an uninterrupted
 * one.
 */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ParallaxError } from '../../../../src/core/errors.ts';
import type { JudgedPair } from '../../../../src/shared/requests/passages.ts';
import type { Params, ProgressNote } from '../../../../src/shared/rpc.ts';
import { seededRandom, type Random } from '../../../../bench/support/random.ts';
import {
  hashedVector,
  startModelServer,
  verdictReply,
  type ChatReply,
  type ChatRequest,
  type ModelServer,
} from '../../../fixtures/model-server.ts';
import { readPairPrompt } from '../../../fixtures/read-prompts.ts';
import { findings, forkEngine, index, undisturbed, type Asked, type ForkedEngine } from './engines.ts';
import { BM25, CORPUS, densePipeline, JUDGE, QUESTIONS, Workspace } from './workspace.ts';

export const WORKS = ['indexing', 'embedding', 'judging', 'deriving'] as const;
export type Work = (typeof WORKS)[number];

/** The state before and after one kill. */
export interface Kill {
  readonly work: Work;
  /** Since the work began, in milliseconds. */
  readonly afterMs: number;
  /**
   * Files, vectors or judgements that had been reported, all of which were there afterwards. For `deriving`: 1 if files
   * of the threads show that they were at work.
   */
  readonly reported: number;
  /** The amount of work; 1 for `deriving`. */
  readonly total: number;
  /** Vectors or judgements that were under way and had to be requested again. */
  readonly repeated: number;
}

/** The number of passages that the corpus index embeds between two appends. */
const EMBEDDING_BATCH = 256;
/** The judge's requests under way. */
const CONCURRENCY = 4;
const RECORDS = 700;
const JUDGED_PASSAGES = 40;
const DENSE = densePipeline('remote');
/** A little more than the number of passages above which threads derive the indexes. */
const DERIVED_RECORDS = 21_000;
/** Derived by the threads: segments of BM25, hashed vectors. */
const DERIVED = [BM25, densePipeline('small')];
/** Work that ends before the kill does not count. After this many misses in a row, the harness fails. */
const MISSES = 30;
const LOOK_MS = 2;
/** Factors that adapt the spread of the kills to the speed of the machine. */
const LATER = 1.2;
const EARLIER = 0.7;

export class KillHarness {
  readonly #random: Random;
  readonly #workspace: Workspace;
  readonly #model: PaidModel;
  readonly #server: ModelServer;
  /** The approximate duration of each work, in milliseconds. Kills are spread over it. */
  readonly #spans: Record<Work, number> = { indexing: 400, embedding: 900, judging: 500, deriving: 700 };
  #large: Promise<LargeCorpus> | undefined;
  #rounds = 0;

  private constructor(seed: number, model: PaidModel, server: ModelServer) {
    this.#random = seededRandom(seed);
    this.#workspace = new Workspace({ seed, files: 40, records: RECORDS });
    this.#model = model;
    this.#server = server;
  }

  static async start(seed: number): Promise<KillHarness> {
    const model = new PaidModel();
    const server = await startModelServer({
      delayMs: 3,
      chat: (request) => model.judge(request),
      embeddings: ({ input }) => model.embed(input),
    });
    return new KillHarness(seed, model, server);
  }

  async close(): Promise<void> {
    await this.#server.close();
    this.#workspace.remove();
    (await this.#large)?.workspace.remove();
  }

  /**
   * Begins a work and kills the engine during it. @throws AssertionError if something is lost, doubled or different
   * afterwards
   */
  async kill(work: Work): Promise<Kill> {
    for (let miss = 0; miss < MISSES; miss++) {
      const kill = await this.#round(work);
      this.#spans[work] *= kill ? LATER : EARLIER;
      if (kill) return kill;
    }
    throw new Error(`${work} was done before the kill ${MISSES} times.`);
  }

  /** @returns undefined if the work ended before the kill */
  #round(work: Work): Promise<Kill | undefined> {
    this.#rounds++;
    switch (work) {
      case 'indexing':
        return this.#indexing();
      case 'embedding':
        return this.#embedding();
      case 'judging':
        return this.#judging();
      case 'deriving':
        return this.#deriving();
    }
  }

  async #indexing(): Promise<Kill | undefined> {
    this.#workspace.change(0.3, RECORDS);
    const { notes, afterMs, hit } = await this.#killed(
      'indexing',
      await forkEngine(this.#config),
      (engine, onNote) => index(engine, onNote),
    );
    const { done, total } = lastProgress(notes, /passages$/);
    await this.#resume(async (engine) => {
      const report = await index(engine);
      assert.ok(report.unchanged >= done, `${done} files were reported, ${report.unchanged} are there`);
      assert.deepEqual(await findings(engine, [BM25]), await this.#asUndisturbed(BM25));
    });
    return hit ? { work: 'indexing', afterMs, reported: done, total, repeated: 0 } : undefined;
  }

  async #embedding(): Promise<Kill | undefined> {
    this.#workspace.change(0.5, RECORDS);
    const engine = await forkEngine(this.#config);
    await index(engine.client);
    this.#model.embedded = 0;
    const { notes, afterMs, hit } = await this.#killed('embedding', engine, (asked, onNote) =>
      search(asked, QUESTIONS[0]!, onNote),
    );
    const { done, total } = lastProgress(notes, /^Embedding/);
    const before = this.#model.embedded;
    this.#model.embedded = 0;
    let repeated = 0;
    await this.#resume(async (resumed) => {
      await search(resumed, QUESTIONS[0]!);
      // One of the embedded texts is the question.
      const asked = this.#model.embedded - 1;
      assert.ok(
        total === 0 || asked <= total - done,
        `${done} of ${total} were reported, ${asked} asked again`,
      );
      repeated = total === 0 ? 0 : Math.max(0, before + asked - total);
      assert.ok(repeated <= EMBEDDING_BATCH + 1, `${repeated} vectors were paid for twice`);
      assert.deepEqual(await findings(resumed, [DENSE]), await this.#asUndisturbed(DENSE));
    });
    return hit ? { work: 'embedding', afterMs, reported: done, total, repeated } : undefined;
  }

  async #judging(): Promise<Kill | undefined> {
    const engine = await forkEngine(this.#config);
    const judgingTask = await this.#judgingTask(engine.client);
    const total = judgingTask.slots.length * judgingTask.perspectives.length;
    this.#model.judged.clear();
    const { notes, afterMs, hit } = await this.#killed('judging', engine, (asked, onNote) =>
      asked.request('judge', judgingTask, { onNote }),
    );
    const reported = notes.flatMap((note) => (note.type === 'judgement' ? note.pair : []));
    await this.#resume(async (resumed) => {
      assertAmong(reported, (await resumed.request('judgements', judgingTask)).pairs);
      await resumed.request('judge', judgingTask);
      const { pairs } = await resumed.request('judgements', judgingTask);
      assert.equal(pairs.length, total, 'every pair is judged');
      assertAmong(reported, pairs);
    });
    const paid = [...this.#model.judged.values()].reduce((sum, times) => sum + times, 0);
    assert.equal(this.#model.judged.size, total, 'every pair was asked');
    assert.ok(paid - total <= CONCURRENCY, `${paid - total} judgements were paid for twice`);
    return hit
      ? { work: 'judging', afterMs, reported: reported.length, total, repeated: paid - total }
      : undefined;
  }

  /** Passages are stored. Threads derive an index from them on the first search. */
  async #deriving(): Promise<Kill | undefined> {
    const { workspace, found } = await (this.#large ??= largeCorpus());
    const config = workspace.config('killed');
    rmSync(config.storage, { recursive: true, force: true });
    cpSync(workspace.config('stored').storage, config.storage, { recursive: true });
    const pipeline = DERIVED[this.#random() < 0.5 ? 0 : 1]!;
    // Files that threads write to, and those that their results are added to.
    const sign = pipeline === BM25 ? /\.building$/ : /\.f32$/;
    const areAtWork = (): boolean => filesIn(config.storage, sign).length > 0;
    const { afterMs, hit } = await this.#killed(
      'deriving',
      await forkEngine(config),
      (engine, onNote) => search(engine, QUESTIONS[0]!, onNote, pipeline),
      areAtWork,
    );
    const reported = areAtWork() ? 1 : 0;
    const resumed = await forkEngine(config);
    try {
      assert.deepEqual(await findings(resumed.client, DERIVED), found);
      assert.deepEqual(filesIn(config.storage, /\.(?:building|ahead|tmp)$/), []);
    } finally {
      await resumed.stop();
    }
    return hit ? { work: 'deriving', afterMs, reported, total: 1, repeated: 0 } : undefined;
  }

  /** Pairs without a judgement. */
  async #judgingTask(engine: Asked): Promise<Params<'judge'>> {
    await index(engine);
    const slots = await search(engine, QUESTIONS[1]!, undefined, BM25);
    return {
      corpus: CORPUS,
      judge: JUDGE,
      query: { text: QUESTIONS[1]! },
      perspectives: ['for', 'against'].map((side) => ({ id: side, text: `${side}, ${this.#rounds}` })),
      slots: slots.slice(0, JUDGED_PASSAGES),
    };
  }

  /** Begins a work, and kills the engine at a random moment during it. */
  async #killed(
    work: Work,
    engine: ForkedEngine,
    begin: (engine: Asked, onNote: (note: ProgressNote) => void) => Promise<unknown>,
    isUnderWay = (): boolean => true,
  ): Promise<{ notes: readonly ProgressNote[]; afterMs: number; hit: boolean }> {
    const notes: ProgressNote[] = [];
    const afterMs = this.#random() * this.#spans[work];
    const outcome = begin(engine.client, (note) => notes.push(note)).then(
      () => 'done',
      (error: unknown) => error,
    );
    let isOver = false;
    void outcome.then(() => (isOver = true));
    while (!isOver && !isUnderWay()) await delay(LOOK_MS);
    const first = await Promise.race([outcome, delay(afterMs, 'killed')]);
    await engine.kill();
    const last = await outcome;
    if (last !== 'done' && !ParallaxError.is(last, 'engine-stopped')) throw last;
    return { notes, afterMs, hit: first === 'killed' };
  }

  /** Runs work to its end in a new engine. */
  async #resume<T>(work: (engine: Asked) => Promise<T>): Promise<T> {
    const engine = await forkEngine(this.#config);
    try {
      return await work(engine.client);
    } finally {
      await engine.stop();
    }
  }

  get #config(): ReturnType<Workspace['config']> {
    return this.#workspace.config('storage', this.#server.url);
  }

  /** The results of an index built from scratch. */
  async #asUndisturbed(pipeline: typeof BM25): Promise<unknown> {
    const config = this.#workspace.config('undisturbed', this.#server.url);
    try {
      return await undisturbed(config, async (engine) => {
        await index(engine);
        return findings(engine, [pipeline]);
      });
    } finally {
      rmSync(config.storage, { recursive: true, force: true });
    }
  }
}

/** Files and folders below a folder whose paths, relative to it, match. */
function filesIn(folder: string, pattern: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => pattern.test(name));
}

/** A corpus with stored passages but without indexes, and the expected results once they are built. */
interface LargeCorpus {
  readonly workspace: Workspace;
  readonly found: unknown;
}

async function largeCorpus(): Promise<LargeCorpus> {
  const workspace = new Workspace({ seed: DERIVED_RECORDS, files: 0, records: DERIVED_RECORDS });
  const { storage } = workspace.config('stored');
  const found = await undisturbed(workspace.config('stored'), async (engine) => {
    await index(engine);
    return findings(engine, DERIVED);
  });
  for (const name of filesIn(storage, /(?:^|[\\/])derived-[^\\/]+$/))
    rmSync(path.join(storage, name), { recursive: true });
  return { workspace, found };
}

/** A model that counts paid requests. */
class PaidModel {
  embedded = 0;
  /** The number of times that each pair was judged. */
  readonly judged = new Map<string, number>();

  embed(input: readonly string[]): number[][] {
    this.embedded += input.length;
    return input.map((text) => hashedVector(text));
  }

  judge({ messages, index: place }: ChatRequest): ChatReply {
    const { passage, statement } = readPairPrompt(messages);
    const pair = JSON.stringify([passage, statement]);
    this.judged.set(pair, (this.judged.get(pair) ?? 0) + 1);
    // A second answer about a pair would differ, so that a lost answer is noticed.
    return verdictReply(place % 2 === 0 ? 'yes' : 'no', null, `Answer ${place}.`);
  }
}

/** The last note of a kind. Work that has reported nothing has done nothing. */
function lastProgress(notes: readonly ProgressNote[], kind: RegExp): { done: number; total: number } {
  const progress = notes.flatMap((note) => (note.type === 'progress' ? note.progress : []));
  const last = progress.findLast(({ detail }) => kind.test(detail ?? ''));
  return { done: last?.done ?? 0, total: last?.total ?? 0 };
}

/** @returns the slots, best first */
async function search(
  engine: Asked,
  text: string,
  onNote?: (note: ProgressNote) => void,
  pipeline = DENSE,
): Promise<number[]> {
  const request = { corpus: CORPUS, query: { text }, perspectives: [], pipeline };
  const { candidates } = await engine.request('search', request, onNote ? { onNote } : {});
  return candidates.map(({ slot }) => slot);
}

/** Checks that each reported judgement is still there, unchanged. */
function assertAmong(reported: readonly JudgedPair[], there: readonly JudgedPair[]): void {
  const names = new Map(there.map((pair) => [nameOf(pair), pair]));
  for (const pair of reported) assert.equal(JSON.stringify(names.get(nameOf(pair))), JSON.stringify(pair));
}

const nameOf = ({ slot, perspectiveId }: JudgedPair): string => `${slot} ${perspectiveId}`;
