/** Short, unique names of data sets in tables. Pure. */

/** An eval set and the corpus that it is run on. */
export interface ChosenSet {
  /** Path of the eval set relative to the workspace. */
  readonly evalSet: string;
  readonly corpus: string;
}

/**
 * The name of the eval set's file, or its whole path if two files have the same name, followed by the corpus if an eval
 * set is run on several.
 *
 * @param sets distinct pairs
 * @returns a unique name for each
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
