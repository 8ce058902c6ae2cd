/** An upper bound of the requests of a validation, before any is made. Pure. */
import type { ParsedLabelledPairs } from '../../core/formats/labelled-pairs.ts';
import { normalizePerspective } from '../../core/formats/labels.ts';
import { totalEffort, type Effort, type PriceTable, type Workload } from '../../shared/judge-effort.ts';
import { judgeEffort } from '../../shared/judge-types.ts';
import type { JudgeChoice } from '../judging/judge-choice.ts';

/** Characters of a passage whose label does not say how long it is: about a hundred words. */
const USUAL_PASSAGE = 600;

/** Labelled pairs, each counted once; labels of a workspace speak of passages by document and text. */
export function labelledWorkload({ pairs, labels }: ParsedLabelledPairs): Workload {
  const places = labels.map(({ document, hash, quote }) => JSON.stringify([document, hash, quote]));
  const asked = new Set(
    labels.map(({ perspectiveText }, index) => `${normalizePerspective(perspectiveText)}\n${places[index]}`),
  );
  const texts = new Set(pairs.map(({ passage }) => passage));
  const placed = new Set(places);
  const characters = [...texts].reduce((sum, { length }) => sum + length, placed.size * USUAL_PASSAGE);
  const passages = texts.size + placed.size;
  return {
    pairs: pairs.length + asked.size,
    passages,
    passageLength: passages === 0 ? 0 : characters / passages,
  };
}

/** A part of it, drawn at random: so many pairs, each of a passage of its own where there are enough. */
export function partOf(workload: Workload, pairs: number): Workload {
  return {
    ...workload,
    pairs: Math.min(pairs, workload.pairs),
    passages: Math.min(pairs, workload.passages),
  };
}

/** The most that asking all of these judges can cost; remembered answers cost nothing. */
export function validationEffort(
  chosen: readonly JudgeChoice[],
  choices: readonly JudgeChoice[],
  workload: Workload,
  prices: PriceTable,
): Effort {
  const configs = Object.fromEntries(choices.map(({ name, config }) => [name, config]));
  return totalEffort(chosen.map(({ name }) => judgeEffort(name, configs, workload, prices)));
}

/**
 * So many pairs that the judges stay within the budget: a validation that stopped half-way would be one of the first
 * questions only.
 *
 * Pairs that are drawn at random share few passages: a judge that is asked by passage takes up to a request for each.
 *
 * @param budget requests; 0 for no limit
 * @returns nothing where all pairs are within it
 */
export function pairsWithin(
  budget: number,
  workload: Workload,
  effortOf: (workload: Workload) => Pick<Effort, 'requests'>,
): number | undefined {
  if (budget === 0 || effortOf(workload).requests.most <= budget) return undefined;
  const { pairs } = workload;
  const apart = effortOf({ ...workload, passages: pairs });
  return Math.max(1, Math.floor((pairs * budget) / apart.requests.most));
}
