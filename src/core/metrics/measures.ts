/**
 * The measures by name. Names follow ir_measures (`nDCG@10`, `alpha_nDCG@10`), plus `MRecall@k` and
 * `Precision@k` of BERDS.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import { mRecall, precisionIntentAware, stRecall } from './coverage-measures.ts';
import type { Topic } from './judgements.ts';
import { alphaNdcg, errIntentAware, nErrIntentAware } from './novelty-measures.ts';
import {
  averagePrecision,
  judged,
  ndcg,
  precision,
  recall,
  reciprocalRank,
  success,
} from './relevance-measures.ts';

interface MeasureDefinition {
  /** Whether the name must end in `@k`; without a cutoff the whole ranking counts. */
  readonly cutoff: 'required' | 'optional';
  /** Cannot be computed from plain qrels. */
  readonly needsPerspectives: boolean;
  readonly compute: (ranking: readonly string[], topic: Topic, k: number) => number;
}

function overPerspectives(
  compute: (ranking: readonly string[], judgements: Topic['judgements'], k: number) => number,
): MeasureDefinition {
  return {
    cutoff: 'required',
    needsPerspectives: true,
    compute: (ranking, topic, k) => compute(ranking, topic.judgements, k),
  };
}

function overRelevance(
  compute: (ranking: readonly string[], relevance: Topic['relevance'], k: number) => number,
  cutoff: MeasureDefinition['cutoff'] = 'required',
): MeasureDefinition {
  return {
    cutoff,
    needsPerspectives: false,
    compute: (ranking, topic, k) => compute(ranking, topic.relevance, k),
  };
}

const DEFINITIONS = {
  MRecall: overPerspectives(mRecall),
  Precision: overRelevance(precision),
  P: overRelevance(precision),
  StRecall: overPerspectives(stRecall),
  alpha_nDCG: overPerspectives(alphaNdcg),
  ERR_IA: overPerspectives(errIntentAware),
  nERR_IA: overPerspectives(nErrIntentAware),
  P_IA: overPerspectives(precisionIntentAware),
  nDCG: overRelevance(ndcg),
  AP: overRelevance(averagePrecision, 'optional'),
  RR: overRelevance(reciprocalRank, 'optional'),
  R: overRelevance(recall),
  Success: overRelevance(success),
  Judged: overRelevance(judged),
} satisfies Record<string, MeasureDefinition>;

export type MeasureFamily = keyof typeof DEFINITIONS;
/** Every measure, in the order in which tables show them. */
export const MEASURE_FAMILIES = Object.keys(DEFINITIONS) as MeasureFamily[];

export interface Measure {
  readonly family: MeasureFamily;
  /** Absent: the whole ranking. */
  readonly k?: number | undefined;
}

/** `nDCG@10`, or `AP` where there is no cutoff. The inverse of {@link parseMeasure}. */
export function measureName({ family, k }: Measure): string {
  return k === undefined ? family : `${family}@${k}`;
}

/**
 * Reads `nDCG@10`, `AP`, `MRecall@5`, …; upper and lower case matter, as in ir_measures.
 *
 * @throws ParallaxError `bad-argument` for an unknown measure or a wrong or missing cutoff.
 */
export function parseMeasure(name: string): Measure {
  const [family = '', cutoff, ...rest] = name.trim().split('@');
  if (!isFamily(family))
    throw new ParallaxError(
      'bad-argument',
      l10n.t`Unknown measure "${name}"; choose from ${MEASURE_FAMILIES.join(', ')}, followed by @k.`,
    );
  if (cutoff === undefined) return withoutCutoff(family);
  if (rest.length > 0 || !/^[1-9]\d{0,8}$/.test(cutoff))
    throw new ParallaxError(
      'bad-argument',
      l10n.t`Measure "${name}": the cutoff after @ must be a whole number from 1.`,
    );
  return { family, k: Number(cutoff) };
}

function withoutCutoff(family: MeasureFamily): Measure {
  if (DEFINITIONS[family].cutoff === 'required')
    throw new ParallaxError('bad-argument', l10n.t`Measure "${family}" needs a cutoff, as in "${family}@5".`);
  return { family };
}

function isFamily(name: string): name is MeasureFamily {
  return Object.hasOwn(DEFINITIONS, name);
}

/** Every measure at every cutoff; those that need none (AP, RR) once, over the whole ranking. */
export function measuresAt(cutoffs: readonly number[]): Measure[] {
  return MEASURE_FAMILIES.flatMap((family): Measure[] =>
    DEFINITIONS[family].cutoff === 'optional' ? [{ family }] : cutoffs.map((k) => ({ family, k })),
  );
}

/** True for measures that tell perspectives apart, which plain qrels cannot give. */
export function needsPerspectives(measure: Measure): boolean {
  return DEFINITIONS[measure.family].needsPerspectives;
}

/** The value of a measure for one query: distinct passage ids, best first, against the query's judgements. */
export function computeMeasure(measure: Measure, ranking: readonly string[], topic: Topic): number {
  return DEFINITIONS[measure.family].compute(ranking, topic, measure.k ?? Infinity);
}
