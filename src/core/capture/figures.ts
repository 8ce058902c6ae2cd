/**
 * Figures of a captured retrieval: the same measures as everywhere, over the passages that the program
 * received.
 */
import * as z from 'zod';
import { coverageOf } from '../coverage.ts';
import { coverageMetricsSchema } from '../coverage-states.ts';
import { parseMeasure } from '../metrics/measures.ts';
import type { TopicJudgements } from '../metrics/judgements.ts';
import { boundsOf } from '../metrics/unjudged.ts';
import type { Verdict } from '../model.ts';
import type { Read } from '../read.ts';

/** A captured retrieval as far as it is judged. */
export interface JudgedRun {
  /** Ids of the query's perspectives. */
  readonly perspectives: readonly string[];
  /** Distinct passages, best first, with the perspectives that they are judged for; others are unjudged. */
  readonly passages: readonly {
    readonly id: string;
    readonly judged: readonly { readonly perspectiveId: string; readonly verdict: Verdict }[];
  }[];
}

const both = z.object({ mrecall: z.number(), precision: z.number() });

export const runFiguresSchema = coverageMetricsSchema.omit({ unsurePairs: true }).extend({
  ...both.shape,
  /** Both, if all that is unjudged supported. */
  ifAllSupport: both,
});
export type RunFigures = Read<typeof runFiguresSchema>;

const NOTHING_RETRIEVED: RunFigures = {
  k: 0,
  mrecall: 0,
  precision: 0,
  ifAllSupport: { mrecall: 0, precision: 0 },
  covered: 0,
  judgedPairs: 0,
  pairs: 0,
};

/**
 * MRecall@k and Precision@k of one captured retrieval (BERDS, section 4). Where nothing was retrieved nothing is
 * covered, so that both are 0.
 *
 * @param k how many passages count: those that came back, or those that the call asks for
 * @returns nothing without perspectives
 */
export function runFigures({ perspectives, passages }: JudgedRun, k: number): RunFigures | undefined {
  if (perspectives.length === 0) return undefined;
  if (k === 0) return NOTHING_RETRIEVED;
  const byId = new Map(passages.map(({ id, judged }) => [id, judged]));
  const { metrics } = coverageOf({
    perspectives,
    ranking: passages.map(({ id }) => id),
    k,
    verdictOf: (passageId, wanted) =>
      byId.get(passageId)?.find(({ perspectiveId }) => perspectiveId === wanted)?.verdict,
    knownSupport: new Map(),
  });
  const { mrecall = 0, precision = 0, covered, judgedPairs, pairs } = metrics;
  const ifAllSupport = { mrecall: mostOf('MRecall'), precision: mostOf('Precision') };
  return { k, mrecall, precision, ifAllSupport, covered, judgedPairs, pairs };

  function mostOf(family: string): number {
    const ranking = passages.map(({ id }) => id);
    return boundsOf(parseMeasure(`${family}@${k}`), ranking, judgementsOf({ perspectives, passages }), 'open')
      .high;
  }
}

function judgementsOf({ perspectives, passages }: JudgedRun): TopicJudgements {
  const judgements = new Map(perspectives.map((id) => [id, new Map<string, number>()]));
  for (const { id, judged } of passages)
    for (const { perspectiveId, verdict } of judged)
      judgements.get(perspectiveId)?.set(id, verdict === 'yes' ? 1 : 0);
  return judgements;
}

/** Means over several retrievals, each at its own k. */
export interface MeanFigures {
  readonly runs: number;
  readonly k: { readonly least: number; readonly most: number };
  readonly mrecall: number;
  readonly precision: number;
  /** Both, if all that is unjudged supported. */
  readonly ifAllSupport: { readonly mrecall: number; readonly precision: number };
  /** Share of the pairs within the top k that have a verdict; 0 where there are no pairs. */
  readonly judged: number;
}

/** @returns nothing for no retrievals */
export function meanFigures(figures: readonly RunFigures[]): MeanFigures | undefined {
  if (figures.length === 0) return undefined;
  const sum = (of: (each: RunFigures) => number): number =>
    figures.reduce((total, each) => total + of(each), 0);
  const depths = figures.map(({ k }) => k);
  return {
    runs: figures.length,
    k: { least: Math.min(...depths), most: Math.max(...depths) },
    mrecall: sum(({ mrecall }) => mrecall) / figures.length,
    precision: sum(({ precision }) => precision) / figures.length,
    ifAllSupport: {
      mrecall: sum(({ ifAllSupport }) => ifAllSupport.mrecall) / figures.length,
      precision: sum(({ ifAllSupport }) => ifAllSupport.precision) / figures.length,
    },
    judged:
      sum(({ judgedPairs }) => judgedPairs) /
      Math.max(
        1,
        sum(({ pairs }) => pairs),
      ),
  };
}
