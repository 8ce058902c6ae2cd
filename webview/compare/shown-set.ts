/** The data set of a comparison that the panel shows in detail, with what its figures need of the rest. Pure. */
import type { Evaluation, DatasetEvaluation } from '../../src/evaluation/evaluation.ts';

export interface ShownSet extends DatasetEvaluation {
  /** Of the comparison. */
  readonly id: string;
  readonly k: number;
  readonly measures: readonly string[];
  /** A short description of each pipeline, in the order of `pipelines`. */
  readonly labels: readonly string[];
}

/** The data set of that name; the first where there is none. */
export function shownSet(comparison: Evaluation, name: string | undefined): ShownSet | undefined {
  const { datasets } = comparison;
  const dataset = datasets.find((one) => one.name === name) ?? datasets[0];
  return dataset && setOf(comparison, dataset);
}

/** The same object for the same data set, so that views can tell that nothing changed. */
export function setOf({ id, k, measures, pipelines }: Evaluation, dataset: DatasetEvaluation): ShownSet {
  const known = SETS.get(dataset);
  if (known) return known;
  const labelOf = new Map(pipelines.map(({ name, label }) => [name, label]));
  const labels = dataset.pipelines.map(({ name }) => labelOf.get(name) ?? name);
  const set = { ...dataset, id, k, measures, labels };
  SETS.set(dataset, set);
  return set;
}

const SETS = new WeakMap<DatasetEvaluation, ShownSet>();
