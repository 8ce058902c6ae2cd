/** The engine: answers every request of src/shared/rpc.ts. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../core/errors.ts';
import { DEFAULT_PROJECTION, searchesByVector } from '../core/pipeline.ts';
import { similarityMatrix } from '../core/rerank/similarity.ts';
import { WEB_FOLDER } from '../core/web/snapshot.ts';
import type { Comparison } from '../shared/compare.ts';
import { judgeEffort } from '../shared/judge-effort.ts';
import type {
  Candidate,
  CorpusStatus,
  EngineConfig,
  EngineMethod,
  IndexReport,
  JudgedPair,
  Params,
  ProgressNote,
  Result,
} from '../shared/rpc.ts';
import { Captures } from './capture/captures.ts';
import { readDocument } from './corpus/read-document.ts';
import { configure, dispose, keepsModels, type Configured } from './configured.ts';
import type { CorpusIndex } from './corpus-index.ts';
import { JudgesToValidate } from './evaluation/judges-to-validate.ts';
import { measuresOwnLabels, validateRequest } from './evaluation/validate-request.ts';
import { isForeign } from './external/foreign-passages.ts';
import { fenceOf, requireInside } from './files/fence.ts';
import { generatePerspectives } from './judges/generate-perspectives.ts';
import { Budget } from './judges/budget.ts';
import { JudgementCache } from './judges/judgement-cache.ts';
import type { Judge } from './judges/judge.ts';
import { requireJudge, type Matter } from './judges/judgement-desk.ts';
import { BUILT_IN_JUDGES, Judges } from './judges/judges.ts';
import { LabelsFile } from './judges/labels-file.ts';
import { proposeStances } from './judges/propose-stances.ts';
import { OpenCorpora } from './open-corpora.ts';
import { EngineServices } from './retrieval/engine-services.ts';
import { searchCorpus } from './retrieval/search-query.ts';
import type { Noticed } from './review/gather-pairs.ts';
import type { HostCalls } from './server.ts';
import type { StoredPassage, WorkOptions } from './types.ts';
import { fetchWebCorpus } from './web/fetch-corpus.ts';

export const ENGINE_VERSION = '0.1.0';

export interface RequestContext {
  readonly signal: AbortSignal;
  readonly report: (note: ProgressNote) => void;
}

type Handlers = { [M in EngineMethod]: (params: Params<M>, context: RequestContext) => Promise<Result<M>> };

export class Engine implements Handlers {
  readonly #host: HostCalls | undefined;
  readonly #log: (message: string) => void;
  readonly #corpora: OpenCorpora;
  readonly #captures: Captures;
  #configured: Configured | undefined;

  /** @param host absent on the command line, where there is no editor to ask */
  constructor(host: HostCalls | undefined, log: (message: string) => void) {
    this.#host = host;
    this.#log = log;
    this.#corpora = new OpenCorpora(log);
    this.#captures = new Captures(log);
  }

  async configure(config: EngineConfig): Promise<Result<'configure'>> {
    const former = this.#configured;
    if (former && JSON.stringify(former.config) === JSON.stringify(config))
      return { version: ENGINE_VERSION };
    const next = await configure(config, former, {
      host: this.#host,
      log: this.#log,
      openIndexed: (corpus) => this.#corpora.indexed(corpus),
      servicesOf: (index) => this.#services(index),
      remembering: (name) => this.#remembering(name),
    });
    this.#configured = next;
    const sameModels = former !== undefined && keepsModels(former.config, config);
    await this.#corpora.reconfigure(next, sameModels);
    if (former) await dispose(former, next);
    return { version: ENGINE_VERSION };
  }

  async status({ corpus }: Params<'status'>): Promise<CorpusStatus> {
    return (await this.#corpora.get(corpus)).status;
  }

  async skipped({ corpus }: Params<'skipped'>): Promise<Result<'skipped'>> {
    return { files: (await this.#corpora.get(corpus)).skipped };
  }

  async index({ corpus, rebuild }: Params<'index'>, context: RequestContext): Promise<IndexReport> {
    if (rebuild) await this.#corpora.discard(corpus, workOf(context));
    return (await this.#corpora.get(corpus)).update(workOf(context));
  }

  async search(
    { corpus, query, perspectives, pipeline }: Params<'search'>,
    context: RequestContext,
  ): Promise<Result<'search'>> {
    const index = await this.#corpora.indexed(corpus);
    const begun = performance.now();
    const depth = Math.max(pipeline.k, pipeline.candidates);
    const asked = { ...query, perspectives };
    const { hits, retrieved, search, splits, matches } = await searchCorpus(
      index,
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
      ...(splits ? { splits: splits.map((split) => ({ ...split })) } : {}),
      ...(matches ? { matches: { ...matches } } : {}),
    };
  }

  async compare(params: Params<'compare'>, context: RequestContext): Promise<Comparison> {
    return this.#current().comparisons.compare(params, workOf(context));
  }

  async keptComparisons(): Promise<Result<'keptComparisons'>> {
    return this.#current().comparisons.list();
  }

  async keptComparison(params: Params<'keptComparison'>): Promise<Comparison> {
    return this.#current().comparisons.get(params);
  }

  async forgetComparison(params: Params<'forgetComparison'>): Promise<Result<'forgetComparison'>> {
    this.#current().comparisons.forget(params);
    return {};
  }

  async evaluate(params: Params<'evaluate'>, context: RequestContext): Promise<Result<'evaluate'>> {
    return this.#current().evaluations.evaluate(params, workOf(context));
  }

  async acceptBaseline(
    params: Params<'acceptBaseline'>,
    context: RequestContext,
  ): Promise<Result<'acceptBaseline'>> {
    return this.#current().evaluations.accept(params, workOf(context));
  }

  async acceptEvaluation(params: Params<'acceptEvaluation'>): Promise<Result<'acceptEvaluation'>> {
    return this.#current().evaluations.acceptKept(params);
  }

  async evaluationHistory(): Promise<Result<'evaluationHistory'>> {
    return this.#current().evaluations.list();
  }

  async evaluationEntry(params: Params<'evaluationEntry'>): Promise<Result<'evaluationEntry'>> {
    return this.#current().evaluations.entry(params);
  }

  async compareEvaluations(params: Params<'compareEvaluations'>): Promise<Result<'compareEvaluations'>> {
    return this.#current().evaluations.compare(params);
  }

  async unreached(params: Params<'unreached'>, context: RequestContext): Promise<Result<'unreached'>> {
    return this.#current().evaluations.unreached(params, workOf(context));
  }

  async movement(params: Params<'movement'>): Promise<Result<'movement'>> {
    return this.#current().comparisons.movement(params);
  }

  async similarities(
    { corpus, embedder, slots }: Params<'similarities'>,
    context: RequestContext,
  ): Promise<Result<'similarities'>> {
    const vectors = await (await this.#corpora.indexed(corpus)).vectors(embedder, slots, workOf(context));
    return { matrix: similarityMatrix(vectors, slots.length) };
  }

  async projections(
    { corpus, query, perspectives, pipeline, slots }: Params<'projections'>,
    context: RequestContext,
  ): Promise<Result<'projections'>> {
    const index = await this.#corpora.indexed(corpus);
    const { retriever, projection = DEFAULT_PROJECTION } = pipeline;
    if (!searchesByVector(retriever))
      throw new ParallaxError(
        'bad-pipeline',
        l10n.t('Projection needs a retriever that ranks by vectors alone.'),
      );
    const asked = { ...query, perspectives };
    const services = this.#services(index);
    return {
      projections: await index.projections(
        projection,
        retriever.embedder,
        asked,
        slots,
        services,
        workOf(context),
      ),
    };
  }

  async judgements(params: Params<'judgements'>): Promise<Result<'judgements'>> {
    const { desk } = this.#current();
    const index = await this.#corpora.get(params.corpus);
    const { query, perspectives } = params;
    const judge = this.#remembering(params.judge);
    const passagesOf = (documentId: string): StoredPassage[] => index.passagesOf(documentId);
    return {
      pairs: await desk.known(matterOf(index, params), judge),
      supporters: await desk.supporters(query, perspectives, passagesOf, judge),
    };
  }

  async judgeCost(params: Params<'judgeCost'>): Promise<Result<'judgeCost'>> {
    const { config, desk, judges } = this.#current();
    const matter = matterOf(await this.#corpora.get(params.corpus), params);
    const judge = judges.get(params.judge);
    const open = judge ? await desk.openPairs(matter, judge) : [];
    const passages = [...new Set(open.map(({ passage }) => passage))];
    const characters = passages.reduce((sum, { text }) => sum + text.length, 0);
    const workload = {
      pairs: open.length,
      passages: passages.length,
      passageLength: characters / Math.max(1, passages.length),
    };
    return {
      calls: open.length,
      known: matter.passages.length * matter.perspectives.length - open.length,
      effort: judgeEffort(
        params.judge,
        { ...BUILT_IN_JUDGES, ...config.judges },
        workload,
        params.prices ?? {},
      ),
    };
  }

  async figuresCost(params: Params<'figuresCost'>, context: RequestContext): Promise<Result<'figuresCost'>> {
    return this.#current().comparisons.figuresCost(params, workOf(context));
  }

  async judgeFigures(
    params: Params<'judgeFigures'>,
    context: RequestContext,
  ): Promise<Result<'judgeFigures'>> {
    const { comparisons, review } = this.#current();
    const report = await comparisons.judgeFigures(params, workOf(context));
    for (const { corpus, queries } of params.datasets)
      await this.#forReview(() => review.add({ from: 'memory', corpus, queries }, workOf(context)));
    return report;
  }

  async pool(params: Params<'pool'>, context: RequestContext): Promise<Result<'pool'>> {
    return this.#current().comparisons.pool(params, workOf(context));
  }

  async answers(params: Params<'answers'>, context: RequestContext): Promise<Result<'answers'>> {
    return this.#current().answers.answer(params, workOf(context));
  }

  async answersCost(params: Params<'answersCost'>, context: RequestContext): Promise<Result<'answersCost'>> {
    return this.#current().answers.cost(params, workOf(context));
  }

  async judge(params: Params<'judge'>, context: RequestContext): Promise<Result<'judge'>> {
    const { desk, judges, review } = this.#current();
    const judge = requireJudge(judges.get(params.judge), params.judge);
    const matter = matterOf(await this.#corpora.get(params.corpus), params);
    const given: JudgedPair[] = [];
    const { asked, answered, cached, unparsable, failed, escalated, error } = await desk.judge(
      matter,
      judge,
      (pair) => {
        given.push(pair);
        context.report({ type: 'judgement', pair });
      },
      { ...workOf(context), budget: new Budget(params.budget) },
    );
    await this.#forReview(() => review.noticed(params.corpus, params.query, judge, noticedOf(matter, given)));
    return {
      asked,
      answered,
      cached,
      unparsable,
      failed,
      escalated,
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

  async proposeStances(
    { judge, query, perspectives }: Params<'proposeStances'>,
    { signal }: RequestContext,
  ): Promise<Result<'proposeStances'>> {
    const { judges, generations } = this.#current();
    const { model, timeoutMs } = judges.chatModel(judge);
    const stances = await proposeStances(model, generations, query, perspectives, { timeoutMs, signal });
    return { stances: [...stances], model: model.label };
  }

  async validateJudge(
    params: Params<'validateJudge'>,
    context: RequestContext,
  ): Promise<Result<'validateJudge'>> {
    const { config, database, nliModels } = this.#current();
    const index = params.corpus === undefined ? undefined : await this.#corpora.indexed(params.corpus);
    // Nobody is measured on the labels that it was calibrated on.
    const known = measuresOwnLabels(params, config) ? undefined : config.labelsFile;
    const parts = { nliModels, labels: new LabelsFile(known, this.#log) };
    const judges = new JudgesToValidate(
      config.judges,
      new JudgementCache(database),
      (named, cache) => new Judges({ ...config, judges: named }, cache, this.#host, parts),
    );
    try {
      const sources = {
        judges,
        base: config.base,
        labelsFile: config.labelsFile,
        passagesOf: index && ((documentId: string) => index.passagesOf(documentId)),
      };
      return await validateRequest(params, sources, workOf(context));
    } finally {
      judges.close();
    }
  }

  async label(params: Params<'label'>): Promise<Result<'label'>> {
    const { corpus, slot, query, perspective, verdict, by } = params;
    const [passage] = (await this.#corpora.get(corpus)).passages([slot]);
    if (!passage)
      throw new ParallaxError('not-found', l10n.t('This passage is no longer in the corpus. Search again.'));
    const { desk } = this.#current();
    const judge = params.judge === undefined ? undefined : this.#remembering(params.judge);
    const pair = { query, passage, perspective };
    // What the judge said is shown beside the passage: the label contradicts or confirms it knowingly.
    const informed = judge !== undefined && desk.remembered(pair, judge) !== undefined;
    await desk.label(pair, { verdict, by, standard: judge?.standard, informed });
    return {};
  }

  async reviewQueue(params: Params<'reviewQueue'>, context: RequestContext): Promise<Result<'reviewQueue'>> {
    return this.#current().review.queue(params, workOf(context));
  }

  async reviewItem(params: Params<'reviewItem'>): Promise<Result<'reviewItem'>> {
    return this.#current().review.item(params);
  }

  async reviewAdd(params: Params<'reviewAdd'>, context: RequestContext): Promise<Result<'reviewAdd'>> {
    return this.#current().review.add(params, workOf(context));
  }

  async buildEffort(params: Params<'buildEffort'>, context: RequestContext): Promise<Result<'buildEffort'>> {
    return this.#current().building.effort(params, workOf(context));
  }

  async build(params: Params<'build'>, context: RequestContext): Promise<Result<'build'>> {
    return this.#current().building.build(params, workOf(context));
  }

  async acceptDrafts(
    params: Params<'acceptDrafts'>,
    context: RequestContext,
  ): Promise<Result<'acceptDrafts'>> {
    const { config, building } = this.#current();
    for (const file of [params.drafts, params.evalSet]) await requireInside(fenceOf(config), file);
    return building.accept(params, workOf(context));
  }

  async labelSet(params: Params<'labelSet'>, context: RequestContext): Promise<Result<'labelSet'>> {
    return this.#current().building.labelSet(params, workOf(context));
  }

  async reviewAnswer(params: Params<'reviewAnswer'>): Promise<Result<'reviewAnswer'>> {
    return this.#current().review.answer(params);
  }

  async reviewUndo(params: Params<'reviewUndo'>): Promise<Result<'reviewUndo'>> {
    await this.#current().review.undo(params);
    return {};
  }

  async reviewSkip(params: Params<'reviewSkip'>): Promise<Result<'reviewSkip'>> {
    this.#current().review.skip(params);
    return {};
  }

  async reviewRemove(params: Params<'reviewRemove'>): Promise<Result<'reviewRemove'>> {
    this.#current().review.remove(params);
    return {};
  }

  async labelAgreement(): Promise<Result<'labelAgreement'>> {
    return this.#current().review.agreement();
  }

  async passage({ corpus, passageId }: Params<'passage'>): Promise<Result<'passage'>> {
    const passage = (await this.#corpora.get(corpus)).passageById(passageId);
    if (!passage)
      throw new ParallaxError('not-found', l10n.t`The passage ${passageId} is no longer in the corpus.`);
    return passageView(passage);
  }

  async checkRetriever(
    { retriever }: Params<'checkRetriever'>,
    { signal }: RequestContext,
  ): Promise<Result<'checkRetriever'>> {
    return { ...(await this.#current().externals.check(retriever, signal)) };
  }

  async storedPassages(
    { corpus, store, from, limit }: Params<'storedPassages'>,
    context: RequestContext,
  ): Promise<Result<'storedPassages'>> {
    const index = await this.#corpora.indexed(corpus);
    const { slots, matches, next } = await index.storedPage(store, from, limit, workOf(context));
    return {
      passages: index.passages(slots).map(passageView),
      matches: { ...matches },
      ...(next === undefined ? {} : { next }),
    };
  }

  async capture(_params: Params<'capture'>, { signal, report }: RequestContext): Promise<Result<'capture'>> {
    if (!this.#current().config.trusted)
      throw new ParallaxError(
        'untrusted',
        l10n.t('Retrievals are captured only in a workspace that you trust.'),
      );
    await this.#captures.receive(
      {
        onEndpoint: (url) => report({ type: 'capturing', url }),
        onRetrieval: () => report({ type: 'captured' }),
      },
      signal,
    );
    return {};
  }

  async captured(
    { corpus, judge, queries, after }: Params<'captured'>,
    context: RequestContext,
  ): Promise<Result<'captured'>> {
    const { desk } = this.#current();
    const index = await this.#corpora.get(corpus);
    const terms = { index, desk, judge: this.#remembering(judge), queries, after };
    return { indexed: index.isIndexed, runs: await this.#captures.list(terms, workOf(context)) };
  }

  async forgetCaptured(): Promise<Result<'forgetCaptured'>> {
    this.#captures.forget();
    return {};
  }

  async fetchWeb(
    { queries, search, name }: Params<'fetchWeb'>,
    context: RequestContext,
  ): Promise<Result<'fetchWeb'>> {
    const { base, keys, trusted } = this.#current().config;
    if (!trusted)
      throw new ParallaxError('untrusted', l10n.t('Pages are fetched only in a workspace that you trust.'));
    const folder = path.join(base, WEB_FOLDER, name);
    return fetchWebCorpus({ queries, search, folder, apiKey: keys[search.provider] }, workOf(context));
  }

  async documentText({ corpus, documentId }: Params<'documentText'>): Promise<Result<'documentText'>> {
    const index = await this.#corpora.get(corpus);
    const [passage] = index.passagesOf(documentId);
    if (!passage) throw new ParallaxError('not-found', l10n.t`${documentId} is no longer in the corpus.`);
    if (isForeign(passage.slot)) return { text: passage.text, title: passage.title };
    const { text, title } = await readDocument(index.ref, passage.path, documentId);
    return { text, title };
  }

  async close(): Promise<void> {
    this.#captures.close();
    const configured = this.#configured;
    this.#configured = undefined;
    if (!configured) return;
    await this.#corpora.close();
    await dispose(configured);
  }

  #current(): Configured {
    if (!this.#configured)
      throw new ParallaxError('internal', l10n.t('The engine was asked before it was configured.'));
    return this.#configured;
  }

  /**
   * The judge whose earlier answers count. As long as the workspace is not trusted, those that it names are
   * not there, and people's labels count alone.
   *
   * @throws ParallaxError as {@link Judges.get}
   */
  #remembering(name: string): Judge | undefined {
    const { config, judges } = this.#current();
    return config.trusted || judges.has(name) ? judges.get(name) : undefined;
  }

  /** Judgements that were given are handed out, whatever becomes of what people should see of them. */
  async #forReview(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!ParallaxError.is(error, 'cancelled')) this.#log(`Review queue: ${messageOf(error)}`);
    }
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
      fence: fenceOf(config),
      passages: (slots) => index.passages(slots),
    });
  }
}

function matterOf(index: CorpusIndex, { query, perspectives, slots }: Params<'judge'>): Matter {
  return { query, perspectives, passages: index.passages(slots) };
}

function noticedOf({ passages, perspectives }: Matter, given: readonly JudgedPair[]): Noticed[] {
  const bySlot = new Map(passages.map((passage) => [passage.slot, passage]));
  const byId = new Map(perspectives.map((perspective) => [perspective.id, perspective]));
  return given.map(({ slot, perspectiveId, judgement }) => ({
    passage: bySlot.get(slot)!,
    perspective: byId.get(perspectiveId)!,
    judgement,
  }));
}

function workOf({ signal, report }: RequestContext): WorkOptions {
  return { signal, onProgress: (progress) => report({ type: 'progress', progress: { ...progress } }) };
}

function passageView(passage: StoredPassage): Omit<Candidate, 'score'> {
  return { ...passage, span: { ...passage.span }, lines: { ...passage.lines } };
}
