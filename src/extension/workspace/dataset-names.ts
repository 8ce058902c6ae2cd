/** Names of data sets in tables, as short as tells them apart. Pure. */

/** An eval set with the corpus that it is asked of. */
export interface ChosenSet {
  /** Path of the eval set relative to the workspace. */
  readonly evalSet: string;
  readonly corpus: string;
}

/**
 * The name of the eval set's file, its whole path where two files have the same name, and the corpus where
 * an eval set is asked of several.
 *
 * @param sets pairs that differ from each other
 * @returns a name for each, all different
 */
export function datasetNames(sets: readonly ChosenSet[]): string[] {
  const paths = new Set(sets.map(({ evalSet }) => evalSet));
  const shorts = [...paths].map(shortName);
  const evalSetNames = new Set(shorts).size === shorts.length ? shortName : (path: string): string => path;
  const repeated = paths.size < sets.length;
  return sets.map(({ evalSet, corpus }) =>
    repeated ? `${evalSetNames(evalSet)} · ${corpus}` : evalSetNames(evalSet),
  );
}

/** `eval/debate.jsonl` is `debate`. */
function shortName(path: string): string {
  const file = path.split('/').at(-1) ?? path;
  return file.replace(/(?<=.)\.[^.]*$/u, '');
}
