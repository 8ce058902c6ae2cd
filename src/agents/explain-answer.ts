/** The answer of explain_lost_perspectives. Pure. */
import type { WhatIf } from '../core/inline/what-ifs.ts';
import type { DatasetView } from '../shared/panels/compare.ts';
import { DATA_NOTICE, firstOf, fitted, judgedView, short } from './answer.ts';
import {
  differenceView,
  heldBackOf,
  judgementsOf,
  leftOutQueries,
  notesOf,
  originOf,
} from './evaluate-answer.ts';
import { LOSS_ORDER, lostPerspectives, REASONS, type LostPerspective } from './lost-perspectives.ts';
import type { Measured } from './measure.ts';
import type { Run } from './run.ts';

/** A passage that is known to support a perspective. */
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

/** Passages are looked up for so many lost perspectives. */
export const MOST_EXPLAINED = 10;
/** The longest excerpt of a passage, in characters. */
export const MOST_EXCERPT = 200;
const SIZES: readonly Size[] = [
  { lost: MOST_EXPLAINED, text: 200, excerpt: MOST_EXCERPT, notes: 8 },
  { lost: MOST_EXPLAINED, text: 120, excerpt: 100, notes: 4 },
  { lost: 5, text: 100, excerpt: 80, notes: 2 },
  { lost: 2, text: 80, excerpt: 60, notes: 0 },
];

/**
 * JSON.
 *
 * @param whatIfs those that were measured beside the first pipeline, in their order
 * @param supporters by lost perspective
 */
export function explainAnswer(
  run: Run,
  whatIfs: readonly WhatIf[],
  { comparison, judging }: Measured,
  supporters: ReadonlyMap<LostPerspective['perspective'], Supporter>,
): string {
  const { k } = comparison;
  const dataset = comparison.datasets[0]!;
  const base = dataset.pipelines[0]!;
  const missing = lostPerspectives(dataset, k);
  // Of what nobody judged it is not known whether it is lost.
  const lost = missing.filter(({ reason }) => reason !== 'unjudged');
  const asked = dataset.queries.reduce((sum, { perspectives }) => sum + perspectives.length, 0);
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
      perspectives: asked,
      covered: asked - missing.length,
      ...unjudgedView(missing, size),
      ...judgedView(base),
      ...heldBackOf(base, dataset.queries.length),
      judgements: judgementsOf(comparison, dataset),
      ...(judging ? { judging } : {}),
      reasons: countsOf(lost),
      lost: shown.map((each) => lostView(each, whatIfs, supporters.get(each.perspective), k, size)),
      ...(leftOut > 0 ? { lostLeftOut: leftOut } : {}),
      whatIfs: tried.map(({ view }) => view),
      bestWhatIf: best ? best.view.name : noneBest(tried),
      ...notesOf(run, size),
    };
  });
}

function unjudgedView(missing: readonly LostPerspective[], { text, lost }: Size): object {
  const unjudged = missing.filter(({ reason }) => reason === 'unjudged');
  if (unjudged.length === 0) return {};
  const { shown, leftOut } = firstOf(unjudged, lost);
  return {
    unjudged: {
      perspectives: unjudged.length,
      means: REASONS.unjudged,
      first: shown.map(({ query, perspective }) => ({
        query: short(query.text, text),
        perspective: short(perspective.text, text),
      })),
      ...(leftOut > 0 ? { more: leftOut } : {}),
    },
  };
}

function countsOf(lost: readonly LostPerspective[]): object[] {
  return LOSS_ORDER.flatMap((reason) => {
    const count = lost.filter((each) => each.reason === reason).length;
    return count > 0 ? [{ reason, perspectives: count, means: REASONS[reason] }] : [];
  });
}

function lostView(
  { query, perspective, reason, rank }: LostPerspective,
  whatIfs: readonly WhatIf[],
  supporter: Supporter | undefined,
  k: number,
  size: Size,
): object {
  const found = whatIfs.flatMap(({ name, oracle }, place) => {
    const own = perspective.ranks[place + 1];
    return own !== undefined && own !== null && own <= k ? [{ name, rank: own, ...oracleNote(oracle) }] : [];
  });
  return {
    query: short(query.text, size.text),
    perspective: short(perspective.text, size.text),
    reason,
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
    coveredWith: found,
  };
}

/** Unjudged passages may yet cover perspectives, and then another candidate would be the best. */
function noneBest(tried: readonly Tried[]): string {
  return tried.some(({ oracle, isOpen }) => !oracle && isOpen)
    ? 'not known: part of what they retrieve is unjudged, and counts as not supporting'
    : 'none of them covers more';
}

interface Tried {
  readonly oracle: boolean;
  /** Unjudged passages of its top k may cover a perspective. */
  readonly isOpen: boolean;
  readonly difference: number | undefined;
  /** Perspectives covered, beyond those of the first pipeline and less those that it loses. */
  readonly gain: number;
  readonly view: { readonly name: string } & Readonly<Record<string, unknown>>;
}

function triedView(
  { name, oracle, pipeline }: WhatIf,
  place: number,
  { pipelines, queries }: DatasetView,
  lost: readonly LostPerspective[],
  k: number,
): Tried {
  const { measures, error, judged, foundNothing, losses } = pipelines[place]!;
  const isOpen = error === undefined && losses.open !== undefined;
  const difference = measures[`MRecall@${k}`]?.difference;
  const isCovered = ({ ranks }: LostPerspective['perspective'], at: number): boolean =>
    (ranks[at] ?? Number.POSITIVE_INFINITY) <= k;
  const gained = lost.filter(({ perspective }) => isCovered(perspective, place)).length;
  const newlyLost = queries
    .flatMap(({ perspectives }) => perspectives)
    .filter((perspective) => isCovered(perspective, 0) && !isCovered(perspective, place)).length;
  const view = {
    name,
    ...oracleNote(oracle),
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

function oracleNote(oracle: boolean): object {
  return oracle ? { oracle: 'is handed the perspectives, as no program in use is: an upper bound' } : {};
}

/** By MRecall, then by perspectives; nothing that is worse than the first pipeline, and no upper bound. */
function bestOf(tried: readonly Tried[]): Tried | undefined {
  return tried
    .filter(({ oracle, gain, difference = 0 }) => !oracle && (gain > 0 || difference > 0))
    .toSorted((a, b) => (b.difference ?? 0) - (a.difference ?? 0) || b.gain - a.gain)[0];
}
