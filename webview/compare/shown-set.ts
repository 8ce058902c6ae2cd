/** The data set shown in detail, with the fields of the comparison that its figures need. Pure. */
import type { Evaluation, DatasetEvaluation } from '../../src/evaluation/evaluation.ts';

export interface ShownSet extends DatasetEvaluation {
  /** Id of the comparison. */
  readonly id: string;
  readonly k: number;
  readonly measures: readonly string[];
  /** A short description of each pipeline, in the order of `pipelines`. */
  readonly labels: readonly string[];
}

/** The data set of that name, else the first. */
export function shownSet(comparison: Evaluation, name: string | undefined): ShownSet | undefined {
  const { datasets } = comparison;
  const dataset = datasets.find((one) => one.name === name) ?? datasets[0];
  return dataset && setOf(comparison, dataset);
}

/** Returns the same object for the same data set, so that views can detect that nothing changed. */
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
