/**
 * Holes, and whether the judged pool of pipelines is saturated: would another pipeline find support that is not judged
 * yet? (DREAM, sections 4.2 and 4.3, appendix H.)
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import { supports, type TopicJudgements } from '../metrics/judgements.ts';
import type { Qrels, Run } from '../model.ts';
import { mean } from '../statistics/mean.ts';
import type { Random } from '../statistics/random.ts';

export interface PoolOptions {
  /** The depth to which each pipeline's ranking was judged. */
  readonly depth: number;
  readonly random: Random;
  /** The number of random orders of the pipelines to average over. */
  readonly orders?: number | undefined;
}

/** Figures of a pool that grows from one pipeline to all. Index 0 is one pipeline. */
export interface PoolGrowth {
  /** Mean number of holes (pairs of passage and perspective) that m pipelines have found. `[pipelines]` */
  readonly holes: readonly number[];
  /**
   * Mean GR(m) = (|H_m| − |H_{m−1}|)/|H_{m−1}| over the orders in which it is defined. `undefined` as long as there are
   * no holes. `[pipelines]`
   */
  readonly growthRate: readonly (number | undefined)[];
}

/** Passages of one query's pool with newly known support, as `passage perspective` keys. */
type Holes = ReadonlySet<string>;

const DEFAULT_ORDERS = 10;

/**
 * Hole@k: the share of the top k that supports a perspective only according to the filled judgements. Averaged over the
 * topics of `filled`, and divided by k like Precision.
 *
 * @param original judgements before holes were filled
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

/** The number of holes found as pipelines are added to the pool. @throws ParallaxError `bad-argument` */
export function poolGrowth(
  runs: readonly Run[],
  original: Qrels,
  filled: Qrels,
  { depth, random, orders = DEFAULT_ORDERS }: PoolOptions,
): PoolGrowth {
  checkPool(runs, depth, orders);
  const holesPerRun = runs.map((run) => holesOf(run, original, filled, depth));
  const counts = Array.from({ length: orders }, () => {
    const pool = new Set<string>();
    return shuffled(holesPerRun, random).map((holes) => {
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

/**
 * Measures of one ranking, given the judged passages. For Hit, Recall and nDCG (DREAM, Figure 3b), a passage that
 * supports any perspective is relevant. Recall and nDCG are relative to the relevant passages known to the same pool,
 * so they may fall as more is judged.
 */
export const POOL_MEASURES = ['MRecall', 'Precision', 'Hit', 'Recall', 'nDCG'] as const;
export type PoolMeasure = (typeof POOL_MEASURES)[number];

/**
 * Marginal contribution: how much a pipeline's figure changes if its own passages are judged as well as those of m
 * other pipelines. Near zero, the judgements are fair to pipelines outside the pool. Averaged over pipelines and random
 * orders.
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
    for (const [target, runAnswers] of answers.entries()) {
      const otherTops = shuffled(
        tops.filter((_, index) => index !== target),
        random,
      );
      const pools = runAnswers.map((answer) => growingPool(answer, otherTops, tops[target]!));
      const figureOf = (size: number, withOwn: boolean): number =>
        mean(
          runAnswers.map((answer, index) => figure(answer, pools[index]!, { size, withOwn }, { measure, k })),
        );
      for (let m = 0; m < runs.length; m++) sums[m]! += Math.abs(figureOf(m, true) - figureOf(m, false));
    }
  return Array.from(sums, (sum) => sum / (orders * runs.length));
}

export interface RankChange {
  readonly name: string;
  /** From 1. Equal figures share the better rank. `null` for a figure that is not compared. */
  readonly rankBefore: number | null;
  readonly rankAfter: number | null;
}

/**
 * How the order of pipelines changed when holes were filled (DREAM, Figure 4), in the given order. `null` figures are
 * not compared.
 */
export function rankChanges(
  pipelines: readonly {
    readonly name: string;
    readonly before: number | null;
    readonly after: number | null;
  }[],
): RankChange[] {
  const rank = (value: number | null, all: readonly (number | null)[]): number | null =>
    value === null ? null : 1 + all.filter((other) => other !== null && other > value).length;
  const before = pipelines.map((pipeline) => pipeline.before);
  const after = pipelines.map((pipeline) => pipeline.after);
  return pipelines.map((pipeline) => ({
    name: pipeline.name,
    rankBefore: rank(pipeline.before, before),
    rankAfter: rank(pipeline.after, after),
  }));
}

/** The supporting passages of one query's top k, and all its relevant passages. */
interface Answer {
  readonly topic: string;
  readonly perspectives: number;
  /** All passages that support any perspective, and whether that was known before pooling. */
  readonly relevant: ReadonlyMap<string, boolean>;
  readonly passages: readonly {
    readonly id: string;
    /** From 1. */
    readonly rank: number;
    /** Indices of the perspectives that it supports. */
    readonly supported: readonly number[];
    /** Those of them that were judged before pooling. */
    readonly original: readonly number[];
  }[];
}

function answersOf(run: Run, original: Qrels, filled: Qrels, k: number): Answer[] {
  return [...filled].map(([topic, judgements]) => {
    const ids = [...judgements.keys()];
    const relevant = relevantIn(judgements, original.get(topic));
    const passages = (run.get(topic) ?? []).slice(0, k).flatMap(({ item }, index) => {
      const supported = ids.flatMap((id, place) => (supports(judgements.get(id)!.get(item)) ? [place] : []));
      const before = supported.filter((place) => original.get(topic)?.get(ids[place]!)?.has(item) === true);
      return supported.length === 0 ? [] : [{ id: item, rank: index + 1, supported, original: before }];
    });
    return { topic, perspectives: ids.length, relevant, passages };
  });
}

function relevantIn(
  judgements: TopicJudgements,
  original: TopicJudgements | undefined,
): Map<string, boolean> {
  const relevant = new Map<string, boolean>();
  for (const [perspective, judged] of judgements)
    for (const [passage, relevance] of judged)
      if (supports(relevance))
        relevant.set(
          passage,
          relevant.get(passage) === true || original?.get(perspective)?.has(passage) === true,
        );
  return relevant;
}

/** The judged passages of one query in a pool that grows pipeline by pipeline. */
interface GrowingPool {
  /** For each passage of the answer, how many of the other pipelines must be in the pool for it to be judged. */
  readonly entries: readonly number[];
  /**
   * The number of relevant passages known to a pool, by its number of other pipelines, without and with the pipeline
   * itself.
   */
  readonly known: Readonly<Record<'others' | 'withOwn', readonly number[]>>;
}

function growingPool(
  { topic, passages, relevant }: Answer,
  otherTops: readonly ReadonlyMap<string, ReadonlySet<string>>[],
  ownTop: ReadonlyMap<string, ReadonlySet<string>>,
): GrowingPool {
  const entryOf = (id: string): number => {
    const first = otherTops.findIndex((top) => top.get(topic)?.has(id) === true);
    return first < 0 ? Number.POSITIVE_INFINITY : first + 1;
  };
  const entries = [...relevant].map(([id, wasKnown]) => (wasKnown ? 0 : entryOf(id)));
  const withOwn = [...relevant.keys()].map((id, index) => (ownTop.get(topic)?.has(id) ? 0 : entries[index]!));
  const counts = (entered: readonly number[]): number[] =>
    Array.from(
      { length: otherTops.length + 1 },
      (_, size) => entered.filter((entry) => entry <= size).length,
    );
  return {
    entries: passages.map(({ id }) => entryOf(id)),
    known: { others: counts(entries), withOwn: counts(withOwn) },
  };
}

/** @param size the number of other pipelines in the pool */
function figure(
  { passages, perspectives }: Answer,
  { entries, known }: GrowingPool,
  { size, withOwn }: { readonly size: number; readonly withOwn: boolean },
  { measure, k }: { readonly measure: PoolMeasure; readonly k: number },
): number {
  const judged = passages.map(({ rank, supported, original }, index) => ({
    rank,
    supported: withOwn || entries[index]! <= size ? supported : original,
  }));
  const supportingPassages = judged.filter(({ supported }) => supported.length > 0);
  const relevant = known[withOwn ? 'withOwn' : 'others'][size]!;
  switch (measure) {
    case 'MRecall':
      return new Set(judged.flatMap(({ supported }) => supported)).size >= Math.min(k, perspectives) ? 1 : 0;
    case 'Precision':
      return supportingPassages.length / k;
    case 'Hit':
      return supportingPassages.length > 0 ? 1 : 0;
    case 'Recall':
      return relevant === 0 ? 0 : supportingPassages.length / relevant;
    case 'nDCG':
      return relevant === 0
        ? 0
        : discounted(supportingPassages.map(({ rank }) => rank)) / idealOf(Math.min(k, relevant));
  }
}

/** Σ 1/log2(rank + 1) */
function discounted(ranks: readonly number[]): number {
  return ranks.reduce((sum, rank) => sum + 1 / Math.log2(rank + 1), 0);
}

function idealOf(count: number): number {
  return discounted(Array.from({ length: count }, (_, index) => index + 1));
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

/** Fisher–Yates shuffle. */
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
