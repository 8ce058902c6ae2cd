/** Runs one pipeline on everything that a comparison asks of it. */
import { CURVE_DEPTH } from '../../core/analysis/coverage-curve.ts';
import { messageOf, ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import type { Query } from '../../core/model.ts';
import { leastSure, type Pipeline, type SearchKind } from '../../core/pipeline.ts';
import { mean } from '../../core/statistics/mean.ts';
import { Pace } from '../concurrency/pace.ts';
import type { Slot, WorkOptions } from '../types.ts';
import type { CachedSearches } from './cached-searches.ts';
import {
  askedFromPerspectives,
  askedFromSide,
  askedWithoutPerspective,
  groupedPerspectives,
  questions,
  type Asked,
} from './questions.ts';
import { CompareProgress } from '../comparing/compare-progress.ts';
import {
  canSearchExactly,
  dependsOnWriting,
  needsOf,
  withExactSearch,
  withoutGivenPerspectives,
} from '../../core/pipeline-needs.ts';
import type { FoundPassages } from './search-cache.ts';

/** Slots by the id under which they were asked for, best first. */
export type SlotRun = ReadonlyMap<string, readonly Slot[]>;

export interface PipelineRuns {
  /** By query id. */
  readonly questions: SlotRun;
  /** By query id, where a part of the search was approximate: what an exact search finds. */
  readonly exact?: SlotRun;
  /** By the ids of two-sided queries; absent where there are none. */
  readonly sides?: { readonly support: SlotRun; readonly oppose: SlotRun };
  /** By the ids of grouped perspectives; and the roots alone, by query id. */
  readonly perspectives?: { readonly full: SlotRun; readonly root: SlotRun };
  readonly search: SearchKind;
  /** Mean over the questions, each timed when its search was made. */
  readonly milliseconds: number;
  /** It could not be run: why. There are no rankings then. */
  readonly error?: string;
}

export interface NamedPipeline {
  readonly name: string;
  readonly pipeline: Pipeline;
}

/** Deep enough for coverage curves and set sizes. */
export function depthFor(k: number): number {
  return Math.max(CURVE_DEPTH, k);
}

/** How many searches {@link runPipeline} will make, as far as can be said before. */
export function plannedSearches(pipeline: Pipeline, queries: readonly Query[]): number {
  if (dependsOnWriting(needsOf(pipeline))) return queries.length;
  const grouped = groupedPerspectives(queries);
  return (
    queries.length +
    2 * askedFromSide(queries, 'support').length +
    grouped.length +
    askedWithoutPerspective(grouped).length
  );
}

/**
 * Runs the questions, and what the analyses ask beyond them. Those are left out for a pipeline that has
 * something written for each text: it would have to be paid for again, or is not in its file.
 *
 * @returns with the error in place of rankings where it cannot be run: others are compared all the same
 * @throws ParallaxError `cancelled`
 */
export async function runPipelineOn(
  { name, pipeline }: NamedPipeline,
  queries: readonly Query[],
  k: number,
  searches: CachedSearches,
  progress: CompareProgress,
  signal: AbortSignal | undefined,
): Promise<PipelineRuns> {
  const run = new Runner(searches, depthFor(k), progress, name, signal);
  try {
    const asked = questions(queries);
    const found = await run.all(pipeline, asked);
    const search = leastSure([...found.values()].map((one) => one.search));
    return {
      questions: slotsOf(found),
      search,
      milliseconds: mean([...found.values()].map(({ milliseconds }) => milliseconds)),
      ...(search !== 'exact' && canSearchExactly(pipeline)
        ? { exact: await run.exact(pipeline, asked) }
        : {}),
      ...(dependsOnWriting(needsOf(pipeline)) ? {} : await beyondQuestions(run, pipeline, queries)),
    };
  } catch (error) {
    throwIfCancelled(signal);
    // The corpus was closed under it.
    if (ParallaxError.is(error, 'cancelled')) throw error;
    return { questions: new Map(), search: 'exact', milliseconds: 0, error: messageOf(error) };
  }
}

/**
 * The questions alone, under each pipeline; the same searches as in a comparison, so that none is made twice.
 *
 * @returns one per pipeline, with the error in place of rankings for one that cannot be run
 * @throws ParallaxError `cancelled`
 */
export async function runQuestions(
  pipelines: readonly NamedPipeline[],
  queries: readonly Query[],
  k: number,
  searches: CachedSearches,
  signal: AbortSignal | undefined,
): Promise<PipelineRuns[]> {
  const runs: PipelineRuns[] = [];
  for (const { name, pipeline } of pipelines) {
    const run = new Runner(searches, depthFor(k), new CompareProgress(undefined), name, signal);
    const none = { questions: new Map<string, Slot[]>(), search: 'exact', milliseconds: 0 } as const;
    try {
      runs.push({ ...none, questions: await run.slots(pipeline, questions(queries)) });
    } catch (error) {
      throwIfCancelled(signal);
      if (!ParallaxError.is(error) || error.id === 'cancelled') throw error;
      runs.push({ ...none, error: error.message });
    }
  }
  return runs;
}

/** The top k of the pipelines that could be run, by query id. */
export function topOf(
  runs: readonly PipelineRuns[],
  queries: readonly Query[],
  k: number,
): Map<string, Slot[][]> {
  const ran = runs.filter(({ error }) => error === undefined);
  return new Map(
    queries.map(({ id }) => [id, ran.map(({ questions: own }) => own.get(id)?.slice(0, k) ?? [])]),
  );
}

async function beyondQuestions(
  run: Runner,
  pipeline: Pipeline,
  queries: readonly Query[],
): Promise<Pick<PipelineRuns, 'sides' | 'perspectives'>> {
  const supporting = askedFromSide(queries, 'support');
  const grouped = groupedPerspectives(queries);
  return {
    ...(supporting.length === 0
      ? {}
      : {
          sides: {
            support: await run.slots(pipeline, supporting),
            oppose: await run.slots(pipeline, askedFromSide(queries, 'oppose')),
          },
        }),
    ...(grouped.length === 0
      ? {}
      : {
          perspectives: {
            full: await run.slots(pipeline, askedFromPerspectives(grouped, pipeline)),
            root: await run.slots(withoutGivenPerspectives(pipeline), askedWithoutPerspective(grouped)),
          },
        }),
  };
}

class Runner {
  readonly #searches: CachedSearches;
  readonly #depth: number;
  readonly #progress: CompareProgress;
  readonly #name: string;
  readonly #signal: AbortSignal | undefined;

  constructor(
    searches: CachedSearches,
    depth: number,
    progress: CompareProgress,
    name: string,
    signal: AbortSignal | undefined,
  ) {
    this.#searches = searches;
    this.#depth = depth;
    this.#progress = progress;
    this.#name = name;
    this.#signal = signal;
  }

  async all(pipeline: Pipeline, asked: readonly Asked[]): Promise<Map<string, FoundPassages>> {
    const search = await this.#searches.prepare(pipeline, this.#depth);
    const work: WorkOptions = {
      signal: this.#signal,
      // Embedding a corpus for the first time takes longer than all questions together.
      onProgress: ({ detail }) => this.#progress.report(detail ?? this.#name),
    };
    const pace = new Pace(work);
    const found = new Map<string, FoundPassages>();
    for (const { id, query } of asked) {
      found.set(id, await search(query, work));
      this.#progress.advance(this.#name);
      if (pace.due) await pace.rest();
    }
    return found;
  }

  async slots(pipeline: Pipeline, asked: readonly Asked[]): Promise<SlotRun> {
    return slotsOf(await this.all(pipeline, asked));
  }

  exact(pipeline: Pipeline, asked: readonly Asked[]): Promise<SlotRun> {
    this.#progress.expect(asked.length);
    return this.slots(withExactSearch(pipeline), asked);
  }
}

function slotsOf(found: ReadonlyMap<string, FoundPassages>): SlotRun {
  return new Map([...found].map(([id, { slots }]) => [id, slots]));
}
