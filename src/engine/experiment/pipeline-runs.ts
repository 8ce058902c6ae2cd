/** Runs one pipeline on everything that an experiment asks of it. */
import * as l10n from '@vscode/l10n';
import { CURVE_DEPTH } from '../../core/analysis/coverage-curve.ts';
import { asParallaxError, inContext, messageOf, ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import { certaintiesOf, type Certainties } from '../../core/external/certainty.ts';
import { shortfallsOf, type Shortfalls } from '../../core/external/shortfall.ts';
import type { Query } from '../../core/model.ts';
import {
  canSearchExactly,
  dependsOnWriting,
  needsOf,
  queriesAtOnce,
  withExactSearch,
  withoutGivenPerspectives,
} from '../../core/pipeline-needs.ts';
import { leastSure, type NamedPipeline, type Pipeline, type SearchKind } from '../../core/pipeline.ts';
import type { FurtherSearch, SearchErrors, QueryError } from '../../evaluation/query-errors.ts';
import { runPool } from '../concurrency/bounded.ts';
import { Pace } from '../concurrency/pace.ts';
import type { Slot, WorkOptions } from '../types.ts';
import type { CachedSearches } from './cached-searches.ts';
import type { DividedBudget } from '../judgements/divided-budget.ts';
import type { ExperimentProgress } from './experiment-progress.ts';
import {
  askedFromPerspectives,
  askedFromSide,
  askedWithoutPerspective,
  groupedPerspectives,
  questions,
  type Asked,
} from './questions.ts';
import { isOfOneQuery } from './query-errors.ts';
import type { FoundPassages } from './search-cache.ts';

/** Scores by the id of a query, best first. */
export type ScoreRun = ReadonlyMap<string, readonly number[]>;

/** Slots by the id under which they were asked for, best first. */
export type SlotRun = ReadonlyMap<string, readonly Slot[]>;

export interface PipelineRuns extends NamedPipeline {
  /** With a number for everything that is computed over the queries. */
  readonly resolved: Pipeline;
  /** By query id, without queries that failed. */
  readonly questions: SlotRun;
  /** Of the passages of each question, as the last step of the pipeline gives them. */
  readonly scores: ScoreRun;
  /** The scores of questions without an answer, by query id. `undefined` if there are none. */
  readonly unanswerable?: ScoreRun;
  /** By query id, what an exact search finds, if part of the search was approximate. */
  readonly exact?: SlotRun;
  /** By the ids of two-sided queries. `undefined` if there are none. */
  readonly sides?: { readonly support: SlotRun; readonly oppose: SlotRun };
  /** By the ids of grouped perspectives; and the roots alone, by query id. */
  readonly perspectives?: { readonly full: SlotRun; readonly root: SlotRun };
  /** Questions that failed, in their order. */
  readonly queryErrors: readonly QueryError[];
  /** Searches other than the questions that failed. They count as having found nothing. */
  readonly searchErrors: SearchErrors;
  readonly search: SearchKind;
  /** Milliseconds that the search for each question took when it ran, by query id. */
  readonly times: ReadonlyMap<string, number>;
  /** Ids of queries that wanted more requests than their part of the budget. `undefined` if there are none. */
  readonly cutShort?: readonly string[];
  /** Set if a store returned fewer candidates than requested. */
  readonly short?: Shortfalls | undefined;
  /**
   * For a projection over what a store returned: how sure it is that the first k are the first k of the whole
   * store.
   */
  readonly certainty?: Certainties | undefined;
  /** A judge of one of its steps that also scores it; see `circular.ts`. */
  readonly judgeOfBoth?: string | undefined;
  /** The reason if it failed for every question. There are no rankings then. */
  readonly error?: ParallaxError;
}

/** Further searches of a pipeline, beside the questions themselves. */
export interface Beyond {
  /** The same questions by exact search, if part of the search is approximate. */
  readonly exact?: boolean | undefined;
  /** Two-sided queries, as either side would ask them. */
  readonly sides?: boolean | undefined;
  /** Perspectives with a group, and their questions without any perspective. */
  readonly groups?: boolean | undefined;
}

/**
 * The most passages that a search of an experiment returns: enough for everything that reads a ranking, so that every
 * surface requests the same depth and repeats no search.
 */
function searchDepth({ candidates }: Pipeline, k: number): number {
  return Math.max(CURVE_DEPTH, k, candidates);
}

/** How many searches {@link runPipeline} will make, as far as known in advance. */
export function plannedSearches(pipeline: Pipeline, queries: readonly Query[], beyond: Beyond): number {
  const grouped = groupedPerspectives(queries);
  const { sides, groups } = askable(pipeline, beyond);
  return (
    queries.length +
    (sides ? 2 * askedFromSide(queries, 'support').length : 0) +
    (groups ? grouped.length + askedWithoutPerspective(grouped).length : 0)
  );
}

/** Texts that a model or a file wrote for a question do not exist for other texts, or would cost again. */
function askable(pipeline: Pipeline, { exact, sides, groups }: Beyond): Beyond {
  return dependsOnWriting(needsOf(pipeline)) ? { exact } : { exact, sides, groups };
}

export interface RunOptions {
  readonly k: number;
  readonly beyond: Beyond;
  readonly searches: CachedSearches;
  /** Fills in a number for everything that is computed over the queries. */
  readonly resolve: (pipeline: Pipeline, work: WorkOptions) => Promise<Pipeline>;
  readonly progress: ExperimentProgress;
  readonly signal: AbortSignal | undefined;
  readonly onRequest?: WorkOptions['onRequest'];
  /** Questions without an answer. */
  readonly unanswerable: readonly Query[];
  /** Set if its rerankers share a budget. */
  readonly divided?: DividedBudget | undefined;
}

/**
 * @returns with the error instead of rankings if every question failed; other pipelines still run
 * @throws ParallaxError `cancelled`
 */
export async function runPipeline(
  named: NamedPipeline,
  queries: readonly Query[],
  options: RunOptions,
): Promise<PipelineRuns> {
  const { signal } = options;
  try {
    return await new Runner(named, options).run(queries);
  } catch (error) {
    throwIfCancelled(signal);
    // The corpus was closed during the run.
    if (ParallaxError.is(error, 'cancelled')) throw error;
    const nothing = {
      questions: new Map(),
      scores: new Map(),
      queryErrors: [],
      search: 'exact',
      times: new Map(),
    } as const;
    return {
      ...named,
      resolved: named.pipeline,
      ...nothing,
      searchErrors: [],
      error: asParallaxError(error),
    };
  }
}

/** The number of questions after which a retriever of the user's own that has answered none counts as unreachable. */
const MAX_IN_VAIN = 3;

interface Found {
  readonly found: ReadonlyMap<string, FoundPassages>;
  readonly errors: readonly QueryError[];
}

class Runner {
  readonly #named: NamedPipeline;
  readonly #options: RunOptions;
  readonly #searchErrors: SearchErrors[number][] = [];
  readonly #cutShort = new Set<string>();

  constructor(named: NamedPipeline, options: RunOptions) {
    this.#named = named;
    this.#options = options;
  }

  async run(queries: readonly Query[]): Promise<PipelineRuns> {
    const { pipeline } = this.#named;
    const resolved = await this.#options.resolve(pipeline, this.#work);
    const asked = questions(queries);
    const { found, errors } = await this.#ask(resolved, asked);
    const search = leastSure([...found.values()].map((one) => one.search));
    const { exact, sides, groups } = askable(pipeline, this.#options.beyond);
    const cutShort = asked.map(({ id }) => id).filter((id) => this.#cutShort.has(id));
    return {
      ...this.#named,
      resolved,
      questions: slotsOf(found),
      scores: scoresOf(found),
      ...(await this.#unanswerable(resolved)),
      queryErrors: errors,
      searchErrors: this.#searchErrors,
      search,
      times: new Map([...found].map(([id, { milliseconds }]) => [id, milliseconds])),
      short: shortfallsOf([...found.values()]),
      certainty: certaintiesOf([...found.values()], this.#options.k),
      ...(exact && search !== 'exact' && canSearchExactly(resolved)
        ? { exact: await this.#exact(resolved, asked) }
        : {}),
      ...(sides ? await this.#sides(resolved, queries) : {}),
      ...(groups ? await this.#perspectives(resolved, queries) : {}),
      ...(cutShort.length > 0 ? { cutShort } : {}),
    };
  }

  /** If one fails, as with a step that needs perspectives, the share that finds passages is unknown. */
  async #unanswerable(pipeline: Pipeline): Promise<Pick<PipelineRuns, 'unanswerable'>> {
    const { unanswerable } = this.#options;
    if (unanswerable.length === 0) return {};
    const asked = questions(unanswerable);
    const found = scoresOf(await this.#found('unanswerable', pipeline, asked));
    return found.size < asked.length ? {} : { unanswerable: found };
  }

  async #exact(pipeline: Pipeline, asked: readonly Asked[]): Promise<SlotRun> {
    this.#options.progress.expect(asked.length);
    return this.#slots('exact', withExactSearch(pipeline), asked);
  }

  async #sides(pipeline: Pipeline, queries: readonly Query[]): Promise<Pick<PipelineRuns, 'sides'>> {
    const supporting = askedFromSide(queries, 'support');
    if (supporting.length === 0) return {};
    const support = await this.#slots('support', pipeline, supporting);
    const oppose = await this.#slots('oppose', pipeline, askedFromSide(queries, 'oppose'));
    return { sides: { support, oppose } };
  }

  async #perspectives(
    pipeline: Pipeline,
    queries: readonly Query[],
  ): Promise<Pick<PipelineRuns, 'perspectives'>> {
    const grouped = groupedPerspectives(queries);
    if (grouped.length === 0) return {};
    const full = await this.#slots('perspective', pipeline, askedFromPerspectives(grouped, pipeline));
    const roots = askedWithoutPerspective(grouped);
    const root = await this.#slots('root', withoutGivenPerspectives(pipeline), roots);
    return { perspectives: { full, root } };
  }

  /** A further search that fails finds nothing, like a question that fails. */
  async #slots(search: FurtherSearch, pipeline: Pipeline, asked: readonly Asked[]): Promise<SlotRun> {
    return slotsOf(await this.#found(search, pipeline, asked));
  }

  async #found(search: FurtherSearch, pipeline: Pipeline, asked: readonly Asked[]): Promise<Found['found']> {
    try {
      const { found, errors } = await this.#ask(pipeline, asked);
      this.#searchErrors.push(...errors.map((error) => ({ ...error, search })));
      return found;
    } catch (error) {
      if (!isOfOneQuery(error)) throw error;
      // The sentence of the error names the query that failed, but applies to all of them.
      const message = messageOf(error.cause ?? error);
      this.#searchErrors.push(...asked.map(({ id }) => ({ search, query: id, message })));
      return new Map();
    }
  }

  /** @throws what a search throws that does not concern one query only, or if every query failed */
  async #ask(pipeline: Pipeline, asked: readonly Asked[]): Promise<Found> {
    const { searches, progress, k, signal, divided } = this.#options;
    const { name } = this.#named;
    const search = await searches.prepare(pipeline, searchDepth(pipeline, k));
    const pace = new Pace(this.#work);
    const found = new Map<string, FoundPassages>();
    const errors = new Map<string, QueryError>();
    const ask = async (place: number): Promise<void> => {
      throwIfCancelled(signal);
      const { id, query } = asked[place]!;
      const isFirst = !found.has(id);
      try {
        found.set(id, await search(query, this.#work));
      } catch (error) {
        const named = inContext((sentence) => l10n.t`Question "${id}": ${sentence}`, error);
        errors.set(id, { query: id, message: messageOf(error) });
        const isVain =
          found.size === 0 &&
          (errors.size === asked.length ||
            (ParallaxError.is(error, 'retriever-failed') && errors.size === MAX_IN_VAIN));
        if (!isOfOneQuery(error) || isVain) throw named;
      }
      if (isFirst) progress.advance(name);
      if (pace.due) await pace.rest();
    };
    if (divided)
      for (const place of await divided.divide(asked.length, ask)) this.#cutShort.add(asked[place]!.id);
    else await runPool(asked.length, queriesAtOnce(pipeline), signal, ask);
    throwIfCancelled(signal);
    // In the order of the questions, whichever was answered first.
    const inOrder = <T>(byId: ReadonlyMap<string, T>): [string, T][] =>
      asked.flatMap(({ id }): [string, T][] => (byId.has(id) ? [[id, byId.get(id)!]] : []));
    return { found: new Map(inOrder(found)), errors: inOrder(errors).map(([, error]) => error) };
  }

  /** Embedding a corpus for the first time takes longer than all questions together. */
  get #work(): WorkOptions {
    const { progress, signal, onRequest } = this.#options;
    return { signal, onRequest, onProgress: ({ detail }) => progress.report(detail ?? this.#named.name) };
  }
}

function scoresOf(found: ReadonlyMap<string, FoundPassages>): ScoreRun {
  return new Map([...found].map(([id, { scores }]) => [id, scores]));
}

function slotsOf(found: ReadonlyMap<string, FoundPassages>): SlotRun {
  return new Map([...found].map(([id, { slots }]) => [id, slots]));
}
