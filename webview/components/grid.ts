/** Keyboard navigation in a table of buttons: one is in the tab order, arrow keys move between them. */

export interface GridCell {
  readonly row: number;
  readonly column: number;
}

/**
 * The target of a key in a grid. `undefined` for other keys. Arrow keys, Home and End move within the grid; with Ctrl,
 * Home and End go to its first and last cell; PageUp and PageDown move by ten rows.
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

/** Focuses a cell, which has its place in `data-row` and `data-column`. */
export function focusCell(grid: ParentNode, { row, column }: GridCell): void {
  grid.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`)?.focus();
}

function clamp(value: number, max: number): number {
  return Math.min(Math.max(value, 0), Math.max(max, 0));
}
