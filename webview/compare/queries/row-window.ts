/**
 * Virtual scrolling for long and wide tables: renders only rows and columns around the visible ones, a few more rows in
 * each frame. Empty rows and cells replace the others.
 */
import { noChange } from 'lit/html.js';
import { AsyncDirective, directive, type ElementPart } from 'lit/async-directive.js';

/** The smallest number of rows rendered before and after the visible ones. */
const MIN_AROUND = 3;

/** Rows from `first` up to but excluding `last`. */
export interface RowWindow {
  readonly first: number;
  readonly last: number;
}

/** A part of a rendered table: a row, or a gap as high as the rows it replaces. */
export type RowPart = { readonly row: number } | { readonly gap: RowWindow };

/** The rendered rows and columns of a table. */
export interface TableWindow {
  readonly rows: RowWindow;
  readonly columns: RowWindow;
}

export interface WindowOptions {
  /** The number of rows of the whole table. */
  readonly rows: number;
  /** The number of rows in the document, and of further rows per frame. */
  readonly most: number;
  readonly step: number;
  readonly drawn: RowWindow;
  /** The columns, whose headers have their index in `data-head`. */
  readonly columns: RowWindow;
  /** Whether the content is new, which scrolls the table to its top. */
  readonly begins: boolean;
  readonly onMove: (drawn: TableWindow) => void;
}

/**
 * The parts of a table from top to bottom.
 *
 * @param pinnedRow a row that is always rendered, such as the focused one
 */
export function rowParts(rows: number, drawn: RowWindow, pinnedRow: number): RowPart[] {
  const shown = new Set([pinnedRow]);
  for (let row = drawn.first; row < drawn.last; row++) shown.add(row);
  const parts: RowPart[] = [];
  let next = 0;
  for (const row of [...shown].sort((a, b) => a - b)) {
    if (row >= rows) break;
    if (row > next) parts.push({ gap: { first: next, last: row } });
    parts.push({ row });
    next = row + 1;
  }
  return next < rows ? [...parts, { gap: { first: next, last: rows } }] : parts;
}

/** The rows to render in the next frame: moves towards the visible rows, with as many before as after them. */
export function movedWindow(
  { rows, most, step, drawn }: Pick<WindowOptions, 'rows' | 'most' | 'step' | 'drawn'>,
  viewport: RowWindow,
): RowWindow {
  const around = Math.max(MIN_AROUND, Math.floor((most - (viewport.last - viewport.first)) / 2));
  const size = viewport.last - viewport.first + 2 * around;
  const first = Math.max(0, Math.min(viewport.first - around, rows - size));
  const target = { first, last: Math.min(rows, first + size) };
  if (drawn.last <= viewport.first || drawn.first >= viewport.last)
    return { first: viewport.first, last: Math.min(viewport.first + step, target.last) };
  const isInSight = drawn.first <= viewport.first && drawn.last >= viewport.last;
  const isFull = drawn.last - drawn.first >= target.last - target.first;
  // Replaces rows only once the visible ones are near the end of the rendered ones, not for every row that passes.
  const isNearEnd = drawn.last - viewport.last < Math.min(around / 2, rows - drawn.last);
  const isNearStart = viewport.first - drawn.first < Math.min(around / 2, drawn.first);
  if (isInSight && isFull && !isNearEnd && !isNearStart) return drawn;
  const last = drawn.last < target.last ? Math.min(drawn.last + step, target.last) : target.last;
  const more = step - Math.max(0, last - drawn.last);
  return { first: drawn.first > first ? Math.max(first, drawn.first - more) : first, last };
}

/** Rendered columns on each side of the visible ones, so that a small scroll needs no others. */
const BESIDE = 4;

/**
 * The columns to render: unchanged while they include all visible ones.
 *
 * @param viewport `undefined` if unknown
 */
export function movedColumns(drawn: RowWindow, viewport: RowWindow | undefined): RowWindow {
  // One more on each side, which may become visible before the next frame.
  if (!viewport || (drawn.first <= Math.max(0, viewport.first - 1) && drawn.last > viewport.last))
    return drawn;
  return { first: Math.max(0, viewport.first - BESIDE), last: viewport.last + BESIDE };
}

const isSame = (a: RowWindow, b: RowWindow): boolean => a.first === b.first && a.last === b.last;

/**
 * Attached to the scrolling element. Rows identify themselves, or the rows they replace, in `data-first` and
 * `data-rows`.
 */
class RowWindowDirective extends AsyncDirective {
  #scroller: HTMLElement | undefined;
  #options: WindowOptions | undefined;
  #frame = 0;

  render(_options: WindowOptions): unknown {
    return noChange;
  }

  override update({ element }: ElementPart, [options]: [WindowOptions]): unknown {
    if (!this.#scroller) this.reconnected();
    this.#scroller = element as HTMLElement;
    this.#options = options;
    this.#schedule();
    return noChange;
  }

  override disconnected(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    document.removeEventListener('scroll', this.#schedule, { capture: true });
    removeEventListener('resize', this.#schedule);
  }

  override reconnected(): void {
    // Scrolling of the table and of its ancestors.
    document.addEventListener('scroll', this.#schedule, { capture: true, passive: true });
    addEventListener('resize', this.#schedule);
    this.#schedule();
  }

  readonly #schedule = (): void => {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#move();
    });
  };

  #move(): void {
    const [scroller, options] = [this.#scroller, this.#options];
    if (!scroller || !options || options.rows === 0) return;
    const { drawn, begins, onMove } = options;
    if (begins) scroller.scrollTop = 0;
    const viewport = seenIn(scroller);
    const rows = viewport ? movedWindow(options, viewport) : drawn;
    const columns = movedColumns(options.columns, viewport ? columnsIn(scroller) : undefined);
    if (begins || !isSame(rows, drawn) || !isSame(columns, options.columns)) onMove({ rows, columns });
  }
}

export const rowWindow = directive(RowWindowDirective);

/** Distance to the viewport in pixels at which a table is rendered. */
const AHEAD = 200;

/** The visible rows, assuming that the rows of a gap have equal heights. `undefined` if the table is not visible. */
function seenIn(scroller: HTMLElement): RowWindow | undefined {
  const place = scroller.getBoundingClientRect();
  const [top, bottom] = [Math.max(place.top, -AHEAD), Math.min(place.bottom, innerHeight + AHEAD)];
  if (top >= bottom) return undefined;
  const parts = [...scroller.querySelectorAll<HTMLElement>('tr[data-first]')].map((part) => ({
    first: Number(part.dataset['first']),
    rows: Number(part.dataset['rows']),
    rect: part.getBoundingClientRect(),
  }));
  const rowAt = (y: number): number => {
    const part = parts.find(({ rect }) => rect.bottom > y) ?? parts.at(-1);
    if (!part) return 0;
    const { first, rows, rect } = part;
    const share = rect.height > 0 ? (y - rect.top) / rect.height : 0;
    return first + Math.min(Math.max(Math.floor(share * rows), 0), rows - 1);
  };
  return { first: rowAt(top), last: rowAt(bottom) + 1 };
}

/** The visible columns, by their headers. */
function columnsIn(scroller: HTMLElement): RowWindow | undefined {
  const { left, right } = scroller.getBoundingClientRect();
  const heads = [...scroller.querySelectorAll<HTMLElement>('th[data-head]')].filter((head) => {
    const rect = head.getBoundingClientRect();
    return rect.right > left && rect.left < right;
  });
  const [first, last] = [heads[0], heads.at(-1)].map((head) => Number(head?.dataset['head']));
  return heads.length === 0 ? undefined : { first: first!, last: last! + 1 };
}
