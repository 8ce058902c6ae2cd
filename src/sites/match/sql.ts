/** Reads LIMIT, table and filter of a vector search in SQL. */
import type { Expression } from '../syntax/expression.ts';

/** The operand of LIMIT. */
export type Operand =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'expression'; readonly expression: Expression }
  /** `%(n)s`, `:n` */
  | { readonly kind: 'named'; readonly name: string }
  /** `%s`, `?` and `$2`; counted from 0. */
  | { readonly kind: 'numbered'; readonly position: number }
  | { readonly kind: 'other' };

export interface Sql {
  /** `undefined` if the statement sets no limit. */
  readonly limit: Operand | undefined;
  readonly table: string | undefined;
  readonly filtered: boolean;
}

/** Marks an interpolated expression; its number follows. */
const HOLE = '\u0001';
const LIMIT = new RegExp(
  String.raw`\blimit\s+(\d+\b|%s|%\(\w+\)s|:\w+|\$\d+|\?|${HOLE}\d+${HOLE}|\S+)|\bfetch\s+(?:first|next)\s+(\d+)`,
  'giu',
);

/** A function of the database may also order the rows. */
const ORDERED = /\border\s+by\b|\bfrom\s+[^\s(]+\s*\(/iu;

/** `undefined` for a text that is no ordered SELECT. */
export function readSql(expression: Expression): Sql | undefined {
  const parts = partsOf(expression);
  const text = parts.map((part, i) => (typeof part === 'string' ? part : `${HOLE}${i}${HOLE}`)).join('');
  if (!/\bselect\b/iu.test(text) || !ORDERED.test(text)) return undefined;
  const limit = [...text.matchAll(LIMIT)].findLast(({ index }) => nesting(text, index) === 0);
  return {
    limit: limit && operand(limit[1] ?? limit[2]!, text.slice(0, limit.index + limit[0].length), parts),
    table: /\bfrom\s+("?\p{ID_Start}[\p{ID_Continue}."]*)/iu.exec(text)?.[1]?.replaceAll('"', ''),
    filtered: isFiltered(text),
  };
}

/** Conditions that belong to the search itself: for words, or for sqlite-vec with its `k = 5`. */
const SEARCHES = /\bmatch\b|@@|\bk\s*=/iu;

/** Whether WHERE contains anything but the search itself. */
function isFiltered(text: string): boolean {
  const [, ...after] = text.split(/\bwhere\b/iu);
  const conditions = after.map((part) => part.split(/\b(?:order|group)\s+by\b|\blimit\b/iu)[0]!);
  return conditions.some(
    (all) => /\bor\b/iu.test(all) || all.split(/\band\b/iu).some((each) => !SEARCHES.test(each)),
  );
}

function partsOf(expression: Expression): readonly (string | Expression)[] {
  if (expression.kind === 'template') return expression.parts;
  return expression.kind === 'literal' ? [String(expression.value)] : [];
}

/** The number of open parentheses; a LIMIT inside of them belongs to a subquery. */
function nesting(text: string, index: number): number {
  let open = 0;
  for (const character of text.slice(0, index)) {
    if (character === '(') open++;
    else if (character === ')') open--;
  }
  return open;
}

function operand(written: string, before: string, parts: readonly (string | Expression)[]): Operand {
  if (/^\d+$/u.test(written)) return { kind: 'number', value: Number(written) };
  if (written === '%s' || written === '?')
    return { kind: 'numbered', position: before.split(written).length - 2 };
  if (/^\$\d/u.test(written)) return { kind: 'numbered', position: Number(written.slice(1)) - 1 };
  const name = /^%\((\w+)\)s$/u.exec(written)?.[1] ?? /^:(\w+)$/u.exec(written)?.[1];
  if (name !== undefined) return { kind: 'named', name };
  const part = written.startsWith(HOLE) ? parts[Number(written.slice(1, -1))] : undefined;
  return typeof part === 'object' ? { kind: 'expression', expression: part } : { kind: 'other' };
}
