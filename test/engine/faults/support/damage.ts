/**
 * Damages one file of an index at a time, opens the index, and compares its answers with those before. The index may
 * answer the same, rebuild itself, or refuse with a message; anything else is a fault.
 */
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { ParallaxError } from '../../../../src/core/errors.ts';
import type { JudgedPair } from '../../../../src/shared/requests/passages.ts';
import type { Params } from '../../../../src/shared/rpc.ts';
import { startModelServer, verdictReply, type ModelServer } from '../../../fixtures/model-server.ts';
import { findings, index, undisturbed, type Asked, type Found } from './engines.ts';
import { BM25, CORPUS, densePipeline, JUDGE, Workspace } from './workspace.ts';

/** What an index did after it was damaged. */
export const OUTCOMES = ['harmless', 'built again', 'refused'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type Damage =
  | { readonly flip: number; readonly mask: number }
  | { readonly length: number }
  | 'missing';

const DEPTH = 100;
const PIPELINES = [BM25, densePipeline('small'), densePipeline('small', 'approximate', DEPTH)];

interface Said {
  readonly found: readonly Found[];
  readonly judged: ReadonlyMap<string, string>;
}

export class DamageHarness {
  readonly #workspace: Workspace;
  readonly #server: ModelServer;
  readonly #whole: string;
  readonly #config: ReturnType<Workspace['config']>;
  readonly #said: Said;
  readonly #judgingTask: Params<'judge'>;

  private constructor(
    parts: { workspace: Workspace; server: ModelServer; whole: string },
    judgingTask: Params<'judge'>,
    said: Said,
  ) {
    this.#workspace = parts.workspace;
    this.#server = parts.server;
    this.#whole = parts.whole;
    this.#config = parts.workspace.config('storage', parts.server.url);
    this.#judgingTask = judgingTask;
    this.#said = said;
  }

  static async start(seed: number): Promise<DamageHarness> {
    const workspace = new Workspace({ seed, files: 8 });
    const server = await startModelServer({
      chat: ({ index: place }) => verdictReply(place % 3 === 0 ? 'no' : 'yes', null, `Answer ${place}.`),
    });
    const config = workspace.config('storage', server.url);
    const whole = path.join(workspace.folder, 'whole');
    const { judgingTask, said } = await undisturbed(config, async (engine) => {
      await index(engine);
      const found = await findings(engine, PIPELINES);
      const own = await matterOf(engine);
      await engine.request('judge', own);
      return { judgingTask: own, said: { found, judged: await judgements(engine, own) } };
    });
    assert.equal(said.judged.size, 12);
    cpSync(config.storage, whole, { recursive: true });
    return new DamageHarness({ workspace, server, whole }, judgingTask, said);
  }

  async close(): Promise<void> {
    await this.#server.close();
    this.#workspace.remove();
  }

  /** Files of the index that are not empty, relative to its folder, with their sizes. */
  get files(): { readonly name: string; readonly bytes: number }[] {
    return readdirSync(this.#whole, { recursive: true, encoding: 'utf8' })
      .map((name) => ({ name, found: statSync(path.join(this.#whole, name)) }))
      .filter(({ found }) => found.isFile() && found.size > 0)
      .map(({ name, found }) => ({ name, bytes: found.size }))
      .sort((a, b) => a.name.localeCompare(b.name));
  }

  /** The positions of a text in a file of the index. */
  placesOf(name: string, text: string): number[] {
    const bytes = readFileSync(path.join(this.#whole, name));
    const places: number[] = [];
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) places.push(at);
    return places;
  }

  /** @throws AssertionError if the index gives a wrong answer */
  async suffer(name: string, damage: Damage): Promise<Outcome> {
    const { storage } = this.#config;
    rmSync(storage, { recursive: true, force: true });
    cpSync(this.#whole, storage, { recursive: true });
    inflict(path.join(storage, name), damage);
    try {
      return await undisturbed(this.#config, (engine) => this.#compare(engine));
    } catch (error) {
      if (!ParallaxError.is(error)) throw error;
      assert.equal(error.id, 'store-unusable', error.message);
      return 'refused';
    }
  }

  async #compare(engine: Asked): Promise<Outcome> {
    const { indexed, passages } = await engine.request('status', { corpus: CORPUS });
    if (!indexed) {
      await index(engine);
      assert.deepEqual(await findings(engine, PIPELINES), this.#said.found);
      return 'built again';
    }
    const judged = await judgements(engine, this.#judgingTask);
    for (const [pair, judgement] of judged) assert.equal(judgement, this.#said.judged.get(pair));
    assert.deepEqual(await findings(engine, PIPELINES), this.#said.found);
    assert.ok(passages > 0);
    return judged.size === this.#said.judged.size ? 'harmless' : 'built again';
  }
}

function inflict(file: string, damage: Damage): void {
  assert.ok(existsSync(file));
  if (damage === 'missing') rmSync(file);
  else if ('length' in damage) truncateSync(file, damage.length);
  else {
    const bytes = readFileSync(file);
    bytes[damage.flip]! ^= damage.mask;
    writeFileSync(file, bytes);
  }
}

async function matterOf(engine: Asked): Promise<Params<'judge'>> {
  const { candidates } = await engine.request('search', {
    corpus: CORPUS,
    query: { text: 'worda0' },
    perspectives: [],
    pipeline: densePipeline('small'),
  });
  return {
    corpus: CORPUS,
    judge: JUDGE,
    query: { text: 'Which?' },
    perspectives: ['for', 'against'].map((id) => ({ id, text: `It speaks ${id} it.` })),
    slots: candidates.slice(0, 6).map(({ slot }) => slot),
  };
}

/** The answer for each pair, without its cost. */
async function judgements(engine: Asked, judgingTask: Params<'judge'>): Promise<Map<string, string>> {
  const { pairs } = await engine.request('judgements', judgingTask);
  return new Map(pairs.map((pair) => [`${pair.slot} ${pair.perspectiveId}`, withoutCost(pair)]));
}

function withoutCost({ judgement }: JudgedPair): string {
  const { verdict, evidence, source, judge, rationale, model, promptVersion, standard, at } = judgement;
  return JSON.stringify([verdict, evidence, source, judge, rationale, model, promptVersion, standard, at]);
}
