/** The noise that an inconsistent judge adds to a figure, from repeated judgements of the same rankings. */
import * as z from 'zod';
import type { Read } from '../read.ts';
import { intervalsWithin } from '../statistics/bootstrap.ts';
import { mean } from '../statistics/mean.ts';
import { studentReach } from '../statistics/student.ts';
import { seededRandom } from '../statistics/random.ts';
import { parseMeasure } from './measures.ts';

const count = z.number().int();
const range = z.object({ low: z.number(), high: z.number() });

/** One figure, or one difference between two pipelines, over the repeats. */
const repeatedFigureSchema = z.object({
  /** The mean over the queries, in each repeat. */
  values: z.array(z.number()).readonly(),
  mean: z.number(),
  /** The number of queries whose value differs between repeats. */
  changed: count,
  /** 95% interval for the mean of infinitely many repeats on exactly these queries. Only includes the judge's noise. */
  theseQueries: range,
  /** 95% interval for similar queries, from resampled queries with their means over the repeats. */
  otherQueries: range,
});
export type RepeatedFigure = Read<typeof repeatedFigureSchema>;

const figures = z.record(z.string(), repeatedFigureSchema);

/** The same rankings, judged several times by a judge that may answer differently each time. */
export const repeatsSchema = z.object({
  /** Repeats in which everything was judged. Only these count. */
  complete: count,
  /** The requested number. */
  wanted: count,
  /** Pairs that were judged in all repeats, and those on which the judge contradicts itself. */
  pairs: count,
  contradicted: count,
  /** By pipeline and measure. Empty for fewer than two complete repeats. */
  pipelines: z
    .array(
      z.object({
        name: z.string(),
        figures,
        /**
         * Differences to the pipeline that others are compared with, paired by query and repeat. `undefined` for that
         * pipeline.
         */
        differences: figures.optional(),
        /** Queries with a figure that changes, and its value in each repeat, by measure. */
        changes: z
          .array(
            z.object({ query: z.string(), values: z.record(z.string(), z.array(z.number()).readonly()) }),
          )
          .readonly(),
      }),
    )
    .readonly(),
});
export type RepeatsReport = Read<typeof repeatsSchema>;

/** Measures that are 0 or 1 for a query. */
const ALL_OR_NOTHING: readonly string[] = ['MRecall', 'Success'];
/** Fixed, so that the same values give the same interval. */
const SEED = 1;

/**
 * The interval for these queries assumes that flips of different queries are independent. One pseudo-query that flips
 * by the measure's smallest step widens it if few queries or none flipped. With it the interval covers the truth in 94
 * to 100% of simulated runs with 12 to 100 queries and 2 to 5 repeats, without it in as few as 66%.
 *
 * @param measure name of the measure
 * @param perQuery `[n, repeats]` values in [0, 1], or differences of such; at least one query and two repeats
 * @param least -1 for differences
 */
export function repeatedFigure(
  measure: string,
  perQuery: readonly (readonly number[])[],
  least: 0 | -1 = 0,
): RepeatedFigure {
  const queries = perQuery.length;
  const repeats = perQuery[0]!.length;
  const means = perQuery.map(mean);
  const average = mean(means);
  const step = stepOf(measure);
  const squares = perQuery.reduce(
    (sum, values, place) => sum + varianceOf(values, means[place]!),
    (step * step) / 2,
  );
  const half = (studentReach(queries * (repeats - 1)) * Math.sqrt(squares / repeats)) / queries;
  const [interval] = intervalsWithin([means], [[least, 1]], { random: seededRandom(SEED) });
  return {
    values: perQuery[0]!.map((_, repeat) => mean(perQuery.map((values) => values[repeat]!))),
    mean: average,
    changed: perQuery.filter((values) => values.some((value) => value !== values[0])).length,
    theseQueries: { low: Math.max(least, average - half), high: Math.min(1, average + half) },
    otherQueries: { low: interval!.low, high: interval!.high },
  };
}

function varianceOf(values: readonly number[], average: number): number {
  return values.reduce((sum, value) => sum + (value - average) ** 2, 0) / (values.length - 1);
}

/** The change of a query's figure by one verdict. */
function stepOf(measure: string): number {
  const { family, k } = parseMeasure(measure);
  return ALL_OR_NOTHING.includes(family) ? 1 : 1 / (k ?? 1);
}
