/** Figures of a captured retrieval: the usual measures over the passages that the program received. */
import { coverageOf } from '../../../core/coverage.ts';
import { coverageMetricsSchema } from '../../../core/coverage-states.ts';
import { exactly, measuredSchema, meanOf, type Measured } from '../../../core/measured.ts';
import type { Verdict } from '../../../core/model.ts';
import type { Read } from '../../../core/read.ts';

/** A captured retrieval with its judgements. */
export interface JudgedRun {
  /** Ids of the query's perspectives. */
  readonly perspectives: readonly string[];
  /** Distinct passages, best first, with their judged perspectives. Other pairs are unjudged. */
  readonly passages: readonly {
    readonly id: string;
    readonly judged: readonly { readonly perspectiveId: string; readonly verdict: Verdict }[];
  }[];
}

export const runFiguresSchema = coverageMetricsSchema
  .omit({ unsurePairs: true })
  .extend({ mrecall: measuredSchema, precision: measuredSchema });
export type RunFigures = Read<typeof runFiguresSchema>;

const NOTHING_RETRIEVED: RunFigures = {
  k: 0,
  mrecall: exactly(0),
  precision: exactly(0),
  covered: exactly(0),
  judgedPairs: 0,
  pairs: 0,
};

/**
 * MRecall@k and Precision@k of one captured retrieval (BERDS, section 4). Both are 0 if nothing was retrieved.
 *
 * @param k the number of passages that count: those returned, or those requested
 * @returns `undefined` without perspectives
 */
export function runFigures({ perspectives, passages }: JudgedRun, k: number): RunFigures | undefined {
  if (perspectives.length === 0) return undefined;
  if (k === 0) return NOTHING_RETRIEVED;
  const byId = new Map(passages.map(({ id, judged }) => [id, judged]));
  const { metrics } = coverageOf({
    perspectives,
    ranking: passages.map(({ id }) => id),
    k,
    verdictOf: (passageId, perspective) =>
      byId.get(passageId)?.find(({ perspectiveId }) => perspectiveId === perspective)?.verdict,
    knownSupport: new Map(),
  });
  const { mrecall = exactly(0), precision = exactly(0), covered, judgedPairs, pairs } = metrics;
  return { k, mrecall, precision, covered, judgedPairs, pairs };
}

/** Means over several retrievals, each at its own k. */
export interface MeanFigures {
  readonly runs: number;
  readonly k: { readonly least: number; readonly most: number };
  readonly mrecall: Measured;
  readonly precision: Measured;
  /** Share of the pairs within the top k that have a verdict. 0 if there are none. */
  readonly judged: number;
}

/** @returns `undefined` without retrievals */
export function meanFigures(figures: readonly RunFigures[]): MeanFigures | undefined {
  if (figures.length === 0) return undefined;
  const sum = (of: (each: RunFigures) => number): number =>
    figures.reduce((total, each) => total + of(each), 0);
  const depths = figures.map(({ k }) => k);
  return {
    runs: figures.length,
    k: { least: Math.min(...depths), most: Math.max(...depths) },
    mrecall: meanOf(figures.map(({ mrecall }) => mrecall)),
    precision: meanOf(figures.map(({ precision }) => precision)),
    judged:
      sum(({ judgedPairs }) => judgedPairs) /
      Math.max(
        1,
        sum(({ pairs }) => pairs),
      ),
  };
}
