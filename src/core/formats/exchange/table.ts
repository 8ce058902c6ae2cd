/** CSV with a header row, as data frames write it. Lists are texts in Python or JSON notation. */
import * as l10n from '@vscode/l10n';
import { parse } from 'csv-parse/sync';
import { messageOf, ParallaxError } from '../../errors.ts';
import type { JsonRecord, JsonRecords } from './records.ts';

/**
 * @param lists names of the columns that contain lists
 * @returns one record per row, without empty cells and without the unnamed column of row numbers
 * @throws ParallaxError `bad-file` if the text is not CSV
 */
export function parseTable(text: string, lists: readonly string[]): JsonRecords {
  const records: JsonRecord[] = [];
  const problems: string[] = [];
  const { names, rows } = rowsOf(text);
  if (rows.length === 0)
    throw new ParallaxError('bad-file', l10n.t('This is neither JSON nor CSV with rows below a header.'));
  for (const [index, row] of rows.entries()) {
    const number = index + 1;
    const unreadable: string[] = [];
    // Iterates over the cells, which may be far fewer than the header's columns.
    const cells = row.flatMap((cell, at) => {
      const name = names[at]!;
      return name === '' || cell === '' ? [] : [[name, cell] as const];
    });
    const value = Object.fromEntries(
      cells.map(([name, cell]) => {
        if (!lists.includes(name)) return [name, cell];
        const list = parseList(cell);
        if (!list) unreadable.push(name);
        return [name, list];
      }),
    );
    if (unreadable.length === 0) records.push({ number, value });
    else problems.push(l10n.t`Row ${number}: ${unreadable[0]!} is not a list of strings; skipped.`);
  }
  return { records, problems };
}

interface Table {
  readonly names: readonly string[];
  /** No row is longer than `names`. */
  readonly rows: readonly (readonly string[])[];
}

function rowsOf(text: string): Table {
  try {
    const [names = [], ...rows] = parse(text, {
      bom: true,
      delimiter: delimiterOf(text),
      relax_column_count: true,
      skip_empty_lines: true,
    });
    const long = rows.findIndex((row) => row.length > names.length);
    if (long < 0) return { names, rows };
    throw new Error(l10n.t`row ${long + 1} has more fields than the header.`);
  } catch (error) {
    throw new ParallaxError(
      'bad-file',
      l10n.t`This is neither JSON nor CSV with rows below a header: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

/** The delimiter of the header: a tab, or a semicolon as used in locales with a decimal comma. */
function delimiterOf(text: string): string {
  const [header = ''] = text.split(/\r?\n/u, 1);
  if (header.includes('\t')) return '\t';
  return header.includes(';') && !header.includes(',') ? ';' : ',';
}

/** A text in single or double quotes. numpy puts no comma between two of them. */
const ITEM = /(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*(?:,\s*)?/suy;

/** The character for each letter after a backslash, in JSON and Python. */
const SIGNS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/**
 * Parses `['it', "it's"]` as Python prints a list of texts, or the same in JSON.
 *
 * @returns `undefined` if the text is not such a list
 */
export function parseList(text: string): string[] | undefined {
  const list = text.trim();
  if (!list.startsWith('[') || !list.endsWith(']')) return undefined;
  const inner = list.slice(1, -1).trim();
  const items: string[] = [];
  for (let position = 0; position < inner.length; position = ITEM.lastIndex) {
    ITEM.lastIndex = position;
    const match = ITEM.exec(inner);
    if (!match) return undefined;
    items.push(unescaped(match[1] ?? match[2] ?? ''));
  }
  return items;
}

function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/gsu,
    (whole, byte?: string, unit?: string, point?: string, sign?: string) => {
      const code = Number.parseInt(byte ?? unit ?? point ?? '', 16);
      if (Number.isNaN(code)) return SIGNS[sign ?? ''] ?? sign ?? whole;
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
