/**
 * The engine: answers every request of src/shared/rpc.ts. Corpora are opened when first asked for, and
 * closed when the configuration no longer names them.
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, ParallaxError } from '../core/errors.ts';
import { similarityMatrix } from '../core/rerank/similarity.ts';
import type { Comparison } from '../shared/compare.ts';
import type {
  Candidate,
  CorpusRef,
  CorpusStatus,
  EngineConfig,
  EngineMethod,
  IndexReport,
  Params,
  ProgressNote,
  Result,
} from '../shared/rpc.ts';
import { readDocument } from './corpus/read-document.ts';
import { CorpusIndex } from './corpus-index.ts';
import { comparePipelines } from './evaluation/compare-pipelines.ts';
import { Embedders } from './embedders/embedders.ts';
import { generatePerspectives } from './judges/generate-perspectives.ts';
import { GenerationCache } from './judges/generation-cache.ts';
import { JudgementCache } from './judges/judgement-cache.ts';
import { JudgementDesk, requireJudge, type Matter } from './judges/judgement-desk.ts';
import { Judges } from './judges/judges.ts';
import { LabelsFile } from './judges/labels-file.ts';
import { CrossEncoders } from './rerankers/cross-encoders.ts';
import { EngineServices } from './retrieval/engine-services.ts';
import type { HostCalls } from './server.ts';
import { openDatabase, type Database } from './store/database.ts';
import type { StoredPassage, WorkOptions } from './types.ts';

export const ENGINE_VERSION = '0.1.0';

export interface RequestContext {
  readonly signal: AbortSignal;
  readonly report: (note: ProgressNote) => void;
}

/** What there is once the engine has been configured. */
interface Configured {
  readonly config: EngineConfig;
  readonly database: Database;
  readonly desk: JudgementDesk;
  readonly judges: Judges;
  readonly embedders: Embedders;
  readonly crossEncoders: CrossEncoders;
  readonly generations: GenerationCache;
  readonly corpora: Map<string, Promise<CorpusIndex>>;
}

type Handlers = { [M in EngineMethod]: (params: Params<M>, context: RequestContext) => Promise<Result<M>> };

export class Engine implements Handlers {
  readonly #host: HostCalls | undefined;
  readonly #log: (message: string) => void;
  #configured: Configured | undefined;

  /** @param host absent on the command line, where there is no editor to ask */
  constructor(host: HostCalls | undefined, log: (message: string) => void) {
    this.#host = host;
    this.#log = log;
  }

  async configure(config: EngineConfig): Promise<Result<'configure'>> {
    const former = this.#configured;
    const shares = former !== undefined && sameShared(former.config, config);
    if (former && JSON.stringify(former.config) === JSON.stringify(config))
      return { version: ENGINE_VERSION };
    if (config.storage !== ':memory:') await mkdir(config.storage, { recursive: true });
    const database = openDatabase(
      config.storage === ':memory:' ? config.storage : path.join(config.storage, 'judgements.sqlite'),
    );
    const cache = new JudgementCache(database);
    this.#configured = {
      config,
      database,
      desk: new JudgementDesk(new LabelsFile(config.labelsFile, this.#log), cache),
      judges: new Judges(config, cache, this.#host),
      generations: new GenerationCache(database),
      embedders: shares ? former.embedders : new Embedders(config),
      crossEncoders: shares ? former.crossEncoders : new CrossEncoders(config),
      corpora: shares ? takeUnchanged(former, config) : new Map(),
    };
    if (former) await closeAll(former, this.#log);
    if (former && !shares) await disposeModels(former);
    return { version: ENGINE_VERSION };
  }

  async status({ corpus }: Params<'status'>): Promise<CorpusStatus> {
    return (await this.#corpus(corpus)).status;
  }

  async skipped({ corpus }: Params<'skipped'>): Promise<Result<'skipped'>> {
    return { files: (await this.#corpus(corpus)).skipped };
  }

  async index({ corpus, rebuild }: Params<'index'>, context: RequestContext): Promise<IndexReport> {
    if (rebuild) await this.#discard(corpus);
    return (await this.#corpus(corpus)).update(workOf(context));
  }

  async search(
    { corpus, query, perspectives, pipeline }: Params<'search'>,
    context: RequestContext,
  ): Promise<Result<'search'>> {
    const index = await this.#indexed(corpus);
    const begun = performance.now();
    const depth = Math.max(pipeline.k, pipeline.candidates);
    const asked = { ...query, perspectives };
    const { hits, retrieved, search } = await index.search(
      pipeline,
      asked,
      depth,
      this.#services(index),
      workOf(context),
    );
    const milliseconds = performance.now() - begun;
    const found = new Map(hits.map(({ item, score }) => [item, score]));
    const ranks = new Map(retrieved.map((slot, position) => [slot, position + 1]));
    const passages = index.passages(hits.map(({ item }) => item));
    return {
      candidates: passages.map((passage) => {
        const retrievedRank = ranks.get(passage.slot);
        return {
          ...passageView(passage),
          score: found.get(passage.slot) ?? 0,
          ...(retrievedRank === undefined ? {} : { retrievedRank }),
        };
      }),
      search,
      milliseconds,
    };
  }

  async compare(params: Params<'compare'>, context: RequestContext): Promise<Comparison> {
    const { desk, judges } = this.#current();
    const index = await this.#indexed(params.corpus);
    const judge = judges.get(params.judge);
    return comparePipelines(params, { index, desk, judge, services: this.#services(index) }, workOf(context));
  }

  async similarities(
    { corpus, embedder, slots }: Params<'similarities'>,
    context: RequestContext,
  ): Promise<Result<'similarities'>> {
    const vectors = await (await this.#indexed(corpus)).vectors(embedder, slots, workOf(context));
    return { matrix: similarityMatrix(vectors, slots.length) };
  }

  async judgements(params: Params<'judgements'>): Promise<Result<'judgements'>> {
    const { desk, judges } = this.#current();
    const index = await this.#corpus(params.corpus);
    const { query, perspectives } = params;
    return {
      pairs: await desk.known(matterOf(index, params), judges.get(params.judge)),
      supporters: await desk.supporters(query, perspectives, (documentId) => index.passagesOf(documentId)),
    };
  }

  async judgeCost(params: Params<'judgeCost'>): Promise<Result<'judgeCost'>> {
    const { desk, judges } = this.#current();
    const matter = matterOf(await this.#corpus(params.corpus), params);
    const judge = judges.get(params.judge);
    const calls = judge ? await desk.openPairs(matter, judge) : 0;
    return { calls, known: matter.passages.length * matter.perspectives.length - calls };
  }

  async judge(params: Params<'judge'>, context: RequestContext): Promise<Result<'judge'>> {
    const { desk, judges } = this.#current();
    const judge = requireJudge(judges.get(params.judge), params.judge);
    const matter = matterOf(await this.#corpus(params.corpus), params);
    const { asked, answered, cached, unparsable, failed, error } = await desk.judge(
      matter,
      judge,
      (pair) => context.report({ type: 'judgement', pair }),
      workOf(context),
    );
    return {
      asked,
      answered,
      cached,
      unparsable,
      failed,
      ...(error ? { error: error.message, errorId: error.id } : {}),
    };
  }

  async generatePerspectives(
    { judge, query, count }: Params<'generatePerspectives'>,
    { signal }: RequestContext,
  ): Promise<Result<'generatePerspectives'>> {
    const { model, timeoutMs } = this.#current().judges.chatModel(judge);
    return { perspectives: [...(await generatePerspectives(model, query, { count, timeoutMs, signal }))] };
  }

  async label({ corpus, slot, query, perspective, verdict, by }: Params<'label'>): Promise<Result<'label'>> {
    const [passage] = (await this.#corpus(corpus)).passages([slot]);
    if (!passage)
      throw new ParallaxError('not-found', 'This passage is no longer in the corpus. Search again.');
    await this.#current().desk.label({ query, passage, perspective }, verdict, by);
    return {};
  }

  async passage({ corpus, passageId }: Params<'passage'>): Promise<Result<'passage'>> {
    const passage = (await this.#corpus(corpus)).passageById(passageId);
    if (!passage)
      throw new ParallaxError('not-found', `The passage ${passageId} is no longer in the corpus.`);
    return passageView(passage);
  }

  async documentText({ corpus, documentId }: Params<'documentText'>): Promise<Result<'documentText'>> {
    const index = await this.#corpus(corpus);
    const [passage] = index.passagesOf(documentId);
    if (!passage) throw new ParallaxError('not-found', `${documentId} is no longer in the corpus.`);
    const { text, title } = await readDocument(index.ref, passage.path, documentId);
    return { text, title };
  }

  async close(): Promise<void> {
    const configured = this.#configured;
    this.#configured = undefined;
    if (!configured) return;
    await closeAll(configured, this.#log);
    await disposeModels(configured);
  }

  #current(): Configured {
    if (!this.#configured)
      throw new ParallaxError('internal', 'The engine was asked before it was configured.');
    return this.#configured;
  }

  /** The open corpus of this name, which must have been indexed. */
  async #indexed(name: string): Promise<CorpusIndex> {
    const index = await this.#corpus(name);
    if (index.isIndexed) return index;
    throw new ParallaxError('not-indexed', `The corpus "${name}" is not indexed yet.`);
  }

  #services(index: CorpusIndex): EngineServices {
    const { config, judges, desk, generations } = this.#current();
    const { base, generator } = config;
    return new EngineServices({
      judges,
      desk,
      generations,
      generator,
      base,
      passages: (slots) => index.passages(slots),
    });
  }

  /** The open corpus of this name. */
  async #corpus(name: string): Promise<CorpusIndex> {
    const { config, corpora, embedders, crossEncoders } = this.#current();
    const opened = corpora.get(name);
    if (opened) return opened;
    const ref = findCorpus(config, name);
    const opening = CorpusIndex.open(ref, {
      embedder: (embedder) => embedders.get(embedder),
      crossEncoders,
      approximateAbove: config.approximateAbove,
      log: this.#log,
    });
    corpora.set(name, opening);
    // A failure must not be remembered: the disk may be writable again next time.
    opening.catch(() => corpora.delete(name));
    return opening;
  }

  async #discard(name: string): Promise<void> {
    const { corpora, config } = this.#current();
    const ref = findCorpus(config, name);
    const opened = corpora.get(name);
    corpora.delete(name);
    if (opened) await (await opened).close();
    await CorpusIndex.remove(ref);
  }
}

/**
 * Moves the open corpora that the new configuration leaves as they are, so that an edit elsewhere in
 * `parallax.json` does not interrupt work on them.
 */
function takeUnchanged(former: Configured, config: EngineConfig): Configured['corpora'] {
  const kept: Configured['corpora'] = new Map();
  for (const ref of config.corpora) {
    const opened = former.corpora.get(ref.name);
    const before = former.config.corpora.find(({ name }) => name === ref.name);
    if (!opened || JSON.stringify(before) !== JSON.stringify(ref)) continue;
    kept.set(ref.name, opened);
    former.corpora.delete(ref.name);
  }
  return kept;
}

/** What every open corpus depends on. */
function sameShared(a: EngineConfig, b: EngineConfig): boolean {
  const shared = ({ base, trusted, embedders, keys, approximateAbove }: EngineConfig): string =>
    JSON.stringify([base, trusted, embedders, keys, approximateAbove]);
  return shared(a) === shared(b);
}

function findCorpus({ corpora }: EngineConfig, name: string): CorpusRef {
  const ref = corpora.find((corpus) => corpus.name === name);
  if (!ref) throw new ParallaxError('not-found', `There is no corpus "${name}" in parallax.json.`);
  return ref;
}

function matterOf(index: CorpusIndex, { query, perspectives, slots }: Params<'judge'>): Matter {
  return { query, perspectives, passages: index.passages(slots) };
}

function workOf({ signal, report }: RequestContext): WorkOptions {
  return { signal, onProgress: (progress) => report({ type: 'progress', progress: { ...progress } }) };
}

function passageView(passage: StoredPassage): Omit<Candidate, 'score'> {
  return { ...passage, span: { ...passage.span }, lines: { ...passage.lines } };
}

async function disposeModels({ embedders, crossEncoders }: Configured): Promise<void> {
  await embedders.dispose();
  await crossEncoders.dispose();
}

async function closeAll({ corpora, database }: Configured, log: (message: string) => void): Promise<void> {
  for (const corpus of corpora.values())
    await corpus
      .then((index) => index.close())
      .catch((error: unknown) => log(`Closing a corpus: ${messageOf(error)}`));
  database.close();
}
