/** The data sets to compare on: each eval set with the corpora that it is run on. Pure. */
import type { CompareState } from '../../../src/features/compare/contract/panel.ts';

export type ChosenSet = CompareState['chosenSets'][number];

/** The most that a `set-sets` message accepts. */
export const MAX_SETS = 64;

export function isChosen(chosen: readonly ChosenSet[], { evalSet, corpus }: ChosenSet): boolean {
  return chosen.some((one) => one.evalSet === evalSet && one.corpus === corpus);
}

/** Removes a pair, or appends it if there is room. */
export function toggledSet(chosen: readonly ChosenSet[], set: ChosenSet): ChosenSet[] {
  if (isChosen(chosen, set))
    return chosen.filter(({ evalSet, corpus }) => evalSet !== set.evalSet || corpus !== set.corpus);
  return chosen.length < MAX_SETS ? [...chosen, set] : [...chosen];
}

/** Corpora of the chosen sets that have no index yet. */
export function missingIndexes({
  corpora,
  chosenSets,
}: Pick<CompareState, 'corpora' | 'chosenSets'>): string[] {
  const chosen = new Set(chosenSets.map(({ corpus }) => corpus));
  return corpora.filter(({ name, indexed }) => !indexed && chosen.has(name)).map(({ name }) => name);
}

/** The number of queries of all chosen sets together. */
export function chosenQueries({
  evalSets,
  chosenSets,
}: Pick<CompareState, 'evalSets' | 'chosenSets'>): number {
  const counts = new Map(evalSets.map(({ path, queries }) => [path, queries]));
  return chosenSets.reduce((sum, { evalSet }) => sum + (counts.get(evalSet) ?? 0), 0);
}
