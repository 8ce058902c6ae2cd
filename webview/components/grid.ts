/** Moving through a table of buttons with the keyboard: one of them is in the tab order, arrow keys do the rest. */

export interface GridCell {
  readonly row: number;
  readonly column: number;
}

/**
 * Where a key leads from a cell; `undefined` for keys that mean something else. Arrow keys, Home and End move within
 * the grid, with Ctrl the latter two go to its first and last cell; PageUp and PageDown go ten rows.
 */
export function gridMove(
  { key, ctrlKey, altKey, metaKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'metaKey'>,
  { row, column }: GridCell,
  size: { readonly rows: number; readonly columns: number },
): GridCell | undefined {
  const last = { row: size.rows - 1, column: size.columns - 1 };
  const moves: Record<string, GridCell> = ctrlKey
    ? { Home: { row: 0, column: 0 }, End: last }
    : {
        ArrowUp: { row: row - 1, column },
        ArrowDown: { row: row + 1, column },
        ArrowLeft: { row, column: column - 1 },
        ArrowRight: { row, column: column + 1 },
        Home: { row, column: 0 },
        End: { row, column: last.column },
        PageUp: { row: row - 10, column },
        PageDown: { row: row + 10, column },
      };
  const to = moves[key];
  if (!to || altKey || metaKey) return undefined;
  return { row: clamp(to.row, last.row), column: clamp(to.column, last.column) };
}

/** Puts the keyboard into a cell, which carries its place as `data-row` and `data-column`. */
export function focusCell(grid: ParentNode, { row, column }: GridCell): void {
  grid.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`)?.focus();
}

function clamp(value: number, max: number): number {
  return Math.min(Math.max(value, 0), Math.max(max, 0));
}
