/**
 * All measures by name. A new measure is a new object in one of the four lists; everything that names, explains or
 * shows measures reads it here.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import { COVERAGE_MEASURES } from './coverage-measures.ts';
import { DIVERSITY_MEASURES } from './diversity-measures.ts';
import { MIN_JUDGED_TO_COMPARE, type Topic } from './judgements.ts';
import { LIKENESS_MEASURES } from './likeness-measures.ts';
import type { MeasureDefinition, MeasurePlace } from './measure-definition.ts';
import { RELEVANCE_MEASURES } from './relevance-measures.ts';

const DEFINITIONS = [
  ...COVERAGE_MEASURES,
  ...DIVERSITY_MEASURES,
  ...RELEVANCE_MEASURES,
  ...LIKENESS_MEASURES,
];

export type MeasureFamily = (typeof DEFINITIONS)[number]['family'];

/** Every measure, in the order in which tables show them. */
export const MEASURES: readonly (MeasureDefinition & { readonly family: MeasureFamily })[] = DEFINITIONS;

const BY_FAMILY: ReadonlyMap<string, (typeof MEASURES)[number]> = new Map(
  MEASURES.map((measure) => [measure.family, measure]),
);

export interface Measure {
  readonly family: MeasureFamily;
  /** The field of documents, in lower case. Set exactly for measures of fields. */
  readonly field?: string | undefined;
  /** `undefined` for the whole ranking. */
  readonly k?: number | undefined;
}

/** `nDCG@10`, `Values(author)@5`, or `AP` without a cutoff. The inverse of {@link parseMeasure}. */
export function measureName({ family, field, k }: Measure): string {
  const base = field === undefined ? family : `${family}(${field})`;
  return k === undefined ? base : `${base}@${k}`;
}

/** The part of a name before its cutoff: a family, and a field in brackets. */
const BASE = /^([^()]*)(?:\(([^()]*)\))?$/u;

/**
 * Parses `nDCG@10`, `AP`, `MRecall@5`, `Values(author)@5`, …. Case-sensitive, as in ir_measures, except for field
 * names.
 *
 * @throws ParallaxError `bad-argument` for an unknown measure, a wrong or missing cutoff, or a missing or superfluous
 *   field.
 */
export function parseMeasure(name: string): Measure {
  const [base = '', cutoff, ...rest] = name.trim().split('@');
  const [, ofFamily = base, ofField] = BASE.exec(base) ?? [];
  const definition = BY_FAMILY.get(ofFamily);
  if (!definition)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`Unknown measure "${name}"; choose from ${MEASURES.map(({ family }) => family).join(', ')}, followed by @k.`,
    );
  const { family } = definition;
  const field = ofField?.trim().toLowerCase();
  if (definition.ofField && !field)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`Measure "${family}" needs a field of the documents, as in "${family}(author)@5".`,
    );
  if (!definition.ofField && field !== undefined)
    throw new ParallaxError('bad-argument', l10n.t`Measure "${family}" takes nothing in brackets.`);
  const measure = field === undefined ? { family } : { family, field };
  if (cutoff === undefined && definition.cutoff === 'optional') return measure;
  if (cutoff === undefined) {
    const asIn = measureName({ ...measure, k: 5 });
    throw new ParallaxError('bad-argument', l10n.t`Measure "${family}" needs a cutoff, as in "${asIn}".`);
  }
  if (rest.length > 0 || !/^[1-9]\d{0,8}$/.test(cutoff))
    throw new ParallaxError(
      'bad-argument',
      l10n.t`Measure "${name}": the cutoff after @ must be a whole number from 1.`,
    );
  return { ...measure, k: Number(cutoff) };
}

/**
 * Every measure at every cutoff, and those that need no cutoff (AP, RR) once over the whole ranking. Without measures
 * of fields, as fields depend on the corpus.
 */
export function measuresAt(cutoffs: readonly number[]): Measure[] {
  return MEASURES.filter(({ ofField }) => !ofField).flatMap(({ family, cutoff }): Measure[] =>
    cutoff === 'optional' ? [{ family }] : cutoffs.map((k) => ({ family, k })),
  );
}

/** The families that a place shows, in the order of its tables. */
export function familiesShown(place: MeasurePlace): MeasureFamily[] {
  return MEASURES.filter(({ shown }) => shown.includes(place)).map(({ family }) => family);
}

/** The names of the measures that a place shows, at one cutoff. */
export function namesShown(place: MeasurePlace, k: number): string[] {
  return familiesShown(place).map((family) => measureName({ family, k }));
}

export function definitionOf({ family }: Measure): MeasureDefinition {
  return BY_FAMILY.get(family)!;
}

/** The measure of a name such as `nDCG@10`, `nDCG` or `Values(author)@5`. `undefined` for unknown names. */
export function definitionNamed(name: string): MeasureDefinition | undefined {
  return BY_FAMILY.get(name.split(/[@(]/u)[0]!);
}

/** The value of a measure for one query. Takes distinct passage ids, best first. */
export function computeMeasure(measure: Measure, ranking: readonly string[], topic: Topic): number {
  return definitionOf(measure).compute(ranking, topic, measure.k ?? Infinity, measure.field);
}

/**
 * Whether a figure is meaningful on an `open` basis. A figure of support is not if no passage within its cutoff is
 * judged.
 *
 * @param metrics all figures of the same pipeline and queries
 */
export function isKnownFigure(metrics: Figures, name: string): boolean {
  return judgedBehind(metrics, name) !== 0;
}

/**
 * Whether enough passages are judged to rank pipelines by a figure. Below that, unjudged passages may decide the order.
 *
 * @param metrics all figures of a pipeline
 */
export function isComparableFigure(metrics: Figures, name: string): boolean {
  return (judgedBehind(metrics, name) ?? 1) >= MIN_JUDGED_TO_COMPARE;
}

type Figures = Readonly<Record<string, number>>;

/** The judged share behind a figure of support, in [0, 1]. `undefined` for other figures. */
function judgedBehind(metrics: Figures, name: string): number | undefined {
  const { family, k } = parseMeasure(name);
  if (family === 'Judged' || definitionOf({ family }).needs === 'passages') return undefined;
  return metrics[`Judged@${k}`];
}
