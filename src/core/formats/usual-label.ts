/** The labels that the product writes, read without asking the schema: that takes half of the time of a million lines. */
import type { Label } from './labels.ts';

const TEXTS: ReadonlySet<string> = new Set([
  'query',
  'queryText',
  'perspective',
  'perspectiveText',
  'document',
  'hash',
  'split',
  'at',
  'standard',
]);

/** No day that some months lack, and no year that a date function takes for another. */
const USUAL_TIME =
  /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/u;
const ZERO = 48;

/**
 * @param json a line's value
 * @returns what the schema makes of it; `undefined` where that has to be asked
 */
export function usualLabel(json: unknown): Label | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const line = json as Partial<Label>;
  for (const key in line)
    if (!(TEXTS.has(key) ? typeof line[key as keyof Label] === 'string' : isUsual(key, line)))
      return undefined;
  const { v, query, perspective, perspectiveText, document, by, at, verdict } = line;
  const isWhole = v && by && verdict && query !== undefined && perspective !== undefined && at !== undefined;
  // An empty text is none.
  if (!isWhole || !perspectiveText || !document) return undefined;
  return { ...line, standard: line.standard ?? 'berds-1' } as Label;
}

function isUsual(key: string, { v, by, verdict }: Partial<Label>): boolean {
  if (key === 'v') return v === 1;
  if (key === 'verdict') return verdict === 'yes' || verdict === 'no' || verdict === 'unsure';
  return key === 'by' && isPerson(by);
}

function isPerson(by: unknown): boolean {
  if (typeof by !== 'object' || by === null) return false;
  const { kind, name } = by as Partial<Label['by']>;
  return (kind === 'human' || kind === 'imported') && typeof name === 'string';
}

/** @returns milliseconds of a time as the product writes it; `undefined` for one that a date function has to read */
export function usualTime(at: string): number | undefined {
  if (!USUAL_TIME.test(at)) return undefined;
  const [hours, minutes, seconds] = [twoDigits(at, 11), twoDigits(at, 14), twoDigits(at, 17)];
  const milliseconds = 10 * twoDigits(at, 20) + at.charCodeAt(22) - ZERO;
  const year = 100 * twoDigits(at, 0) + twoDigits(at, 2);
  return Date.UTC(year, twoDigits(at, 5) - 1, twoDigits(at, 8), hours, minutes, seconds, milliseconds);
}

function twoDigits(text: string, at: number): number {
  return 10 * (text.charCodeAt(at) - ZERO) + text.charCodeAt(at + 1) - ZERO;
}
