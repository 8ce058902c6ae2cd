/**
 * Exchanges files between indexes with a common origin: with a copy that changed differently, an earlier state, or the
 * index of another corpus. Whatever the mix, an index answers from its store or refuses with a message. After the next
 * update it matches the documents.
 */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { between, seededRandom, type Random } from '../../../../bench/support/random.ts';
import { ParallaxError } from '../../../../src/core/errors.ts';
import { findings, index, undisturbed, type Asked, type Found } from './engines.ts';
import { BM25, CORPUS, densePipeline, Workspace } from './workspace.ts';

const PIPELINES = [BM25, densePipeline('small'), densePipeline('small', 'approximate', 100)];
const STORE = 'store.sqlite';
const DERIVED = /^derived-/u;

/** The state of an index and the documents that it was built from. */
interface State {
  readonly name: string;
  /** The index's folder. */
  readonly folder: string;
  readonly documents: string;
  readonly found: readonly Found[];
}

/** The end of an exchange. */
export const ENDS = ['told the truth', 'refused'] as const;
export type End = (typeof ENDS)[number];

export class ExchangeHarness {
  readonly #workspace: Workspace;
  readonly #config: ReturnType<Workspace['config']>;
  readonly #states: readonly State[];
  readonly #random: Random;

  private constructor(workspace: Workspace, states: readonly State[], random: Random) {
    this.#workspace = workspace;
    this.#config = workspace.config();
    this.#states = states;
    this.#random = random;
  }

  static async start(seed: number): Promise<ExchangeHarness> {
    const workspace = new Workspace({ seed, files: 10 });
    const states: State[] = [];
    const keep = async (name: string): Promise<void> => void states.push(await stateOf(workspace, name));
    await keep('first');
    workspace.change(0.3);
    await keep('changed');
    workspace.change(0.2);
    await keep('changed again');
    restore(workspace, states[0]!);
    workspace.change(0.4);
    await keep('copied and changed otherwise');
    rmSync(workspace.config().storage, { recursive: true });
    workspace.change(1);
    await keep('of other documents');
    return new ExchangeHarness(workspace, states, seededRandom(seed));
  }

  close(): void {
    this.#workspace.remove();
  }

  /**
   * Swaps files of two states, and asks before and after an update. @returns what was exchanged, and how it ended
   * before the update @throws AssertionError if the index gives a wrong answer
   */
  async exchange(): Promise<{ readonly what: string; readonly end: End }> {
    const [host, guest] = this.#two();
    restore(this.#workspace, host);
    const store = path.join(this.#config.storage, CORPUS);
    const own = derivedOf(store);
    const theirs = derivedOf(guest.folder);
    const names = this.#some([
      STORE,
      ...filesOf(path.join(guest.folder, theirs)).map((name) => `${theirs}/${name}`),
    ]);
    for (const name of names)
      cpSync(path.join(guest.folder, name), path.join(store, name.replace(theirs, own)));
    // The store decides which folder is used.
    if (names.includes(STORE) && theirs !== own) renameSync(path.join(store, own), path.join(store, theirs));
    const truth = names.includes(STORE) ? guest : host;
    const what = `${names.join(', ')} of "${guest.name}" into "${host.name}"`;
    const end = await undisturbed(this.#config, (engine) => tell(engine, truth, what));
    const after = await undisturbed(this.#config, async (engine) => {
      await index(engine);
      return findings(engine, PIPELINES);
    });
    assert.deepEqual(after, host.found, `${what}, after an update`);
    return { what, end };
  }

  #two(): [State, State] {
    const host = between(this.#random, 0, this.#states.length - 1);
    const guest = between(this.#random, 0, this.#states.length - 2);
    return [this.#states[host]!, this.#states[guest < host ? guest : guest + 1]!];
  }

  /** Usually one name, otherwise about half of them. */
  #some(names: readonly string[]): string[] {
    const one = names[between(this.#random, 0, names.length - 1)]!;
    if (this.#random() < 0.6) return [one];
    const half = names.filter(() => this.#random() < 0.5);
    return half.length > 0 ? half : [one];
  }
}

async function tell(engine: Asked, { found }: State, what: string): Promise<End> {
  try {
    assert.deepEqual(await findings(engine, PIPELINES), found, what);
    return 'told the truth';
  } catch (error) {
    if (!ParallaxError.is(error)) throw error;
    assert.ok(error.id === 'store-unusable' || error.id === 'not-indexed', error.message);
    return 'refused';
  }
}

async function stateOf(workspace: Workspace, name: string): Promise<State> {
  const config = workspace.config();
  const found = await undisturbed(config, async (engine) => {
    await index(engine);
    return findings(engine, PIPELINES);
  });
  const folder = path.join(workspace.folder, 'states', name);
  const documents = path.join(workspace.folder, 'documents', name);
  cpSync(path.join(config.storage, CORPUS), folder, { recursive: true });
  cpSync(path.join(workspace.folder, 'docs'), documents, { recursive: true });
  return { name, folder, documents, found };
}

/** Restores the index and documents of a state. */
function restore(workspace: Workspace, { folder, documents }: State): void {
  const store = path.join(workspace.config().storage, CORPUS);
  for (const [from, to] of [
    [folder, store],
    [documents, path.join(workspace.folder, 'docs')],
  ] as const) {
    rmSync(to, { recursive: true, force: true });
    cpSync(from, to, { recursive: true });
  }
  workspace.takeStock();
}

const derivedOf = (folder: string): string => readdirSync(folder).find((name) => DERIVED.test(name))!;

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(path.join(folder, name)).isFile() && !name.endsWith('.lock'))
    .sort();
}
