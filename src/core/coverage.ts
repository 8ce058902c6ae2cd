/** Which perspectives of a query the top k cover, and where the others are lost. */
import type {
  CoverageMetrics,
  PerspectiveCoverage,
  ProbeRank,
  ProbeReach,
  ProbeSearch,
} from './coverage-states.ts';
import { atLeast, type Measured } from './measured.ts';
import { coveredPerspectives } from './metrics/coverage-measures.ts';
import type { TopicJudgements } from './metrics/judgements.ts';
import { boundsOf, openPerspectives } from './metrics/unjudged.ts';
import type { Verdict } from './model.ts';

export interface KnownSupport {
  readonly passageId: string;
  readonly path: string;
}

/** Passages found by all searches for a perspective, most promising first. */
export interface ProbeResults {
  /** Empty if the corpus has changed since. The passages still exist, but the searches' reach is unknown. */
  readonly searches: readonly ProbeSearch[];
  readonly passages: readonly { readonly passageId: string; readonly ranks: readonly ProbeRank[] }[];
}

export interface CoverageInput {
  /** Ids of the query's perspectives. */
  readonly perspectives: readonly string[];
  /** Distinct candidate passage ids, best first, including those below k. */
  readonly ranking: readonly string[];
  readonly k: number;
  /** Called once per candidate and perspective. Returns `undefined` for unjudged pairs. */
  readonly verdictOf: (passageId: string, perspectiveId: string) => Verdict | undefined;
  /** Passages of the corpus that are known to support each perspective. */
  readonly knownSupport: ReadonlyMap<string, readonly KnownSupport[]>;
  /** The number of passages judged for a perspective, retrieved or not. Defaults to the judged candidates. */
  readonly judgedOf?: ((perspectiveId: string) => number) | undefined;
  /** The number of passages in the corpus. */
  readonly passages?: number | undefined;
  /** Results of deeper searches, by perspective. */
  readonly probes?: ReadonlyMap<string, ProbeResults> | undefined;
}

type NotFound = Pick<
  Extract<PerspectiveCoverage, { where: 'not-found' }>,
  'judged' | 'unsure' | 'passages' | 'probed'
>;

/** Whether all passages of the corpus are judged and none supports it. False for an empty corpus. */
export function isAbsent({ judged, passages, unsure }: NotFound): boolean {
  return unsure === 0 && passages !== undefined && passages > 0 && judged >= passages;
}

/** Whether searches looked for it and every passage they found is judged and does not support it. */
export function isProbablyAbsent({ probed, unsure }: NotFound): boolean {
  return unsure === 0 && probed !== undefined && probed.found > 0 && probed.judged === probed.found;
}

export interface QueryCoverage {
  /** One per perspective, in the given order. */
  readonly perspectives: readonly PerspectiveCoverage[];
  readonly metrics: CoverageMetrics;
}

/** Computes coverage. "Unsure" counts as judged, but not as support. */
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
  { ranking, k, knownSupport, judgedOf, passages, probes, verdictOf }: CoverageInput,
): PerspectiveCoverage {
  const unjudgedIn = (upTo: number): number =>
    ranking.slice(0, upTo).filter((passageId) => !known.has(passageId)).length;
  const index = ranking.findIndex((passageId) => known.get(passageId) === 'yes');
  if (index >= 0) {
    const rank = index + 1;
    if (rank <= k) return { where: 'covered', perspectiveId, rank };
    const above = unjudgedIn(index);
    const open = above > 0 ? { unjudgedAbove: above } : {};
    return { where: 'below-k', perspectiveId, rank, passageId: ranking[index]!, ...open };
  }

  const probe = probes?.get(perspectiveId);
  const retrieved = new Set(ranking);
  const elsewhere = knownSupport.get(perspectiveId)?.find(({ passageId }) => !retrieved.has(passageId));
  if (elsewhere) {
    const { passageId, path } = elsewhere;
    const ranks = probe?.passages.find((each) => each.passageId === passageId)?.ranks ?? [];
    const foundBy = ranks.length > 0 ? { foundBy: ranks } : {};
    const candidates = ranking.length;
    const unjudged = unjudgedIn(candidates);
    const open = unjudged > 0 ? { unjudgedCandidates: unjudged } : {};
    return { where: 'not-retrieved', perspectiveId, passageId, path, candidates, ...open, ...foundBy };
  }

  const verdicts = new Map(known);
  for (const { passageId } of probe?.passages ?? []) {
    const verdict = verdictOf(passageId, perspectiveId);
    if (verdict !== undefined) verdicts.set(passageId, verdict);
  }
  const unjudged = unjudgedIn(k);
  const judged = Math.max(verdicts.size, judgedOf?.(perspectiveId) ?? 0);
  const probed = probe && probe.searches.length > 0 ? { probed: reachOf(probe, verdicts) } : {};
  if (judged === 0) return { where: 'unjudged', perspectiveId, unjudged, ...probed };
  const unsure = count(verdicts, 'unsure');
  const size = passages === undefined ? {} : { passages };
  return { where: 'not-found', perspectiveId, judged, ...size, unsure, unjudged, ...probed };
}

function reachOf({ searches, passages }: ProbeResults, verdicts: ReadonlyMap<string, Verdict>): ProbeReach {
  const gap = passages.findIndex(({ passageId }) => !verdicts.has(passageId));
  const passageCount = passages.length;
  return { searches: searches.length, found: passageCount, judged: gap < 0 ? passageCount : gap };
}

function metricsOf(
  verdicts: Verdicts,
  judgements: TopicJudgements,
  { perspectives, ranking, k }: CoverageInput,
): CoverageMetrics {
  const top = ranking.slice(0, k);
  const verdictsInTop = [...verdicts.values()].flatMap((known) => top.flatMap((id) => known.get(id) ?? []));
  const covered = coveredPerspectives(ranking, judgements, k).length;
  const open = openPerspectives(top, judgements, 'open').size;
  const measured = (family: 'MRecall' | 'Precision'): Measured => {
    const { low, high } = boundsOf({ family, k }, ranking, judgements, 'open');
    return atLeast(low, high);
  };
  return {
    k,
    ...(perspectives.length > 0 && { mrecall: measured('MRecall'), precision: measured('Precision') }),
    covered: atLeast(covered, covered + open),
    judgedPairs: verdictsInTop.length,
    unsurePairs: verdictsInTop.filter((verdict) => verdict === 'unsure').length,
    pairs: top.length * perspectives.length,
  };
}

function count(known: ReadonlyMap<string, Verdict>, verdict: Verdict): number {
  return [...known.values()].filter((one) => one === verdict).length;
}
