/** The answer of explain_lost_perspectives. Pure. */
import type { Oracle, WhatIf } from '../../lens/core/what-ifs.ts';
import { PLACES } from '../../../core/coverage-states.ts';
import type { DatasetEvaluation, PerspectiveEvaluation } from '../../../evaluation/evaluation.ts';
import {
  isCoveredAt,
  lostPerspectives,
  openCount,
  rankAt,
  type LostPerspective,
} from '../../../evaluation/reading.ts';
import { placeMeaning } from '../../../core/facts.ts';
import { DATA_NOTICE, firstOf, fitted, judgedView, short } from './answer.ts';
import {
  differenceView,
  heldBackOf,
  judgementsOf,
  leftOutQueries,
  notesOf,
  originOf,
} from './evaluate-answer.ts';
import type { Measured } from './measure.ts';
import type { Run } from './run.ts';

/** A passage known to support a perspective. */
export interface Supporter {
  readonly passage: string;
  readonly title: string;
  readonly excerpt: string;
}

interface Size {
  readonly lost: number;
  readonly text: number;
  readonly excerpt: number;
  readonly notes: number;
}

/** The most lost perspectives for which passages are looked up. */
export const MAX_EXPLAINED = 10;
/** The longest excerpt of a passage, in characters. */
export const MAX_EXCERPT = 200;
const SIZES: readonly Size[] = [
  { lost: MAX_EXPLAINED, text: 200, excerpt: MAX_EXCERPT, notes: 8 },
  { lost: MAX_EXPLAINED, text: 120, excerpt: 100, notes: 4 },
  { lost: 5, text: 100, excerpt: 80, notes: 2 },
  { lost: 2, text: 80, excerpt: 60, notes: 0 },
];

/**
 * JSON.
 *
 * @param whatIfs those measured beside the first pipeline, in their order
 * @param supporters by lost perspective
 */
export function explainAnswer(
  run: Run,
  whatIfs: readonly WhatIf[],
  { comparison, judging }: Measured,
  supporters: ReadonlyMap<PerspectiveEvaluation, Supporter>,
): string {
  const { k } = comparison;
  const dataset = comparison.datasets[0]!;
  const base = dataset.pipelines[0]!;
  const missing = lostPerspectives(dataset.queries, 0);
  // It is unknown whether unjudged perspectives are lost.
  const lost = missing.filter(({ where }) => where !== 'unjudged');
  const perspectiveCount = dataset.queries.reduce((sum, { perspectives }) => sum + perspectives.length, 0);
  const tried = whatIfs.map((whatIf, place) => triedView(whatIf, place + 1, dataset, missing, k));
  const best = bestOf(tried);
  return fitted(SIZES, (size) => {
    const { shown, leftOut } = firstOf(lost, size.lost);
    return {
      notice: DATA_NOTICE,
      corpus: dataset.corpus,
      ...(run.evalSet === undefined ? {} : { evalSet: run.evalSet }),
      pipeline: short(base.name, 120),
      ...originOf(run, 0),
      k,
      queries: dataset.queries.length,
      ...leftOutQueries(run, dataset),
      perspectives: perspectiveCount,
      covered: perspectiveCount - missing.length,
      ...unjudgedView(missing, size),
      ...judgedView(base),
      ...heldBackOf(base, dataset.queries.length),
      judgements: judgementsOf(comparison, dataset),
      ...(judging ? { judging } : {}),
      reasons: countsOf(lost),
      lost: shown.map((each) => lostView(each, whatIfs, supporters.get(each.perspective), size)),
      ...(leftOut > 0 ? { lostLeftOut: leftOut } : {}),
      whatIfs: tried.map(({ view }) => view),
      bestWhatIf: best ? best.view.name : noneBest(tried),
      ...notesOf(run, size),
    };
  });
}

function unjudgedView(missing: readonly LostPerspective[], { text, lost }: Size): object {
  const unjudged = missing.filter(({ where }) => where === 'unjudged');
  if (unjudged.length === 0) return {};
  const { shown, leftOut } = firstOf(unjudged, lost);
  return {
    unjudged: {
      perspectives: unjudged.length,
      means: placeMeaning('unjudged'),
      first: shown.map(({ query, perspective }) => ({
        query: short(query.text, text),
        perspective: short(perspective.text, text),
      })),
      ...(leftOut > 0 ? { more: leftOut } : {}),
    },
  };
}

function countsOf(lost: readonly LostPerspective[]): object[] {
  return PLACES.flatMap((where) => {
    const count = lost.filter((each) => each.where === where).length;
    return count > 0 ? [{ where, perspectives: count, means: placeMeaning(where) }] : [];
  });
}

function lostView(
  { query, perspective, where, rank }: LostPerspective,
  whatIfs: readonly WhatIf[],
  supporter: Supporter | undefined,
  size: Size,
): object {
  const changes = whatIfs.flatMap(({ name, oracle }, place) => {
    if (!isCoveredAt(perspective, place + 1)) return [];
    return [{ name, rank: rankAt(perspective, place + 1), ...oracleNote(oracle) }];
  });
  return {
    query: short(query.text, size.text),
    perspective: short(perspective.text, size.text),
    where,
    ...(rank === undefined ? {} : { firstRank: rank }),
    ...(supporter
      ? {
          supportedBy: {
            passage: short(supporter.passage, size.text),
            ...(supporter.title === '' ? {} : { title: short(supporter.title, size.text) }),
            excerpt: short(supporter.excerpt, size.excerpt),
          },
        }
      : {}),
    coveredWith: changes,
  };
}

/** Unjudged passages may cover perspectives, and then another candidate would be the best. */
function noneBest(tried: readonly Tried[]): string {
  return tried.some(({ oracle, isOpen }) => !oracle && isOpen)
    ? 'not known: part of what they retrieve is unjudged, and counts as not supporting'
    : 'none of them covers more';
}

interface Tried {
  readonly oracle: Oracle | undefined;
  /** Whether unjudged passages of its top k may cover a perspective. */
  readonly isOpen: boolean;
  readonly difference: number | undefined;
  /** The number of perspectives covered only by it, minus those covered only by the first pipeline. */
  readonly gain: number;
  readonly view: { readonly name: string } & Readonly<Record<string, unknown>>;
}

function triedView(
  { name, oracle, pipeline }: WhatIf,
  place: number,
  { pipelines, queries }: DatasetEvaluation,
  lost: readonly LostPerspective[],
  k: number,
): Tried {
  const { measures, error, judged, foundNothing, ...result } = pipelines[place]!;
  const isOpen = error === undefined && openCount(result) > 0;
  const difference = measures[`MRecall@${k}`]?.difference;
  const gained = lost.filter(({ perspective }) => isCoveredAt(perspective, place)).length;
  const newlyLost = queries
    .flatMap(({ perspectives }) => perspectives)
    .filter((perspective) => isCoveredAt(perspective, 0) && !isCoveredAt(perspective, place)).length;
  const view = {
    name,
    ...oracleNote(oracle, difference?.value),
    ...(error === undefined
      ? {
          perspectivesGained: gained,
          perspectivesLost: newlyLost,
          ...(isOpen ? judgedView({ judged, foundNothing }) : {}),
          ...(difference && queries.length > 1 ? { differenceOfMRecall: differenceView(difference) } : {}),
          pipeline,
        }
      : { error: short(error, 200) }),
  };
  const gain = error === undefined ? gained - newlyLost : Number.NEGATIVE_INFINITY;
  return { oracle, isOpen, difference: difference?.value, gain, view };
}

/** An oracle is an upper bound only if it is known not to cover less than the first pipeline. */
function oracleNote(oracle: Oracle | undefined, difference?: number): object {
  if (oracle === undefined) return {};
  const isBound = difference !== undefined && difference >= 0;
  return {
    oracle: `gets the ${oracle}, which no real program has${isBound ? ': an upper bound' : ''}`,
  };
}

/** The best by MRecall, then by perspectives. Excludes upper bounds and those worse than the first pipeline. */
function bestOf(tried: readonly Tried[]): Tried | undefined {
  return tried
    .filter(({ oracle, gain, difference = 0 }) => !oracle && (gain > 0 || difference > 0))
    .toSorted((a, b) => (b.difference ?? 0) - (a.difference ?? 0) || b.gain - a.gain)[0];
}
