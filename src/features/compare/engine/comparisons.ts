/** Answers the engine's requests about comparisons: running them, and stored ones. */
import { randomUUID } from 'node:crypto';
import { messageOf } from '../../../core/errors.ts';
import type { Evaluation } from '../../../evaluation/evaluation.ts';
import { BUILT_IN_JUDGES, judgeEffort } from '../../../shared/named-judges.ts';
import { POOL_ORDERS, type PoolReport } from '../../../shared/pool.ts';
import type { EngineConfig } from '../../../shared/requests/configuration.ts';
import type { Params, Result } from '../../../shared/rpc.ts';
import { figureQueries, questionsOf, type Experiments } from '../../../engine/experiment/experiments.ts';
import { validationPairs, judgeLabelled, NO_VALIDATION } from '../../../engine/experiment/correction.ts';
import { judgeFigures, openFigures, type FigureQuery } from '../../../engine/experiment/judge-figures.ts';
import { poolOf } from '../../../engine/experiment/pooling.ts';
import { judgesOfRepeats } from '../../../engine/experiment/repeats.ts';
import { Budget } from '../../../engine/judgements/budget.ts';
import { requireCounting } from '../../../engine/judgements/judgement-service.ts';
import { countingJudge, type Judge } from '../../../engine/judges/judge.ts';
import type { Judges } from '../../../engine/judges/judges.ts';
import type { Database } from '../../../engine/store/database.ts';
import type { WorkOptions } from '../../../engine/types.ts';
import type { ChangePrice } from '../../../evaluation/change-price.ts';
import { priceOfChange, type PriceParts } from './change-price.ts';
import { comparePipelines } from './compare-pipelines.ts';
import { KeptComparisons } from './kept-comparisons.ts';
import { movementOf, type KeptRankings } from './kept-rankings.ts';

export interface ComparisonParts {
  readonly config: EngineConfig;
  /** The database of the engine's storage, which keeps comparisons. */
  readonly database: Database;
  readonly judges: Judges;
  readonly experiments: Experiments;
  readonly log: (message: string) => void;
}

export class Comparisons {
  readonly #parts: ComparisonParts;
  readonly #kept: KeptComparisons;

  constructor(parts: ComparisonParts) {
    this.#parts = parts;
    this.#kept = new KeptComparisons(parts.database, parts.log);
  }

  /** @throws ParallaxError as {@link comparePipelines}, and `bad-argument` for an unknown judge */
  async compare(params: Params<'compare'>, work: WorkOptions): Promise<Evaluation> {
    const { judges, experiments } = this.#parts;
    const judge = countingJudge(judges.get(params.judge));
    const repeatOf = (repeat: number): Judge | undefined => judges.repeated(repeat).get(params.judge);
    const { comparison, rankings } = await comparePipelines(params, judge, repeatOf, experiments, work);
    const named = { id: randomUUID(), ...comparison, at: new Date().toISOString() };
    await this.#keep(named, rankings);
    return named;
  }

  /**
   * The effect of a hypothetical change. It is not stored. @throws ParallaxError as {@link compare}, and as the
   * pipelines do
   */
  async price(
    params: Params<'changePrice'>,
    withSplit: PriceParts['withSplit'],
    work: WorkOptions,
  ): Promise<ChangePrice> {
    const { judges, experiments } = this.#parts;
    const judge = countingJudge(judges.get(params.judge));
    return priceOfChange(params, { judge, experiments, withSplit }, work);
  }

  /** @throws ParallaxError as {@link compare} */
  async figuresCost(params: Params<'figuresCost'>, work: WorkOptions): Promise<Result<'figuresCost'>> {
    const { config } = this.#parts;
    const queries = await this.#figures(params, new Budget(params.budget), 0, work);
    const { k, scope } = params;
    const { pairs, known, ...size } = await openFigures(queries, { cutoffs: [k], scope });
    const held = scope === 'everything' ? (await validationPairs(queries, k)).length : 0;
    const workload = { pairs: pairs - known + held, ...size };
    const named = { ...BUILT_IN_JUDGES, ...config.judges };
    const effort = judgeEffort(params.judge, named, workload, params.prices ?? {});
    return { pairs: pairs + held, known, effort };
  }

  /**
   * If everything is judged, the judge also answers what people labelled, so that figures can be corrected.
   *
   * @throws ParallaxError as {@link compare}
   */
  async judgeFigures(params: Params<'judgeFigures'>, work: WorkOptions): Promise<Result<'judgeFigures'>> {
    const budget = new Budget(params.budget);
    // Half of it is for the judge of the figures.
    const queries = await this.#figures(params, budget, Math.ceil(budget.left / 2), work);
    const { k, scope } = params;
    const { error, ...report } = await judgeFigures(queries, { cutoffs: [k], scope, budget }, work);
    const against =
      scope === 'everything' ? await judgeLabelled(queries, { k, budget }, work) : NO_VALIDATION;
    return {
      ...report,
      pairs: report.pairs + against.held,
      asked: report.asked + against.held,
      answered: report.answered + against.held,
      requests: report.requests + against.requests,
      ...(error ? { error: error.message } : {}),
    };
  }

  /**
   * Holes of the pipelines' top k, from existing judgements: by people alone, and by people and the judge. No model
   * is asked; call {@link judgeFigures} first to have everything judged.
   *
   * @throws ParallaxError as {@link compare}
   */
  async pool(params: Params<'pool'>, work: WorkOptions): Promise<PoolReport> {
    const { k } = params;
    const { judges, experiments } = this.#parts;
    const judge = countingJudge(judges.get(params.judge));
    const datasets = await experiments.run(questionsOf(params, judge), work, (ran) =>
      poolOf(ran, k, { signal: work.signal }),
    );
    return { k, judge: params.judge, heuristic: false, orders: POOL_ORDERS, datasets };
  }

  /** The top k of every pipeline that ran, for every query with perspectives, and what views show beside it. */
  async #figures(
    params: Pick<Params<'figuresCost'>, 'datasets' | 'pipelines' | 'judge' | 'k' | 'scope' | 'repeat'>,
    budget: Budget,
    keptRequests: number,
    work: WorkOptions,
  ): Promise<FigureQuery[]> {
    const { judges, experiments } = this.#parts;
    const { repeat = 1 } = params;
    const again = judgesOfRepeats(judges, params.judge, repeat).at(-1);
    const judge = requireCounting(again ?? judges.get(params.judge), params.judge);
    const { signal, onRequest } = work;
    const { k } = params;
    const isAll = params.scope === 'everything';
    const beyond = isAll ? { sides: true, groups: true } : {};
    const request = { ...questionsOf(params, judge), beyond, budget, keptRequests };
    const lists = await experiments.run(request, { signal, onRequest }, async (ran) =>
      figureQueries(ran, { views: isAll ? ['sycophancy', 'groups'] : [], k }),
    );
    return lists.flat();
  }

  list(): Result<'keptComparisons'> {
    return { kept: this.#kept.list() };
  }

  get({ id }: Params<'keptComparison'>): Evaluation {
    return this.#kept.get(id);
  }

  forget({ id }: Params<'forgetComparison'>): void {
    this.#kept.forget(id);
  }

  movement({ id, dataset, queryId, depth }: Params<'movement'>): Result<'movement'> {
    const passages = movementOf(this.#kept.rankings(id, dataset, queryId), depth);
    return { dataset, queryId, depth, passages };
  }

  /** A comparison that cannot be stored is still shown. */
  async #keep(comparison: Evaluation, rankings: readonly KeptRankings[]): Promise<void> {
    try {
      await this.#kept.add(comparison, rankings);
    } catch (error) {
      this.#parts.log(`The comparison could not be kept: ${messageOf(error)}`);
    }
  }
}
