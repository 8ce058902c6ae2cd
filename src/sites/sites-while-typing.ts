/** Keeps the call sites of a file that does not parse while code is typed. */
import type { Node } from './syntax/node.ts';
import type { CallSite, Field, MmrField, Place, RerankField } from './model.ts';
import type { Program } from './resolve/program.ts';
import type { Source } from './source.ts';

/** The difference of two texts as one replaced range; offsets are UTF-16 code units. */
interface Change {
  readonly start: number;
  readonly oldEnd: number;
  readonly newEnd: number;
}

export interface Before {
  readonly source: Source;
  readonly sites: readonly CallSite[];
}

/**
 * The sites found now, and previous ones that are only hidden by broken code. A site is kept while its callee is still
 * there and the code being typed does not parse. If the code parses again, or the edit is elsewhere, only the sites
 * found count.
 *
 * @param ignored sites that a comment excludes
 */
export function withHiddenSites(
  program: Program,
  now: readonly CallSite[],
  ignored: readonly CallSite[],
  before: Before,
): readonly CallSite[] {
  const change = changeBetween(before.source.text, program.source.text);
  const isDangling = change !== undefined && endsInAssignment(program.source.text, change.newEnd);
  if (!program.root.hasError && !isDangling) return now;
  const isTyping = change === undefined || isDangling || isBrokenAround(program, change);
  const sites = new Map(now.map((site) => [key(site.range), site]));
  const gone = new Set(ignored.map(({ range }) => key(range)));
  // A call that ran a retriever is no retrieval itself while the retriever is hidden.
  const sitesBefore = new Set<string>();
  const usesBefore = new Set<string>();
  for (const site of before.sites) {
    const shifted = shiftedSite(site, before.source, program.source, change);
    if (shifted) sitesBefore.add(key(shifted.range));
    for (const use of shifted?.uses ?? []) usesBefore.add(key(use));
    if (!isTyping && !site.held) continue;
    if (!shifted || gone.has(key(shifted.range))) continue;
    const current = sites.get(key(shifted.range));
    if (!current || (current.k.provenance === 'unknown' && site.k.provenance !== 'unknown'))
      sites.set(key(shifted.range), { ...shifted, held: true });
  }
  for (const use of usesBefore) if (!sitesBefore.has(use)) sites.delete(use);
  return [...sites.values()].toSorted((a, b) => a.range.cell - b.range.cell || a.range.start - b.range.start);
}

function key({ cell, start }: Place): string {
  return `${cell}:${start}`;
}

/**
 * Whether the edited line ends after its `=`. The Python grammar then takes the next line as the value, so there is no
 * parse error.
 */
function endsInAssignment(text: string, at: number): boolean {
  const end = text.indexOf('\n', at);
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, end < 0 ? text.length : end);
  return /[^=!<>]=[ \t]*\r?$/u.test(line);
}

/** Whether the edited statement does not parse. */
function isBrokenAround({ root, dialect }: Program, { start, newEnd }: Change): boolean {
  if (root.type === 'ERROR') return true;
  const around = root.descendantForIndex(Math.max(0, start - 1), newEnd);
  if (!around || around.id === root.id) return nearby(root, start, newEnd).some(({ hasError }) => hasError);
  return dialect.statement(around).hasError;
}

/** Top-level nodes next to the edit. */
function nearby(root: Node, start: number, end: number): Node[] {
  return root.children.filter(
    (child): child is Node => child !== null && child.endIndex >= start - 1 && child.startIndex <= end + 1,
  );
}

/** The site after the change has moved it. `undefined` if the change touched its callee. */
export function shiftedSite(
  site: CallSite,
  before: Source,
  after: Source,
  change: Change | undefined,
): CallSite | undefined {
  const move = (place: Place): Place | undefined => shiftedPlace(place, before, after, change);
  const range = move(site.range);
  if (!range) return undefined;
  const start = after.offset(range);
  if (start === undefined || !after.text.startsWith(site.callee, start)) return undefined;
  return {
    ...site,
    range,
    statement: move(site.statement) ?? range,
    uses: site.uses.flatMap((use) => move(use) ?? []),
    k: movedField(site.k, move),
    pool: site.pool && movedField(site.pool, move),
    mmr: site.mmr && movedMmr(site.mmr, move),
    hybridDense: site.hybridDense && movedField(site.hybridDense, move),
    rerank: site.rerank && movedRerank(site.rerank, move),
    embedModel: site.embedModel && movedField(site.embedModel, move),
    index: site.index && movedField(site.index, move),
    comment: site.comment && { ...site.comment, place: move(site.comment.place) ?? site.comment.place },
  };
}

type Move = (place: Place) => Place | undefined;

function movedField<T>(field: Field<T>, move: Move): Field<T> {
  return field.place ? { ...field, place: move(field.place) } : field;
}

function movedMmr(mmr: MmrField, move: Move): MmrField {
  return { ...mmr, own: movedField(mmr.own, move), relevance: movedField(mmr.relevance, move) };
}

function movedRerank({ model, topN }: RerankField, move: Move): RerankField {
  return { model: model && movedField(model, move), topN: topN && movedField(topN, move) };
}

/** The text between the first and the last difference. `undefined` for equal texts. */
export function changeBetween(before: string, after: string): Change | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let start = equalStart(before, after, shorter);
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let tail = equalTail(before, after, shorter - start);
  while (
    tail < shorter - start &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++;
  return { start, oldEnd: before.length - tail, newEnd: after.length - tail };
}

/** The length of the pieces in which texts are compared first. */
const PIECE = 1024;

/** A length up to which the texts are equal; the first difference is less than a piece away. */
function equalStart(a: string, b: string, most: number): number {
  let length = 0;
  while (length + PIECE <= most && a.slice(length, length + PIECE) === b.slice(length, length + PIECE))
    length += PIECE;
  return length;
}

function equalTail(a: string, b: string, most: number): number {
  let length = 0;
  const piece = (text: string): string => text.slice(text.length - length - PIECE, text.length - length);
  while (length + PIECE <= most && piece(a) === piece(b)) length += PIECE;
  return length;
}

/** The new location of a previous place. `undefined` if the change touched it. */
function shiftedPlace(
  place: Place,
  before: Source,
  after: Source,
  change: Change | undefined,
): Place | undefined {
  const start = before.offset(place);
  if (start === undefined) return undefined;
  const end = start + place.end - place.start;
  if (!change || end <= change.start) return after.place(start, end);
  const by = change.newEnd - change.oldEnd;
  if (start >= change.oldEnd) return after.place(start + by, end + by);
  // The change lies inside, so the place grows or shrinks with it.
  if (start <= change.start && end >= change.oldEnd) return after.place(start, end + by);
  return undefined;
}
