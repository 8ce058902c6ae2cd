/**
 * Kills engines at random moments of their work, and holds what is there afterwards against what they had
 * reported: the store opens, nothing that was reported is lost, the work goes on where it was, and the index ends
 * up as if nothing had happened.
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

/** The state that one kill met and left. */
export interface Kill {
  readonly work: Work;
  /** After the work had begun, in milliseconds. */
  readonly afterMs: number;
  /**
   * Files, vectors or judgements that had been reported. Each of them was there afterwards. Of `deriving`: 1 where the
   * threads were seen to be at work, by what they left behind.
   */
  readonly reported: number;
  /** All that there was to do; 1 of `deriving`. */
  readonly total: number;
  /** Vectors or judgements that were under way and had to be asked for once more. */
  readonly repeated: number;
}

/** As the corpus index has it: so many passages are embedded between two appends. */
const EMBEDDING_BATCH = 256;
/** Requests that the judge has under way. */
const CONCURRENCY = 4;
const RECORDS = 700;
const JUDGED_PASSAGES = 40;
const DENSE = densePipeline('remote');
/** As many passages as have threads derive the indexes, and some. */
const DERIVED_RECORDS = 21_000;
/** Derived by the threads: segments of BM25, hashed vectors. */
const DERIVED = [BM25, densePipeline('small')];
/** Work that is done before the kill is not killed. So often in a row, and the harness aims badly. */
const MISSES = 30;
const LOOK_MS = 2;
/** How the spread of the kills follows the speed of the machine. */
const LATER = 1.2;
const EARLIER = 0.7;

export class KillHarness {
  readonly #random: Random;
  readonly #workspace: Workspace;
  readonly #model: PaidModel;
  readonly #server: ModelServer;
  /** About how long each work takes, in milliseconds: kills are spread over it. */
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
   * Lets a work begin and kills the engine in the middle of it.
   *
   * @throws AssertionError when something was lost, doubled or different afterwards
   */
  async kill(work: Work): Promise<Kill> {
    for (let miss = 0; miss < MISSES; miss++) {
      const kill = await this.#round(work);
      this.#spans[work] *= kill ? LATER : EARLIER;
      if (kill) return kill;
    }
    throw new Error(`${work} was done before the kill ${MISSES} times.`);
  }

  /** @returns undefined where the work was done before the kill */
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
      // One of them is the question.
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

  /** Passages are stored, and threads derive an index from them when they are searched for the first time. */
  async #deriving(): Promise<Kill | undefined> {
    const { workspace, found } = await (this.#large ??= largeCorpus());
    const config = workspace.config('killed');
    rmSync(config.storage, { recursive: true, force: true });
    cpSync(workspace.config('stored').storage, config.storage, { recursive: true });
    const pipeline = DERIVED[this.#random() < 0.5 ? 0 : 1]!;
    // Files that threads are given to write to, and those into which their work is taken.
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

  /** Pairs that nobody has judged yet. */
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

  /** Begins a work, and kills the engine at a random moment after it is under way. */
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

  /** The finds of an index that was made in one go. */
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

/** Files and folders below a folder, relative to it, whose paths match. */
function filesIn(folder: string, pattern: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => pattern.test(name));
}

/** A corpus whose passages are stored and whose indexes are not made, and what is found once they are. */
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

/** A model that counts what has to be paid for. */
class PaidModel {
  /** Texts that were embedded. */
  embedded = 0;
  /** How often each pair was judged. */
  readonly judged = new Map<string, number>();

  embed(input: readonly string[]): number[][] {
    this.embedded += input.length;
    return input.map((text) => hashedVector(text));
  }

  judge({ messages, index: place }: ChatRequest): ChatReply {
    const { passage, statement } = readPairPrompt(messages);
    const pair = JSON.stringify([passage, statement]);
    this.judged.set(pair, (this.judged.get(pair) ?? 0) + 1);
    // Asked again, it would say something else: an answer that was lost is seen.
    return verdictReply(place % 2 === 0 ? 'yes' : 'no', null, `Answer ${place}.`);
  }
}

/** The last note of a kind; work that said nothing yet has done nothing. */
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

/** Each judgement that was reported is there as it was. */
function assertAmong(reported: readonly JudgedPair[], there: readonly JudgedPair[]): void {
  const names = new Map(there.map((pair) => [nameOf(pair), pair]));
  for (const pair of reported) assert.equal(JSON.stringify(names.get(nameOf(pair))), JSON.stringify(pair));
}

const nameOf = ({ slot, perspectiveId }: JudgedPair): string => `${slot} ${perspectiveId}`;
