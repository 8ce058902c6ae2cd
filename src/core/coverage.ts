/**
 * For one query: which perspectives the top k cover, and where the others are lost.
 */
import { coveredPerspectives, mRecall, precision } from './metrics/coverage-measures.ts';
import type { TopicJudgements } from './metrics/judgements.ts';
import { relevanceOf } from './metrics/judgements.ts';
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
  /**
   * No known passage supports it, although the whole top k and this many candidates were judged for it; of these
   * verdicts, `unsure` may still be decided.
   */
  | {
      readonly where: 'not-in-corpus';
      readonly perspectiveId: string;
      readonly judged: number;
      readonly unsure: number;
    };

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
  /** Those among them whose verdict is "unsure". */
  readonly unsurePairs: number;
  readonly pairs: number;
}

export interface QueryCoverage {
  /** One per perspective, in the given order. */
  readonly perspectives: readonly PerspectiveCoverage[];
  readonly metrics: CoverageMetrics;
}

/** "Unsure" counts as judged, but not as support. */
export function coverageOf(input: CoverageInput): QueryCoverage {
  const verdicts = verdictsOf(input);
  const judgements = judgementsOf(verdicts);
  return {
    perspectives: input.perspectives.map((id) => locate(id, verdicts.get(id)!, input)),
    metrics: metricsOf(verdicts, judgements, input),
  };
}

/** Verdicts on candidates, by perspective and passage. */
type Verdicts = ReadonlyMap<string, ReadonlyMap<string, Verdict>>;

function verdictsOf({ perspectives, ranking, verdictOf }: CoverageInput): Verdicts {
  return new Map(
    perspectives.map((perspectiveId) => {
      const known = new Map<string, Verdict>();
      for (const passageId of ranking) {
        const verdict = verdictOf(passageId, perspectiveId);
        if (verdict !== undefined) known.set(passageId, verdict);
      }
      return [perspectiveId, known];
    }),
  );
}

function judgementsOf(verdicts: Verdicts): TopicJudgements {
  const grade = (verdict: Verdict): number => (verdict === 'yes' ? 1 : 0);
  return new Map(
    [...verdicts].map(([perspectiveId, known]) => [
      perspectiveId,
      new Map([...known].map(([passageId, verdict]) => [passageId, grade(verdict)])),
    ]),
  );
}

function locate(
  perspectiveId: string,
  known: ReadonlyMap<string, Verdict>,
  { ranking, k, knownSupport }: CoverageInput,
): PerspectiveCoverage {
  const index = ranking.findIndex((passageId) => known.get(passageId) === 'yes');
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

  const unjudged = ranking.slice(0, k).filter((passageId) => !known.has(passageId)).length;
  // With nothing retrieved nothing was judged, and nothing can be said about the corpus.
  if (unjudged > 0 || ranking.length === 0) return { where: 'unjudged', perspectiveId, unjudged };
  return { where: 'not-in-corpus', perspectiveId, judged: known.size, unsure: count(known, 'unsure') };
}

function metricsOf(
  verdicts: Verdicts,
  judgements: TopicJudgements,
  { perspectives, ranking, k }: CoverageInput,
): CoverageMetrics {
  const top = ranking.slice(0, k);
  const given = [...verdicts.values()].flatMap((known) => top.flatMap((id) => known.get(id) ?? []));
  return {
    k,
    ...(perspectives.length > 0 && {
      mrecall: mRecall(ranking, judgements, k),
      precision: precision(ranking, relevanceOf(judgements), k),
    }),
    covered: coveredPerspectives(ranking, judgements, k).length,
    judgedPairs: given.length,
    unsurePairs: given.filter((verdict) => verdict === 'unsure').length,
    pairs: top.length * perspectives.length,
  };
}

function count(known: ReadonlyMap<string, Verdict>, verdict: Verdict): number {
  return [...known.values()].filter((one) => one === verdict).length;
}
