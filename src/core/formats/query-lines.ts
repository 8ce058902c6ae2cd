/** Where the queries of an eval set stand, for links into the file. */
import { linesOf, parseJson } from './lines.ts';

/**
 * @param evalSet as `parseEvalSet` of queries.ts reads it
 * @returns per query id its line, from 1; of repeated ids the first, which is the one that counts
 */
export function queryLines(evalSet: string): Map<string, number> {
  const lines = new Map<string, number>();
  for (const { number, text } of linesOf(evalSet)) {
    const json = parseJson(text);
    const id = 'problem' in json ? undefined : idOf(json.value, number);
    if (id !== undefined && !lines.has(id)) lines.set(id, number);
  }
  return lines;
}

function idOf(record: unknown, line: number): string | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  const { _id, id } = record as { readonly _id?: unknown; readonly id?: unknown };
  const given = _id ?? id;
  if (given === undefined || given === null) return `q${line}`;
  return typeof given === 'string' || typeof given === 'number' ? String(given) : undefined;
}
