/** Runs pipelines on the questions of data sets: the first step of every evaluation, comparison and analysis. */
import type { NamedPipeline } from '../../core/pipeline.ts';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { Qrels, Query } from '../../core/model.ts';
import { isMeasured } from '../../shared/eval-query.ts';
import type { View } from '../../shared/experiment.ts';
import type { EngineConfig } from '../../shared/requests/configuration.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { Embedders } from '../embedders/embedders.ts';
import { Budget } from '../judgements/budget.ts';
import type { JudgementService } from '../judgements/judgement-service.ts';
import { countingJudge, type Judge } from '../judges/judge.ts';
import type { Judges } from '../judges/judges.ts';
import type { Probes } from '../../features/look-deeper/engine/probes.ts';
import type { PipelineServices } from '../retrieval/pipeline-services.ts';
import type { Database } from '../store/database.ts';
import type { WorkOptions } from '../types.ts';
import { splitByPages } from '../../features/web-corpus/engine/query-pages.ts';
import { isRerankedByJudge } from '../../core/pipeline-needs.ts';
import { judgeOfBoth } from './circular.ts';
import { CachedSearches } from './cached-searches.ts';
import { CollectedJudgements, type CollectingOptions } from './collected-judgements.ts';
import { withDatasetMaximum } from './dataset-maximum.ts';
import { DividedBudget } from '../judgements/divided-budget.ts';
import { ExperimentProgress } from './experiment-progress.ts';
import type { FigureQuery } from './judge-figures.ts';
import { PeopleLabels, type LabelSource } from './label-source.ts';
import { plannedSearches, runPipeline, type Beyond, type PipelineRuns } from './pipeline-runs.ts';
import { withStances } from './questions.ts';
import { QrelsLabels } from './qrels-labels.ts';
import { SearchCache } from './search-cache.ts';
import { viewNeeds } from './view-needs.ts';
import { withinBudget } from './within-budget.ts';

export interface ExperimentParts {
  readonly config: EngineConfig;
  /** The database of the engine's storage, which keeps what searches found. */
  readonly database: Database;
  readonly judgementService: JudgementService;
  readonly judges: Judges;
  readonly embedders: Embedders;
  /** Perspectives whose support was searched for more deeply. */
  readonly probes: Probes;
  /** @throws ParallaxError `not-found`, `not-indexed` */
  readonly openIndexed: (corpus: string) => Promise<CorpusIndex>;
  readonly servicesOf: (index: CorpusIndex) => PipelineServices;
  readonly log: (message: string) => void;
}

/** Questions that are asked of a corpus. */
export interface ExperimentDataset<Q extends Query = Query> {
  readonly name: string;
  readonly corpus: string;
  /** Another index of the corpus. Defaults to the present one. */
  readonly index?: CorpusIndex | undefined;
  readonly queries: readonly Q[];
  /** Used instead of people's labels. */
  readonly qrels?: Qrels | undefined;
}

export interface ExperimentRequest<D extends ExperimentDataset> {
  readonly datasets: readonly D[];
  readonly pipelines: readonly NamedPipeline[];
  /** The cutoff of the figures; the deepest if there are several. */
  readonly k: number;
  /** The judge whose answers count beside labels. `undefined` for labels alone. */
  readonly judge: Judge | undefined;
  /**
   * Whether to compute figures by this judge even if it guesses, because the user named it. They are marked,
   * and are no results.
   */
  readonly guesses?: boolean | undefined;
  readonly beyond: Beyond;
  /** For what the pipelines ask of models. Defaults to no limit. */
  readonly budget?: Budget | undefined;
  /**
   * Divides the budget among the queries that are reranked for coverage, and leaves this many requests for later.
   * Without it, a pipeline that needs more fails.
   */
  readonly keptRequests?: number | undefined;
}

/** A data set with what every pipeline retrieved for its questions. */
export interface RanDataset<D extends ExperimentDataset = ExperimentDataset> {
  /** Contains only the queries that were asked. */
  readonly dataset: D;
  /** Queries for which the corpus has no pages. */
  readonly leftOut: D['queries'];
  /** Questions without an answer that were asked. The data set's queries do not contain them. */
  readonly unanswerable: D['queries'];
  readonly index: CorpusIndex;
  readonly labels: LabelSource;
  /** In the order of the pipelines. */
  readonly runs: readonly PipelineRuns[];
}

export class Experiments {
  readonly #parts: ExperimentParts;
  readonly #cache: SearchCache;

  constructor(parts: ExperimentParts) {
    this.#parts = parts;
    this.#cache = new SearchCache(parts.database);
  }

  /**
   * Runs all pipelines on one data set after the other. A pipeline or question that fails is no error: its run has
   * the reason.
   *
   * @param use called with each data set before the next one runs
   * @returns the results of `use`
   * @throws ParallaxError for a missing corpus or one without an index, before anything runs; `cancelled`
   */
  async run<D extends ExperimentDataset, T>(
    { datasets, pipelines, k, judge, beyond, ...request }: ExperimentRequest<D>,
    { signal, onProgress, onRequest }: WorkOptions,
    use: (ran: RanDataset<D>) => Promise<T>,
  ): Promise<T[]> {
    const opened: Opened<D>[] = [];
    const { guesses = false, budget = new Budget(), keptRequests: kept } = request;
    const counting = guesses ? judge : countingJudge(judge);
    const reranked = pipelines.filter(({ pipeline }) => isRerankedByJudge(pipeline)).length;
    const divided =
      kept === undefined || budget.left === Number.POSITIVE_INFINITY
        ? undefined
        : new DividedBudget(budget, { pipelines: reranked * datasets.length, kept });
    const limits = { budget, divided };
    for (const dataset of datasets)
      opened.push(await this.#open(dataset, counting, limits, { signal, onProgress, onRequest }));
    const progress = new ExperimentProgress(onProgress);
    for (const { dataset, unanswerable } of opened)
      for (const { pipeline } of pipelines)
        progress.expect(plannedSearches(pipeline, dataset.queries, beyond) + unanswerable.length);
    const results: T[] = [];
    for (const { searches, services, ...ran } of opened) {
      const { queries } = ran.dataset;
      const { unanswerable } = ran;
      const runs: PipelineRuns[] = [];
      for (const named of pipelines) {
        const end = progress.done + plannedSearches(named.pipeline, queries, beyond) + unanswerable.length;
        const resolve: Parameters<typeof runPipeline>[2]['resolve'] = (pipeline, work) =>
          withDatasetMaximum(ran.index, pipeline, queries, services, work);
        const ownPart = isRerankedByJudge(named.pipeline) ? divided : undefined;
        ownPart?.begin();
        const run = await runPipeline(named, queries, {
          k,
          beyond,
          searches,
          resolve,
          progress,
          signal,
          onRequest,
          unanswerable,
          divided: ownPart,
        });
        const both = judgeOfBoth(named.pipeline, judge?.name, this.#parts.config);
        runs.push(both === undefined ? run : { ...run, judgeOfBoth: both });
        progress.reach(end);
      }
      results.push(await use({ ...ran, runs }));
    }
    return results;
  }

  async #open<D extends ExperimentDataset>(
    dataset: D,
    judge: Judge | undefined,
    { budget, divided }: { readonly budget: Budget; readonly divided: DividedBudget | undefined },
    work: WorkOptions,
  ): Promise<Opened<D>> {
    const { judgementService, openIndexed, servicesOf, probes, log } = this.#parts;
    const index = dataset.index ?? (await openIndexed(dataset.corpus));
    const unanswerable = dataset.queries.filter(({ answerable }) => answerable === false);
    const answerable = dataset.queries.filter((query) => query.answerable !== false);
    if (answerable.length === 0 && unanswerable.length > 0)
      throw new ParallaxError(
        'bad-argument',
        l10n.t(
          'All questions are without an answer. Add questions that have an answer: the figures compare the two kinds.',
        ),
      );
    const { asked, leftOut } = await splitByPages(index, answerable.map(withStances));
    const left = new Set(leftOut.map(({ id }) => id));
    const parts = { index, judgementService, probes, judge };
    const qrels = dataset.qrels && new Map([...dataset.qrels].filter(([id]) => !left.has(id)));
    if (qrels) await index.fetchPassages(judgedIds(qrels), work);
    else for (const note of await judgementService.notes(index)) log(note);
    const labels = qrels ? new QrelsLabels(qrels, parts) : new PeopleLabels(parts);
    const services = withinBudget(labels.services(servicesOf(index)), budget, divided);
    const searches = new CachedSearches({
      index,
      services,
      cache: this.#cache,
      identities: this.#parts,
      // Qrels are in no file that the cache could check.
      keepsJudged: qrels === undefined,
      divided,
      log,
    });
    return {
      dataset: { ...dataset, queries: asked },
      leftOut,
      unanswerable,
      index,
      labels,
      services,
      searches,
    };
  }
}

/** The ids of all passages that qrels judge. */
function judgedIds(qrels: Qrels): Set<string> {
  const judged = [...qrels.values()].flatMap((topic) => [...topic.values()]);
  return new Set(judged.flatMap((passages) => [...passages.keys()]));
}

interface Opened<D extends ExperimentDataset> extends Omit<RanDataset<D>, 'runs'> {
  readonly services: PipelineServices;
  readonly searches: CachedSearches;
}

/** Runs only the questions, of queries with perspectives. */
export function questionsOf<D extends ExperimentDataset>(
  { datasets, pipelines, k }: Pick<ExperimentRequest<D>, 'datasets' | 'pipelines' | 'k'>,
  judge: Judge | undefined,
): ExperimentRequest<D> {
  const covered = datasets.map((dataset) => ({
    ...dataset,
    queries: dataset.queries.filter(isMeasured),
  }));
  return { datasets: covered, pipelines, k, judge, beyond: {} };
}

/** Collects the judgements of everything that was retrieved. @throws ParallaxError `cancelled` */
export function judgementsOf(
  { dataset, index, labels, runs }: RanDataset,
  options: CollectingOptions,
  work: WorkOptions,
): Promise<CollectedJudgements> {
  return CollectedJudgements.collect(dataset.queries, runs, { index, labels }, options, work);
}

/** The requested views, and how much of a ranking figures read. */
export interface ReadViews {
  readonly views: readonly View[];
  readonly k: number;
}

/** The passages to judge for the figures of pipelines that ran, and for the views. */
export function figureQueries(
  { dataset, index, labels, runs }: RanDataset,
  read: ReadViews = { views: [], k: 0 },
): FigureQuery[] {
  const ran = runs.filter(({ error }) => error === undefined);
  return dataset.queries.map((query) => ({
    index,
    labels,
    query,
    rankings: ran.map(({ questions }) => questions.get(query.id) ?? []),
    needs: viewNeeds(query, ran, read.views, read.k),
  }));
}

/** A pipeline that failed for every question, and the reason as a sentence. */
export interface FailedPipeline {
  readonly name: string;
  readonly error: string;
}

/**
 * Separates pipelines that ran from those that failed, so that one unreachable store costs only its own
 * figures.
 *
 * @throws the error of the first pipeline if none could run
 */
export function separateFailed<Ran extends RanDataset>(
  all: Ran,
): { readonly ran: Ran; readonly failed: readonly FailedPipeline[] } {
  const runs = all.runs.filter(({ error }) => error === undefined);
  if (runs.length === 0) requireAllRan(all.runs);
  const failed = all.runs.flatMap(({ name, error }) => (error ? [{ name, error: error.message }] : []));
  return { ran: { ...all, runs }, failed };
}

/** @throws the error of the first failed pipeline, for callers that need all of them */
export function requireAllRan(runs: readonly PipelineRuns[]): void {
  for (const { error } of runs) if (error) throw error;
}

/**
 * Drops queries without perspectives, which have nothing to cover. @throws ParallaxError `bad-argument` if
 * none are left
 */
export function withPerspectives<D extends ExperimentDataset & { readonly evalSet: string }>(dataset: D): D {
  const queries = dataset.queries.filter(isMeasured);
  if (queries.length > 0) return { ...dataset, queries };
  throw new ParallaxError(
    'bad-argument',
    l10n.t`No question of ${dataset.evalSet} has perspectives; there is nothing to cover.`,
  );
}
