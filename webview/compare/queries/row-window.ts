/**
 * Long and wide tables: only rows and columns around those in sight are in the document, a few more rows in each frame, and
 * rows and cells without content stand for the others.
 */
import { noChange } from 'lit/html.js';
import { AsyncDirective, directive, type ElementPart } from 'lit/async-directive.js';

/** Drawn before and behind those in sight, at the least. */
const LEAST_AROUND = 3;

/** Rows from the first to before the last. */
export interface RowWindow {
  readonly first: number;
  readonly last: number;
}

/** A part of a drawn table: a row, or a gap as high as the rows that it stands for. */
export type RowPart = { readonly row: number } | { readonly gap: RowWindow };

/** The rows of a table that are drawn. */
export interface TableWindow {
  readonly rows: RowWindow;
  readonly columns: RowWindow;
}

export interface WindowOptions {
  /** Of the whole table. */
  readonly rows: number;
  /** How many rows are in the document, and how many more in each frame. */
  readonly most: number;
  readonly step: number;
  readonly drawn: RowWindow;
  /** Of the columns, whose heads say in `data-head` which they are. */
  readonly columns: RowWindow;
  /** It begins anew, and is scrolled to its top. */
  readonly begins: boolean;
  readonly onMove: (drawn: TableWindow) => void;
}

/**
 * The parts of a table from its top to its end.
 *
 * @param kept a row that is drawn wherever the window is, as that of the keyboard
 */
export function rowParts(rows: number, drawn: RowWindow, kept: number): RowPart[] {
  const shown = new Set([kept]);
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

/** The rows to be drawn in the next frame: towards those in sight, with as many before as behind them. */
export function movedWindow(
  { rows, most, step, drawn }: Pick<WindowOptions, 'rows' | 'most' | 'step' | 'drawn'>,
  seen: RowWindow,
): RowWindow {
  const around = Math.max(LEAST_AROUND, Math.floor((most - (seen.last - seen.first)) / 2));
  const size = seen.last - seen.first + 2 * around;
  const first = Math.max(0, Math.min(seen.first - around, rows - size));
  const wanted = { first, last: Math.min(rows, first + size) };
  if (drawn.last <= seen.first || drawn.first >= seen.last)
    return { first: seen.first, last: Math.min(seen.first + step, wanted.last) };
  const isInSight = drawn.first <= seen.first && drawn.last >= seen.last;
  const isFull = drawn.last - drawn.first >= wanted.last - wanted.first;
  // Rows are exchanged once what is in sight is near the end of what is drawn, not with every row that passes.
  const isNearEnd = drawn.last - seen.last < Math.min(around / 2, rows - drawn.last);
  const isNearStart = seen.first - drawn.first < Math.min(around / 2, drawn.first);
  if (isInSight && isFull && !isNearEnd && !isNearStart) return drawn;
  const last = drawn.last < wanted.last ? Math.min(drawn.last + step, wanted.last) : wanted.last;
  const more = step - Math.max(0, last - drawn.last);
  return { first: drawn.first > first ? Math.max(first, drawn.first - more) : first, last };
}

/** Columns beside those in sight that are drawn, so that a small step to the side needs no others. */
const BESIDE = 4;

/**
 * The columns to be drawn: those that are there, while all in sight are among them.
 *
 * @param seen absent where that is not known
 */
export function movedColumns(drawn: RowWindow, seen: RowWindow | undefined): RowWindow {
  // One more on each side, which comes into sight before the next frame.
  if (!seen || (drawn.first <= Math.max(0, seen.first - 1) && drawn.last > seen.last)) return drawn;
  return { first: Math.max(0, seen.first - BESIDE), last: seen.last + BESIDE };
}

const isSame = (a: RowWindow, b: RowWindow): boolean => a.first === b.first && a.last === b.last;

/** On the element that scrolls; rows say in `data-first` and `data-rows` which they are, or stand for. */
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
    // Of the table, and of what it stands in.
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
    const seen = seenIn(scroller);
    const rows = seen ? movedWindow(options, seen) : drawn;
    const columns = movedColumns(options.columns, seen ? columnsIn(scroller) : undefined);
    if (begins || !isSame(rows, drawn) || !isSame(columns, options.columns)) onMove({ rows, columns });
  }
}

export const rowWindow = directive(RowWindowDirective);

/** Pixels at which a table that comes into sight begins to be drawn. */
const AHEAD = 200;

/** The rows in sight, where those that a gap stands for are taken to be of one height; nothing where the table is not. */
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

/** The columns in sight, by their heads. */
function columnsIn(scroller: HTMLElement): RowWindow | undefined {
  const { left, right } = scroller.getBoundingClientRect();
  const seen = [...scroller.querySelectorAll<HTMLElement>('th[data-head]')].filter((head) => {
    const rect = head.getBoundingClientRect();
    return rect.right > left && rect.left < right;
  });
  const [first, last] = [seen[0], seen.at(-1)].map((head) => Number(head?.dataset['head']));
  return seen.length === 0 ? undefined : { first: first!, last: last! + 1 };
}
