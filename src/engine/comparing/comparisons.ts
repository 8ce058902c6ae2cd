/** Everything that the engine answers about comparisons: running them, and those that were kept. */
import { randomUUID } from 'node:crypto';
import { messageOf } from '../../core/errors.ts';
import type { Comparison } from '../../shared/compare.ts';
import type { PoolReport } from '../../shared/pool.ts';
import type { EngineConfig } from '../../shared/requests/configuration.ts';
import type { Params, Result } from '../../shared/rpc.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { Embedders } from '../embedders/embedders.ts';
import { Budget } from '../judgements/budget.ts';
import type { Judge } from '../judges/judge.ts';
import type { JudgementService } from '../judgements/judgement-service.ts';
import { requireJudge } from '../judgements/judgement-service.ts';
import type { Judges } from '../judges/judges.ts';
import { BUILT_IN_JUDGES, judgeEffort } from '../../shared/judge-types.ts';
import type { PipelineServices } from '../retrieval/pipeline-services.ts';
import type { Database } from '../store/database.ts';
import type { WorkOptions } from '../types.ts';
import { splitByPages } from '../web/own-pages.ts';
import { CachedSearches } from '../experiment/cached-searches.ts';
import { comparePipelines, type CorpusParts } from './compare-pipelines.ts';
import { CompareJudgements } from '../experiment/collected-judgements.ts';
import { runQuestions, topOf, type PipelineRuns } from '../experiment/pipeline-runs.ts';
import { judgeFigures, openFigures, type FigureQuery } from '../experiment/judge-figures.ts';
import { KeptComparisons } from './kept-comparisons.ts';
import { movementOf, type KeptRankings } from './kept-rankings.ts';
import { describePool, POOL_ORDERS } from '../experiment/pooling.ts';
import { SearchCache } from '../experiment/search-cache.ts';

export interface ComparisonParts {
  readonly config: EngineConfig;
  /** Of the engine's storage; holds what was found and what was compared. */
  readonly database: Database;
  readonly judgementService: JudgementService;
  readonly judges: Judges;
  readonly embedders: Embedders;
  /** @throws ParallaxError `not-found`, `not-indexed` */
  readonly openIndexed: (corpus: string) => Promise<CorpusIndex>;
  readonly servicesOf: (index: CorpusIndex) => PipelineServices;
  readonly log: (message: string) => void;
}

/** A data set with what every pipeline retrieves for its questions. */
export interface RankedDataset {
  /** Only queries with perspectives. */
  readonly dataset: Params<'compare'>['datasets'][number];
  /** Ids of queries that the corpus has no pages for; absent where it has them for all. */
  readonly leftOut?: string[];
  readonly parts: CorpusParts;
  /** In the order of the pipelines. */
  readonly runs: readonly PipelineRuns[];
}

export class Comparisons {
  readonly #parts: ComparisonParts;
  readonly #cache: SearchCache;
  readonly #kept: KeptComparisons;

  constructor(parts: ComparisonParts) {
    this.#parts = parts;
    this.#cache = new SearchCache(parts.database);
    this.#kept = new KeptComparisons(parts.database, parts.log);
  }

  /** @throws ParallaxError as {@link comparePipelines}, and `bad-argument` for an unknown judge */
  async compare(params: Params<'compare'>, work: WorkOptions): Promise<Comparison> {
    const judge = this.#parts.judges.get(params.judge);
    const { comparison, rankings } = await comparePipelines(
      params,
      (corpus) => this.#open(corpus, judge),
      work,
    );
    const named = { id: randomUUID(), ...comparison, at: new Date().toISOString() };
    await this.#keep(named, rankings);
    return named;
  }

  /** @throws ParallaxError as {@link compare} */
  async figuresCost(params: Params<'figuresCost'>, work: WorkOptions): Promise<Result<'figuresCost'>> {
    const { judgementService, judges, config } = this.#parts;
    const judge = requireJudge(judges.get(params.judge), params.judge);
    const queries = await this.#rankings(params, work);
    const { pairs, known, passages, passageLength } = await openFigures(queries, judgementService, judge, [
      params.k,
    ]);
    const workload = { pairs: pairs - known, passages, passageLength };
    const named = { ...BUILT_IN_JUDGES, ...config.judges };
    const effort = judgeEffort(params.judge, named, workload, params.prices ?? {});
    return { pairs, known, effort };
  }

  /** @throws ParallaxError as {@link compare} */
  async judgeFigures(params: Params<'judgeFigures'>, work: WorkOptions): Promise<Result<'judgeFigures'>> {
    const { judgementService, judges } = this.#parts;
    const judge = requireJudge(judges.get(params.judge), params.judge);
    const queries = await this.#rankings(params, work);
    const { k, scope, budget } = params;
    const options = { cutoffs: [k], scope, budget: new Budget(budget) };
    const { error, ...report } = await judgeFigures(queries, judgementService, judge, options, work);
    return { ...report, ...(error ? { error: error.message } : {}) };
  }

  /**
   * Holes of the pipelines' top k, from what is judged already: by people alone, and by people and the judge. No
   * model is asked; {@link judgeFigures} has everything judged before.
   *
   * @throws ParallaxError as {@link compare}
   */
  async pool(params: Params<'pool'>, work: WorkOptions): Promise<PoolReport> {
    const { k } = params;
    const judge = this.#parts.judges.get(params.judge);
    const datasets: PoolReport['datasets'] = [];
    for (const { dataset, parts, runs, ...rest } of await this.ranked(params, work)) {
      const { queries } = dataset;
      const sources = { ...parts, judge: undefined };
      const original = await CompareJudgements.collect(queries, runs, sources, k, work.signal);
      const filled = await CompareJudgements.collect(queries, runs, { ...parts, judge }, k, work.signal);
      const pipelines = params.pipelines.map(({ name }, place) => {
        const { questions, error } = runs[place]!;
        return error === undefined ? { name, run: filled.named(questions) } : { name, error };
      });
      const pooled = { ...dataset, pipelines, original: original.qrels, filled: filled.qrels };
      datasets.push({ ...(await describePool(pooled, k, work)), ...rest });
    }
    return { k, judge: params.judge, heuristic: judge?.heuristic ?? false, orders: POOL_ORDERS, datasets };
  }

  /**
   * What every pipeline retrieves for the questions.
   *
   * @throws ParallaxError as {@link compare}
   */
  async ranked(
    { datasets, pipelines, k }: Pick<Params<'compare'>, 'datasets' | 'pipelines' | 'k'>,
    { signal }: WorkOptions,
  ): Promise<RankedDataset[]> {
    const ranked: RankedDataset[] = [];
    for (const dataset of datasets) {
      const parts = await this.#open(dataset.corpus, undefined);
      const covered = dataset.queries.filter(({ perspectives }) => perspectives.length > 0);
      const { asked: queries, leftOut } = await splitByPages(parts.index, covered);
      const runs = await runQuestions(pipelines, queries, k, parts.searches, signal);
      ranked.push({
        dataset: { ...dataset, queries: [...queries] },
        ...(leftOut.length > 0 ? { leftOut: leftOut.map(({ id }) => id) } : {}),
        parts,
        runs,
      });
    }
    return ranked;
  }

  /** The top k of every pipeline that can be run, for every query with perspectives. */
  async #rankings(
    params: Pick<Params<'compare'>, 'datasets' | 'pipelines' | 'k'>,
    work: WorkOptions,
  ): Promise<FigureQuery[]> {
    return (await this.ranked(params, work)).flatMap(({ dataset: { queries }, parts, runs }) => {
      const tops = topOf(runs, queries, params.k);
      return queries.map((query) => ({ index: parts.index, query, rankings: tops.get(query.id)! }));
    });
  }

  list(): Result<'keptComparisons'> {
    return { kept: this.#kept.list() };
  }

  get({ id }: Params<'keptComparison'>): Comparison {
    return this.#kept.get(id);
  }

  forget({ id }: Params<'forgetComparison'>): void {
    this.#kept.forget(id);
  }

  movement({ id, dataset, queryId, depth }: Params<'movement'>): Result<'movement'> {
    const passages = movementOf(this.#kept.rankings(id, dataset, queryId), depth);
    return { dataset, queryId, depth, passages };
  }

  async #open(corpus: string, judge: Judge | undefined): Promise<CorpusParts> {
    const { judgementService, openIndexed, servicesOf, log } = this.#parts;
    const index = await openIndexed(corpus);
    const services = servicesOf(index);
    const searches = new CachedSearches({
      index,
      services,
      cache: this.#cache,
      identities: this.#parts,
      log,
    });
    return { index, judgementService, judge, searches };
  }

  /** A comparison that cannot be kept is shown all the same. */
  async #keep(comparison: Comparison, rankings: readonly KeptRankings[]): Promise<void> {
    try {
      await this.#kept.add(comparison, rankings);
    } catch (error) {
      this.#parts.log(`The comparison could not be kept: ${messageOf(error)}`);
    }
  }
}
