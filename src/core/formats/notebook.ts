/**
 * The cells of a Jupyter notebook of any version. The file is untrusted, so it is read in one pass and up to a limit.
 */

/** Real notebooks have hundreds. */
export const MAX_CELLS = 10_000;

export interface NotebookCell {
  /** `code`, `markdown`, `raw`, and `heading` before version 4. */
  readonly type: string;
  readonly source: string;
  /** The level of a heading, 1 to 6. */
  readonly level: number;
  /** As recorded in the cell by an editor. */
  readonly languageId: string | undefined;
}

export interface Notebook {
  readonly cells: readonly NotebookCell[];
  /** The language of the kernel. */
  readonly language: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * @param json the parsed file; cell fields that are missing or have another form are empty
 * @returns `undefined` if there is no list of cells, or more than {@link MAX_CELLS}
 */
export function readNotebook(json: unknown): Notebook | undefined {
  if (!isObject(json)) return undefined;
  const lists = listsOf(json);
  if (!lists || lists.reduce((sum, list) => sum + list.length, 0) > MAX_CELLS) return undefined;
  return { cells: lists.flat().map(cellOf), language: textAt(json, 'metadata', 'language_info', 'name') };
}

function listsOf({ cells, worksheets }: Json): readonly (readonly unknown[])[] | undefined {
  if (Array.isArray(cells)) return [cells];
  if (!Array.isArray(worksheets) || worksheets.length > MAX_CELLS) return undefined;
  return worksheets.flatMap((sheet) =>
    isObject(sheet) && Array.isArray(sheet['cells']) ? [sheet['cells']] : [],
  );
}

function cellOf(cell: unknown): NotebookCell {
  const { cell_type: type, source, input, level }: Json = isObject(cell) ? cell : {};
  return {
    type: typeof type === 'string' ? type : 'raw',
    // Notebooks before version 4 store code in `input`.
    source: textOf(source) || textOf(input),
    level: typeof level === 'number' && [1, 2, 3, 4, 5, 6].includes(level) ? level : 1,
    languageId: textAt(cell, 'metadata', 'vscode', 'languageId'),
  };
}

/** A text, or its lines. */
function textOf(source: unknown): string {
  if (typeof source === 'string') return source;
  return Array.isArray(source) && source.every((line) => typeof line === 'string') ? source.join('') : '';
}

function textAt(json: unknown, ...path: readonly string[]): string | undefined {
  const node = path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), json);
  return typeof node === 'string' ? node : undefined;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
