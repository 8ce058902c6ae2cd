/** Figures of one pipeline on one eval set, with how far other queries of the kind could move them. */
import { bootstrapIntervals } from '../statistics/bootstrap.ts';
import { seededRandom } from '../statistics/random.ts';

/** Fixed, so that the same evaluation always has the same intervals. */
const SEED = 20_260_101;

export interface Figure {
  /** Mean over the queries. */
  readonly value: number;
  /** 95% interval of a bootstrap over the queries. */
  readonly low: number;
  readonly high: number;
}

interface Measured {
  readonly metrics: Readonly<Record<string, number>>;
  readonly queries: readonly { readonly metrics: Readonly<Record<string, number>> }[];
}

/** @returns by the name of the measure, in the order of `metrics` */
export function figuresOf({ metrics, queries }: Measured): Record<string, Figure> {
  const names = Object.keys(metrics);
  const values = names.map((name) => queries.map((query) => query.metrics[name] ?? 0));
  const intervals = bootstrapIntervals(values, { random: seededRandom(SEED) });
  return Object.fromEntries(
    names.map((name, place) => {
      const { low, high } = intervals[place]!;
      return [name, { value: metrics[name]!, low, high }];
    }),
  );
}
