/**
 * Figures of one pipeline on the queries of one eval set, with intervals that show how far other queries could move
 * them.
 */
import * as z from 'zod';
import type { Read } from '../read.ts';
import { intervalsWithin } from '../statistics/bootstrap.ts';
import { seededRandom } from '../statistics/random.ts';
import { SHARE } from './measure-definition.ts';
import { definitionNamed } from './measures.ts';

/** Fixed, so that the same evaluation always has the same intervals. */
const SEED = 20_260_101;

export const figureSchema = z.object({
  /** Mean over the queries. */
  value: z.number(),
  /** 95% interval of a bootstrap over the queries. With too few queries, the whole range of the mean. */
  low: z.number(),
  high: z.number(),
});
export type Figure = Read<typeof figureSchema>;

interface Measured {
  readonly metrics: Readonly<Record<string, number>>;
  readonly queries: readonly { readonly metrics: Readonly<Record<string, number>> }[];
}

/** @returns by the name of the measure, in the order of `metrics` */
export function figuresOf({ metrics, queries }: Measured): Record<string, Figure> {
  const names = Object.keys(metrics);
  const values = names.map((name) => queries.map((query) => query.metrics[name] ?? 0));
  const ranges = names.map((name) => definitionNamed(name)?.range ?? SHARE);
  const intervals = intervalsWithin(values, ranges, { random: seededRandom(SEED) });
  return Object.fromEntries(
    names.map((name, place) => {
      const { low, high } = intervals[place]!;
      return [name, { value: metrics[name]!, low, high }];
    }),
  );
}

/** Values of one query, indexed by pipeline. */
interface Compared {
  readonly mrecall: readonly number[];
  readonly precision: readonly number[];
}

/**
 * Intervals for the means of one pipeline of a comparison.
 *
 * @returns 95% intervals, by the name of each measure that a comparison has per query
 */
export function meanIntervals(
  queries: readonly Compared[],
  place: number,
  k: number,
): Record<string, Pick<Figure, 'low' | 'high'>> {
  const names = [`MRecall@${k}`, `Precision@${k}`] as const;
  const perQuery = queries.map(({ mrecall, precision }) => ({
    metrics: { [names[0]]: mrecall[place] ?? 0, [names[1]]: precision[place] ?? 0 },
  }));
  const figures = figuresOf({
    metrics: Object.fromEntries(names.map((name) => [name, 0])),
    queries: perQuery,
  });
  return Object.fromEntries(Object.entries(figures).map(([name, { low, high }]) => [name, { low, high }]));
}
