/**
 * Edits as they are made in an editor, at random, and whether what is found out by reading on from the text before is
 * what is found out by reading the text anew.
 */
import assert from 'node:assert/strict';
import type { Detection, SiteDetector } from '../../../src/sites/detector.ts';
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

export interface EditedText {
  readonly name: string;
  readonly text: string;
  readonly languageId: string;
}

/**
 * Edits the text so many times, now and then from its beginning again.
 *
 * @returns how many texts were compared
 */
export async function compareWhileEditing(
  detector: SiteDetector,
  { name, text: original, languageId }: EditedText,
  { edits, seed }: { readonly edits: number; readonly seed: number },
): Promise<number> {
  const next = random(seed);
  let text = original;
  let onward = await detector.detect(text, languageId);
  let anew = await detector.detect(text, languageId);
  let compared = 0;
  const become = async (now: string): Promise<void> => {
    const before = text;
    text = now;
    onward = await detector.detect(text, languageId, { previous: onward });
    // With other rules, be they the same, nothing that was found out before counts.
    anew = await detector.detect(text, languageId, { previous: anew, rules: [...builtInRules()] });
    compared++;
    assert.deepEqual(
      said(onward),
      said(anew),
      `${name} after ${compared} edits (${seed}):\n${difference(before, text)}`,
    );
  };
  while (compared < edits) {
    if (next() < 0.1) await become(original);
    else if (next() < 0.15) for (const each of typed(text, next, onward)) await become(each);
    else await become(pick(EDITS, next)(text, next, onward));
  }
  detector.release(onward);
  detector.release(anew);
  return compared;
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
