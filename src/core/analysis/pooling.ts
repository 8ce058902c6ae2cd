/**
 * Holes, and whether the pool of pipelines that was judged is saturated: would one more pipeline bring to
 * light support that nobody has judged yet? (DREAM, sections 4.2 and 4.3, appendix H.)
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import { supports, type TopicJudgements } from '../metrics/judgements.ts';
import type { Qrels, Run } from '../model.ts';
import { mean } from '../statistics/mean.ts';
import type { Random } from '../statistics/random.ts';

export interface PoolOptions {
  /** How deep each pipeline's ranking was judged. */
  readonly depth: number;
  readonly random: Random;
  /** Figures are averaged over this many random orders of the pipelines. */
  readonly orders?: number | undefined;
}

/** Figures of a pool that grows from one pipeline to all of them; index 0 is the first pipeline. */
export interface PoolGrowth {
  /** Mean number of holes (pairs of passage and perspective) that m pipelines have found. `[pipelines]` */
  readonly holes: readonly number[];
  /**
   * Mean GR(m) = (|H_m| − |H_{m−1}|)/|H_{m−1}| over the orders in which it is defined; undefined while no hole is
   * known. `[pipelines]`
   */
  readonly growthRate: readonly (number | undefined)[];
}

/** Passages of one query's pool that are newly known to support a perspective, as `passage perspective` keys. */
type Holes = ReadonlySet<string>;

const DEFAULT_ORDERS = 10;

/**
 * Hole@k: share of the top k that supports a perspective only according to the filled judgements. Averaged over
 * the topics of `filled`; divided by k, as Precision.
 *
 * @param original what was judged before holes were filled
 * @param filled the same with the later judgements
 */
export function holeAtK(run: Run, original: Qrels, filled: Qrels, k: number): number {
  if (!(k >= 1)) throw new ParallaxError('bad-argument', l10n.t`Hole@k needs k of at least 1, not ${k}.`);
  const perTopic = [...filled].map(([topic, judgements]) => {
    const top = (run.get(topic) ?? []).slice(0, k);
    const before = original.get(topic);
    const holes = top.filter(
      ({ item }) => supportsAny(judgements, item) && !(before && supportsAny(before, item)),
    );
    return holes.length / k;
  });
  return mean(perTopic);
}

/** How many holes are found as pipelines are added to the pool. @throws ParallaxError `bad-argument` */
export function poolGrowth(
  runs: readonly Run[],
  original: Qrels,
  filled: Qrels,
  { depth, random, orders = DEFAULT_ORDERS }: PoolOptions,
): PoolGrowth {
  checkPool(runs, depth, orders);
  const found = runs.map((run) => holesOf(run, original, filled, depth));
  const counts = Array.from({ length: orders }, () => {
    const pool = new Set<string>();
    return shuffled(found, random).map((holes) => {
      for (const hole of holes) pool.add(hole);
      return pool.size;
    });
  });
  return {
    holes: runs.map((_, m) => mean(counts.map((sizes) => sizes[m]!))),
    growthRate: runs.map((_, m) => {
      const rates = counts.flatMap((sizes) => {
        const before = m === 0 ? 0 : sizes[m - 1]!;
        return before === 0 ? [] : [(sizes[m]! - before) / before];
      });
      return rates.length === 0 ? undefined : mean(rates);
    }),
  };
}

/** Of one ranking: which share of it counts, given which passages have been judged. */
export type PoolMeasure = 'MRecall' | 'Precision';

/**
 * Marginal contribution: by how much a pipeline's figure changes when its own passages are judged too, instead of
 * only those of m other pipelines. Near zero means that the judgements are fair to a pipeline that was not in the
 * pool. Averaged over pipelines and random orders.
 *
 * @returns `[pipelines]`, for pools of 0 to n − 1 other pipelines
 * @throws ParallaxError `bad-argument` without pipelines, or for a depth or a number of orders below 1
 */
export function marginalContribution(
  runs: readonly Run[],
  original: Qrels,
  filled: Qrels,
  { measure, k }: { readonly measure: PoolMeasure; readonly k: number },
  { depth, random, orders = DEFAULT_ORDERS }: PoolOptions,
): number[] {
  checkPool(runs, depth, orders);
  const tops = runs.map((run) => topSets(run, filled, depth));
  const answers = runs.map((run) => answersOf(run, original, filled, k));
  const sums = new Float64Array(runs.length);
  for (let order = 0; order < orders; order++)
    for (const [target, own] of answers.entries()) {
      const others = shuffled(
        tops.filter((_, index) => index !== target),
        random,
      );
      const entries = own.map((answer) => entryOf(answer, others));
      const figureOf = (pool: number): number =>
        mean(own.map((answer, index) => figure(answer, entries[index]!, pool, { measure, k })));
      const complete = figureOf(Number.POSITIVE_INFINITY);
      for (let m = 0; m < runs.length; m++) sums[m]! += Math.abs(complete - figureOf(m));
    }
  return Array.from(sums, (sum) => sum / (orders * runs.length));
}

export interface RankChange {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  /** From 1; equal figures share the better rank. */
  readonly rankBefore: number;
  readonly rankAfter: number;
}

/** How the order of pipelines changed when holes were filled (DREAM, Figure 4); in the given order. */
export function rankChanges(
  pipelines: readonly { readonly name: string; readonly before: number; readonly after: number }[],
): RankChange[] {
  const rank = (value: number, all: readonly number[]): number =>
    1 + all.filter((other) => other > value).length;
  const before = pipelines.map((pipeline) => pipeline.before);
  const after = pipelines.map((pipeline) => pipeline.after);
  return pipelines.map((pipeline) => ({
    ...pipeline,
    rankBefore: rank(pipeline.before, before),
    rankAfter: rank(pipeline.after, after),
  }));
}

/** The top k of one query as far as it supports anything. */
interface Answer {
  readonly topic: string;
  readonly perspectives: number;
  readonly passages: readonly {
    readonly id: string;
    /** Indexes of the perspectives that it supports. */
    readonly supported: readonly number[];
    /** Those of them that were judged before any pool. */
    readonly original: readonly number[];
  }[];
}

function answersOf(run: Run, original: Qrels, filled: Qrels, k: number): Answer[] {
  return [...filled].map(([topic, judgements]) => {
    const ids = [...judgements.keys()];
    const passages = (run.get(topic) ?? []).slice(0, k).flatMap(({ item }) => {
      const supported = ids.flatMap((id, index) => (supports(judgements.get(id)!.get(item)) ? [index] : []));
      const before = supported.filter((index) => original.get(topic)?.get(ids[index]!)?.has(item) === true);
      return supported.length === 0 ? [] : [{ id: item, supported, original: before }];
    });
    return { topic, perspectives: ids.length, passages };
  });
}

/** Per passage: how many of the other pipelines have to be in the pool for it to be judged. */
function entryOf(
  { topic, passages }: Answer,
  others: readonly ReadonlyMap<string, ReadonlySet<string>>[],
): number[] {
  return passages.map(({ id }) => {
    const first = others.findIndex((top) => top.get(topic)?.has(id) === true);
    return first < 0 ? Number.POSITIVE_INFINITY : first + 1;
  });
}

/** @param entry as of {@link entryOf} @param pool how many of the other pipelines are in it; all is judged at infinity */
function figure(
  { passages, perspectives }: Answer,
  entry: readonly number[],
  pool: number,
  { measure, k }: { readonly measure: PoolMeasure; readonly k: number },
): number {
  const known = passages.map(({ supported, original }, index) =>
    entry[index]! <= pool ? supported : original,
  );
  if (measure === 'Precision') return known.filter((supported) => supported.length > 0).length / k;
  return new Set(known.flat()).size >= Math.min(k, perspectives) ? 1 : 0;
}

function holesOf(run: Run, original: Qrels, filled: Qrels, depth: number): Holes {
  const holes = new Set<string>();
  for (const [topic, judgements] of filled)
    for (const { item } of (run.get(topic) ?? []).slice(0, depth))
      for (const [perspective, judged] of judgements)
        if (supports(judged.get(item)) && !supports(original.get(topic)?.get(perspective)?.get(item)))
          holes.add(JSON.stringify([topic, perspective, item]));
  return holes;
}

function topSets(run: Run, qrels: Qrels, depth: number): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    [...qrels.keys()].map((topic) => [
      topic,
      new Set((run.get(topic) ?? []).slice(0, depth).map(({ item }) => item)),
    ]),
  );
}

function supportsAny(judgements: TopicJudgements, passage: string): boolean {
  return [...judgements.values()].some((judged) => supports(judged.get(passage)));
}

/** Fisher and Yates. */
function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}

function checkPool(runs: readonly Run[], depth: number, orders: number): void {
  if (runs.length === 0)
    throw new ParallaxError('bad-argument', l10n.t('A pool needs at least one pipeline.'));
  if (!(depth >= 1) || !(orders >= 1))
    throw new ParallaxError(
      'bad-argument',
      l10n.t`A pool needs a depth and a number of orders of at least 1, not ${depth} and ${orders}.`,
    );
}
