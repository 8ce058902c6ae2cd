/**
 * Edits as they are made in an editor, at random, and whether what is found out by reading on from the text before is
 * what is found out by reading the text anew.
 */
import assert from 'node:assert/strict';
import type { Cell, DetectOptions, Detection, SiteDetector } from '../../../src/sites/detector.ts';
import { builtInRules } from '../../../src/sites/rules/library.ts';

/** A small generator of numbers from 0 to 1 (mulberry32), so that every run makes the same edits. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Next = () => number;
type Edit = (text: string, next: Next, found: Detection) => string;

const TYPED = [
  ...[
    '1',
    '2',
    'x',
    ' ',
    '9',
    ' + 1',
    '.b',
    'k',
    '\n',
    'q',
    '(',
    ')',
    ', k=3',
    '"',
    '#',
    '{',
    '}',
    ':',
    '...',
  ],
  ...['y = 2\n', 'return x\n', 'limit = 4\n', '.search(', 'self.k = 9\n', 'TOP_K = 3\n', 'const q = 1;\n'],
  ...[
    'q.k = 4;\n',
    'setattr(a, b, 1)\n',
    'pass\n',
    'def f(k=2):\n',
    'class A(B):\n',
    '@cache\n',
    'global k\n',
  ],
  ...[
    'from x import *\n',
    '# parallax: k=7\n',
    '// parallax: ignore\n',
    '**kw',
    '...rest',
    ' as y',
    'await ',
  ],
];

function pick<T>(from: readonly T[], next: Next): T {
  return from[Math.floor(next() * from.length)]!;
}

function put(text: string, at: number, removed: number, inserted: string): string {
  return text.slice(0, at) + inserted + text.slice(at + removed);
}

function lineAt(text: string, next: Next): readonly [number, number] {
  const at = Math.floor(next() * text.length);
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  return [start, end < 0 ? text.length : end + 1];
}

/** In the statement of a call that was found, mostly among its arguments. */
function inCall(text: string, next: Next, { sites }: Detection): number {
  if (sites.length === 0) return Math.floor(next() * text.length);
  const { range, statement } = pick(sites, next);
  const [start, end] = next() < 0.7 ? [range.end, statement.end] : [statement.start, statement.end];
  return Math.min(text.length, start + Math.floor(next() * (end - start + 1)));
}

const EDITS: readonly Edit[] = [
  (text, next) => put(text, Math.floor(next() * (text.length + 1)), 0, pick(TYPED, next)),
  (text, next, found) => put(text, inCall(text, next, found), 0, pick(TYPED, next)),
  (text, next, found) => put(text, inCall(text, next, found), 0, pick(TYPED, next)),
  (text, next, found) => put(text, inCall(text, next, found), 1 + Math.floor(next() * 6), ''),
  (text, next) =>
    put(text, Math.floor(next() * text.length), 1 + Math.floor(next() * 12), pick(['', '', 'x', '1'], next)),
  // A line is taken out, doubled, or put elsewhere.
  (text, next) => {
    const [start, end] = lineAt(text, next);
    return put(text, start, end - start, '');
  },
  (text, next) => {
    const [start, end] = lineAt(text, next);
    return put(text, end, 0, text.slice(start, end));
  },
  (text, next) => {
    const [start, end] = lineAt(text, next);
    const without = put(text, start, end - start, '');
    return put(without, lineAt(without, next)[0], 0, text.slice(start, end));
  },
  // An import is taken out.
  (text, next) => {
    const imports = [...text.matchAll(/^.*\bimport\b.*\n/gmu)];
    const line = imports.length > 0 ? pick(imports, next) : undefined;
    return line ? put(text, line.index, line[0].length, '') : text;
  },
  // A name is given another letter at one place, or at all; a number becomes another.
  (text, next) => {
    const word = pick(text.match(/[A-Za-z_]\w*/gu) ?? ['x'], next);
    return next() < 0.5 ? text.replaceAll(word, `${word}2`) : text.replace(word, `${word}2`);
  },
  (text, next) => {
    const numbers = [...text.matchAll(/\d+/gu)];
    const number = numbers.length > 0 ? pick(numbers, next) : undefined;
    return number ? put(text, number.index, number[0].length, String(Math.floor(next() * 99))) : text;
  },
];

/** Typed character by character at one place, as a call is. */
function typed(text: string, next: Next, found: Detection): readonly string[] {
  const what = pick(
    [', k=12', 'limit: 7, ', '"a b"', '\nx = store.search(q, 3)\n', 'f(a, b)[0].c', '{"k": 5}'],
    next,
  );
  const at = inCall(text, next, found);
  return [...what].map((_, i) => put(text, at, 0, what.slice(0, i + 1)));
}

type CellsEdit = (cells: readonly Cell[], at: number, next: Next) => readonly Cell[];

/** What is done to cells as a whole: put in, taken out, put elsewhere, doubled, parted, joined, spoken otherwise. */
const CELLS_EDITS: readonly CellsEdit[] = [
  (cells, at, next) => cells.toSpliced(at, 0, { ...cells[at]!, text: pick(TYPED, next) }),
  (cells, at) => (cells.length > 1 ? cells.toSpliced(at, 1) : cells),
  (cells, at, next) => cells.toSpliced(at, 1).toSpliced(Math.floor(next() * cells.length), 0, cells[at]!),
  (cells, at) => cells.toSpliced(at, 0, cells[at]!),
  (cells, at, next) => {
    const { text, languageId } = cells[at]!;
    const place = Math.floor(next() * (text.length + 1));
    const parts = [text.slice(0, place), text.slice(place)].map((part) => ({ text: part, languageId }));
    return cells.toSpliced(at, 1, ...parts);
  },
  (cells, at) => {
    const [cell, behind] = cells.slice(at, at + 2);
    const joined = cell && behind && { ...cell, text: `${cell.text}\n${behind.text}` };
    return joined ? cells.toSpliced(at, 2, joined) : cells;
  },
  (cells, at, next) =>
    cells.with(at, { ...cells[at]!, languageId: pick(['markdown', 'python', 'typescript', 'python'], next) }),
];

/** Most edits are made in one cell, with what was found there. */
function inOneCell(
  cells: readonly Cell[],
  at: number,
  found: Detection,
  edit: (text: string, found: Detection) => readonly string[],
): readonly (readonly Cell[])[] {
  const cell = cells[at]!;
  const here = { ...found, sites: found.sites.filter(({ range }) => range.cell === at) };
  return edit(cell.text, here).map((text) => cells.with(at, { ...cell, text }));
}

export interface EditedProgram {
  readonly name: string;
  readonly cells: readonly Cell[];
  readonly isNotebook: boolean;
}

/**
 * Edits the program so many times, now and then from its beginning again.
 *
 * @returns how many programs were compared
 */
export async function compareWhileEditing(
  detector: SiteDetector,
  { name, cells: original, isNotebook }: EditedProgram,
  { edits, seed }: { readonly edits: number; readonly seed: number },
): Promise<number> {
  const next = random(seed);
  const detect = (cells: readonly Cell[], options?: DetectOptions): Promise<Detection> =>
    isNotebook
      ? detector.detectNotebook(cells, options)
      : detector.detect(cells[0]!.text, cells[0]!.languageId, options);
  let cells = original;
  let onward = await detect(cells);
  let anew = await detect(cells);
  let compared = 0;
  const become = async (now: readonly Cell[]): Promise<void> => {
    const before = textOf(cells);
    cells = now;
    onward = await detect(cells, { previous: onward });
    // With other rules, be they the same, nothing that was found out before counts.
    anew = await detect(cells, { previous: anew, rules: [...builtInRules()] });
    compared++;
    assert.deepEqual(
      said(onward),
      said(anew),
      `${name} after ${compared} edits (${seed}):\n${difference(before, textOf(cells))}`,
    );
  };
  while (compared < edits) {
    const at = Math.floor(next() * cells.length);
    const isTyped = next() < 0.15;
    if (next() < 0.1) await become(original);
    else if (isNotebook && next() < 0.2) await become(pick(CELLS_EDITS, next)(cells, at, next));
    else
      for (const each of inOneCell(cells, at, onward, (text, found) =>
        isTyped ? typed(text, next, found) : [pick(EDITS, next)(text, next, found)],
      ))
        await become(each);
  }
  detector.release(onward);
  detector.release(anew);
  return compared;
}

function textOf(cells: readonly Cell[]): string {
  return cells.map(({ text, languageId }) => `${languageId}: ${text}`).join('\n');
}

function said({ sites, problems, links, asked }: Detection): unknown {
  return { sites, problems, links, asked: asked.map((each) => JSON.stringify(each)).toSorted() };
}

function difference(before: string, after: string): string {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  const from = Math.max(0, start - 200);
  return `${before.slice(from, start + 200)}\n---\n${after.slice(from, start + 200)}`;
}
