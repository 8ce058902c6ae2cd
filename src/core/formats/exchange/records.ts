/** JSON records in the shapes that tools export: lines, a list, a list within an object, or columns. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../errors.ts';
import { isRecord } from '../../text/json.ts';
import { linesOf, parseJson } from '../lines.ts';

export interface JsonRecord {
  /** The number of the line or list entry, from 1. */
  readonly number: number;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface JsonRecords {
  readonly records: readonly JsonRecord[];
  /** One sentence per line that is not a JSON object. */
  readonly problems: readonly string[];
}

/**
 * @param lists names under which an object may contain the list
 * @throws ParallaxError `bad-file` if neither the text nor any line of it is JSON
 */
export function parseRecords(text: string, lists: readonly string[]): JsonRecords {
  const whole = parseJson(text.replace(/^\uFEFF/u, ''));
  if (!('problem' in whole)) return ofList(listIn(whole.value, lists));
  const records: JsonRecord[] = [];
  const problems: string[] = [];
  for (const { number, text: line } of linesOf(text)) {
    const json = parseJson(line);
    if ('problem' in json) problems.push(l10n.t`Line ${number}: ${json.problem}; skipped.`);
    else if (isRecord(json.value)) records.push({ number, value: json.value });
    else problems.push(l10n.t`Line ${number}: no JSON object; skipped.`);
  }
  if (records.length === 0)
    throw new ParallaxError(
      'bad-file',
      problems[0] === undefined
        ? l10n.t('This is neither JSON nor JSON lines. It is empty.')
        : l10n.t`This is neither JSON nor JSON lines. ${problems[0]}`,
    );
  return { records, problems };
}

function listIn(value: unknown, lists: readonly string[]): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) throw new ParallaxError('bad-file', l10n.t('There are no records in it.'));
  const list = lists.map((name) => value[name]).find(Array.isArray);
  return (list as unknown[] | undefined) ?? rowsOfColumns(value) ?? [value];
}

/**
 * Reads the default form of pandas' `to_json`: `{"question": {"0": "…", "1": "…"}, …}`, one column after another, each
 * with a value for every row.
 *
 * @returns `undefined` if the value has another form
 */
function rowsOfColumns(value: Readonly<Record<string, unknown>>): Record<string, unknown>[] | undefined {
  const columns = Object.entries(value);
  const rows = isRecord(columns[0]?.[1]) ? Object.keys(columns[0][1]) : [];
  const isTable = columns.every(
    ([, column]) =>
      isRecord(column) &&
      Object.keys(column).length === rows.length &&
      rows.every((row) => Object.hasOwn(column, row)),
  );
  if (rows.length === 0 || !isTable) return undefined;
  return rows.map((row) =>
    Object.fromEntries(columns.map(([name, column]) => [name, (column as Record<string, unknown>)[row]])),
  );
}

function ofList(list: readonly unknown[]): JsonRecords {
  const records: JsonRecord[] = [];
  const problems: string[] = [];
  for (const [index, value] of list.entries())
    if (isRecord(value)) records.push({ number: index + 1, value });
    else problems.push(l10n.t`Record ${index + 1}: no JSON object; skipped.`);
  return { records, problems };
}
