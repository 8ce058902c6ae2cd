/**
 * Judgements, cached searches and comparisons moved between storages: from a past state, a copy or an unrelated
 * storage.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { createEngine } from '../../../src/engine/engine.ts';
import { ANSWERS_FILE } from '../../../src/shared/requests/configuration.ts';
import type { Verdict } from '../../../src/core/model.ts';
import { startModelServer, verdictReply } from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { index, inProcess, undisturbed, type Asked } from './support/engines.ts';
import { BM25, CORPUS, JUDGE, QUESTIONS, Workspace } from './support/workspace.ts';

const SEED = 20_261_126;
const PERSPECTIVES = ['for', 'against'].map((id) => ({ id, text: `It speaks ${id} it.` }));
const PIPELINES = [{ type: 'bm25' }, { type: 'dense', embedder: 'small' }].map((retriever) => ({
  name: retriever.type,
  pipeline: parsePipeline({ retriever, k: 5, candidates: 50 }),
}));

/** The scripted judge's verdict on a passage, the same every time. */
const verdictOn = (passage: string, statement: string): Verdict =>
  parseInt(hash('sha256', `${passage}\0${statement}`).slice(0, 2), 16) % 3 === 0 ? 'yes' : 'no';

/** The state of a storage: its documents and what pipelines find in them without cached answers. */
interface State {
  readonly name: string;
  readonly storage: string;
  readonly documents: string;
  /** The database of answers and its log, as they were while an engine had them open. */
  readonly open: string;
  readonly found: unknown;
}

/** The rankings of a comparison, which uses no cached search. */
async function compared(engine: Asked): Promise<unknown> {
  const queries = QUESTIONS.map((text, n) => ({ id: `q${n}`, text, perspectives: PERSPECTIVES }));
  const { id, datasets } = await engine.request('compare', {
    judge: JUDGE,
    datasets: [{ name: 'set', corpus: CORPUS, evalSet: 'set', queries }],
    pipelines: PIPELINES,
    k: 5,
  });
  assert.equal(datasets.length, 1);
  const found: unknown[] = [];
  for (const { id: queryId } of queries) {
    const { passages } = await engine.request('movement', { id, dataset: 'set', queryId, depth: 20 });
    found.push(passages.map((passage) => [passage.id, passage.ranks]));
  }
  return found;
}

async function passagesFor(engine: Asked, text: string): Promise<readonly { slot: number; text: string }[]> {
  const asked = { corpus: CORPUS, query: { text }, perspectives: [], pipeline: BM25 };
  return (await engine.request('search', asked)).candidates;
}

/** Returns the number of judged pairs, and checks each verdict against the judge. */
async function knownVerdicts(engine: Asked, what: string): Promise<number> {
  let known = 0;
  for (const text of QUESTIONS) {
    const passages = new Map((await passagesFor(engine, text)).map((each) => [each.slot, each.text]));
    const asked = { corpus: CORPUS, judge: JUDGE, query: { text }, perspectives: PERSPECTIVES };
    const { pairs } = await engine.request('judgements', { ...asked, slots: [...passages.keys()] });
    for (const { slot, perspectiveId, judgement } of pairs) {
      const { text: statement } = PERSPECTIVES.find(({ id }) => id === perspectiveId)!;
      assert.equal(judgement.verdict, verdictOn(passages.get(slot)!, statement), what);
    }
    known += pairs.length;
  }
  return known;
}

class Exchange {
  readonly #workspace: Workspace;
  readonly #config: ReturnType<Workspace['config']>;
  readonly #answers: string;

  constructor(t: TestContext, url: string) {
    this.#workspace = new Workspace({ seed: SEED, files: 8 });
    t.after(() => this.#workspace.remove());
    this.#config = this.#workspace.config('storage', url);
    this.#answers = path.join(this.#config.storage, ANSWERS_FILE);
  }

  /** A past state, the state that followed it, a copy that changed differently, and an unrelated storage. */
  async states(): Promise<State[]> {
    const first = await this.#state('first');
    this.#rewrite();
    const changed = await this.#state('changed');
    this.#restore(first);
    this.#rewrite();
    const copy = await this.#state('copied and changed otherwise');
    rmSync(this.#config.storage, { recursive: true });
    this.#workspace.change(1);
    return [first, changed, copy, await this.#state('of other documents')];
  }

  /** @returns the number of judged pairs afterwards */
  async bring(host: State, files: readonly string[], what: string): Promise<number> {
    this.#restore(host);
    for (const suffix of ['', '-wal']) {
      const file = files.find((each) => each.endsWith(`sqlite${suffix}`));
      if (file !== undefined && existsSync(file)) cpSync(file, `${this.#answers}${suffix}`);
    }
    return undisturbed(this.#config, async (engine) => {
      const known = await knownVerdicts(engine, what);
      assert.deepEqual(await compared(engine), host.found, what);
      return known;
    });
  }

  /** Other texts of the same length, so that copies give the same slots to different texts. */
  #rewrite(): void {
    for (const name of this.#workspace.files.slice(0, 3))
      writeFileSync(this.#workspace.file(name), this.#workspace.text(120));
  }

  async #state(name: string): Promise<State> {
    const folder = path.join(this.#workspace.folder, 'states', name);
    const open = path.join(folder, 'open');
    mkdirSync(open, { recursive: true });
    const engine = createEngine(undefined, () => undefined);
    await engine.configure(this.#config);
    await this.#work(inProcess(engine));
    for (const suffix of ['', '-wal'])
      cpSync(`${this.#answers}${suffix}`, path.join(open, `${ANSWERS_FILE}${suffix}`));
    await engine.close();
    const [storage, documents] = [path.join(folder, 'storage'), path.join(folder, 'documents')];
    cpSync(this.#config.storage, storage, { recursive: true });
    cpSync(path.join(this.#workspace.folder, 'docs'), documents, { recursive: true });
    rmSync(this.#answers);
    const found = await undisturbed(this.#config, compared);
    cpSync(path.join(storage, ANSWERS_FILE), this.#answers);
    return { name, storage, documents, open, found };
  }

  async #work(engine: Asked): Promise<void> {
    await index(engine);
    for (const text of QUESTIONS) {
      const slots = (await passagesFor(engine, text)).slice(0, 6).map(({ slot }) => slot);
      const asked = { corpus: CORPUS, judge: JUDGE, query: { text }, perspectives: PERSPECTIVES };
      await engine.request('judge', { ...asked, slots });
    }
    await compared(engine);
  }

  #restore({ storage, documents }: State): void {
    for (const [from, to] of [
      [storage, this.#config.storage],
      [documents, path.join(this.#workspace.folder, 'docs')],
    ] as const) {
      rmSync(to, { recursive: true, force: true });
      cpSync(from, to, { recursive: true });
    }
    this.#workspace.takeStock();
  }
}

test('judgements, searches and comparisons from another storage apply to the same texts only', async (t) => {
  const server = await startModelServer({
    chat: ({ messages }) => {
      const { passage, statement } = readPairPrompt(messages);
      return verdictReply(verdictOn(passage, statement));
    },
  });
  t.after(() => server.close());
  const exchange = new Exchange(t, server.url);
  const states = await exchange.states();
  const [database, log] = [ANSWERS_FILE, `${ANSWERS_FILE}-wal`];
  let known = 0;
  for (const host of states)
    for (const guest of states.filter((state) => state !== host)) {
      const ways = {
        'the database': [path.join(guest.storage, database)],
        'an open database': [path.join(guest.open, database), path.join(guest.open, log)],
        'an open database without its log': [path.join(guest.open, database), path.join(host.open, log)],
        'the log': [path.join(host.open, database), path.join(guest.open, log)],
      };
      for (const [way, files] of Object.entries(ways))
        known += await exchange.bring(host, files, `${way} of "${guest.name}" into "${host.name}"`);
    }
  assert.ok(known > 100, `${known} verdicts were known`);
  t.diagnostic(`${known} verdicts were taken over`);
});
