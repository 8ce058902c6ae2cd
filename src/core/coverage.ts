/**
 * For one query: which perspectives the top k cover, and where the others are lost.
 */
import { coveredPerspectives, mRecall } from './metrics/coverage-measures.ts';
import type { TopicJudgements } from './metrics/judgements.ts';
import { relevanceOf, supports } from './metrics/judgements.ts';
import { precision } from './metrics/relevance-measures.ts';
import type { Verdict } from './model.ts';

export interface KnownSupport {
  readonly passageId: string;
  readonly path: string;
}

export interface CoverageInput {
  /** Ids of the query's perspectives. */
  readonly perspectives: readonly string[];
  /** Distinct candidate passage ids, best first: the top k and what was retrieved below. */
  readonly ranking: readonly string[];
  readonly k: number;
  /** Asked once per candidate and perspective; `undefined` is unjudged. */
  readonly verdictOf: (passageId: string, perspectiveId: string) => Verdict | undefined;
  /** Per perspective, passages anywhere in the corpus that are known to support it. */
  readonly knownSupport: ReadonlyMap<string, readonly KnownSupport[]>;
}

/** Where a perspective is lost, or the rank (from 1) at which it first appears within k. */
export type PerspectiveCoverage =
  | { readonly where: 'covered'; readonly perspectiveId: string; readonly rank: number }
  /** A supporting passage was retrieved, below k. */
  | {
      readonly where: 'below-k';
      readonly perspectiveId: string;
      readonly rank: number;
      readonly passageId: string;
    }
  /** The corpus holds a supporting passage, but it is not among the candidates. */
  | {
      readonly where: 'not-retrieved';
      readonly perspectiveId: string;
      readonly passageId: string;
      readonly path: string;
      readonly candidates: number;
    }
  /** No known passage supports it, and this many of the top k are unjudged for it. */
  | { readonly where: 'unjudged'; readonly perspectiveId: string; readonly unjudged: number }
  /** No known passage supports it, although the whole top k and this many candidates were judged for it. */
  | { readonly where: 'not-in-corpus'; readonly perspectiveId: string; readonly judged: number };

export interface CoverageMetrics {
  readonly k: number;
  /** 0 or 1; absent without perspectives. */
  readonly mrecall?: number;
  /** In [0, 1], divided by k; absent without perspectives. */
  readonly precision?: number;
  /** How many perspectives the top k cover. */
  readonly covered: number;
  /** Pairs of a passage in the top k and a perspective that have a verdict; "unsure" is one. */
  readonly judgedPairs: number;
  readonly pairs: number;
}

export interface QueryCoverage {
  /** One per perspective, in the given order. */
  readonly perspectives: readonly PerspectiveCoverage[];
  readonly metrics: CoverageMetrics;
}

/** "Unsure" counts as judged, but not as support. */
export function coverageOf(input: CoverageInput): QueryCoverage {
  const judgements = judgementsOf(input);
  return {
    perspectives: input.perspectives.map((perspectiveId) => locate(perspectiveId, judgements, input)),
    metrics: metricsOf(judgements, input),
  };
}

function judgementsOf({ perspectives, ranking, verdictOf }: CoverageInput): TopicJudgements {
  return new Map(
    perspectives.map((perspectiveId) => {
      const judged = new Map<string, number>();
      for (const passageId of ranking) {
        const verdict = verdictOf(passageId, perspectiveId);
        if (verdict !== undefined) judged.set(passageId, verdict === 'yes' ? 1 : 0);
      }
      return [perspectiveId, judged];
    }),
  );
}

function locate(
  perspectiveId: string,
  judgements: TopicJudgements,
  { ranking, k, knownSupport }: CoverageInput,
): PerspectiveCoverage {
  const judged = judgements.get(perspectiveId)!;
  const index = ranking.findIndex((passageId) => supports(judged.get(passageId)));
  if (index >= 0) {
    const rank = index + 1;
    return rank <= k
      ? { where: 'covered', perspectiveId, rank }
      : { where: 'below-k', perspectiveId, rank, passageId: ranking[index]! };
  }

  const candidates = new Set(ranking);
  const elsewhere = knownSupport.get(perspectiveId)?.find(({ passageId }) => !candidates.has(passageId));
  if (elsewhere) {
    const { passageId, path } = elsewhere;
    return { where: 'not-retrieved', perspectiveId, passageId, path, candidates: ranking.length };
  }

  const unjudged = ranking.slice(0, k).filter((passageId) => !judged.has(passageId)).length;
  // With nothing retrieved nothing was judged, and nothing can be said about the corpus.
  return unjudged > 0 || ranking.length === 0
    ? { where: 'unjudged', perspectiveId, unjudged }
    : { where: 'not-in-corpus', perspectiveId, judged: judged.size };
}

function metricsOf(
  judgements: TopicJudgements,
  { perspectives, ranking, k }: CoverageInput,
): CoverageMetrics {
  const top = ranking.slice(0, k);
  const judgedPairs = [...judgements.values()].reduce(
    (sum, judged) => sum + top.filter((passageId) => judged.has(passageId)).length,
    0,
  );
  return {
    k,
    ...(perspectives.length > 0 && {
      mrecall: mRecall(ranking, judgements, k),
      precision: precision(ranking, relevanceOf(judgements), k),
    }),
    covered: coveredPerspectives(ranking, judgements, k).length,
    judgedPairs,
    pairs: top.length * perspectives.length,
  };
}
