/**
 * CSV and TSV with a header row: every data row is a record.
 */
import { pipeline, Readable } from 'node:stream';
import * as l10n from '@vscode/l10n';
import { parse, type CsvError, type Info, type Options, type Parser } from 'csv-parse';
import iconv from 'iconv-lite';
import {
  COMMON_TEXT_FIELDS,
  DISTINCT_TEXT_FIELDS,
  recordContent,
  recordItem,
  recordProblem,
} from './records.ts';
import type { DraftRecord, ReadContext, ReadItem, StreamedReader } from './reader.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** A field of a tab-separated file that begins and ends with a quotation mark. */
const QUOTED_TSV_FIELD = /(?:^|\t)"[^\t\n\r\u2028\u2029]*"(?:\t|\r?$)/m;

/** Spreadsheets have 16,384. */
const MAX_COLUMNS = 20_000;

/** One parsed row with csv-parse's counters after it. */
interface Row {
  readonly record: readonly string[];
  readonly info: Info;
}

export const delimitedReader: StreamedReader = {
  streamed: true,
  decodesRecords: false,
  async *read(chunks, encoding, context): AsyncGenerator<ReadItem> {
    const text = decoded(chunks, encoding)[Symbol.asyncIterator]();
    const first = await text.next();
    if (first.done) return;
    const dialect = dialectOf(first.value, context.name);
    yield* rows(resumed(first.value, text), dialect, context);
  },
};

async function* decoded(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<string> {
  const decoder = iconv.getDecoder(encoding);
  for await (const chunk of chunks) yield decoder.write(chunk);
  yield decoder.end() ?? '';
}

async function* resumed(first: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** The most frequent delimiter of the first line, and whether fields may be quoted. */
function dialectOf(head: string, name: string): Pick<Options, 'delimiter' | 'quote'> {
  if (/\.(?:tsv|tab)$/i.test(name))
    return { delimiter: '\t', quote: QUOTED_TSV_FIELD.test(head) ? '"' : null };
  const header = (/^[^\r\n]*/.exec(head)?.[0] ?? '').replace(/"[^"]*"/g, '');
  const count = (delimiter: string) => header.split(delimiter).length;
  const delimiter = DELIMITERS.reduce((best, next) => (count(next) > count(best) ? next : best));
  return { delimiter, quote: '"' };
}

async function* rows(
  text: AsyncIterable<string>,
  dialect: Pick<Options, 'delimiter' | 'quote'>,
  context: ReadContext,
): AsyncGenerator<ReadItem> {
  let failure: CsvError | undefined;
  const parser = parse({
    ...dialect,
    info: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: context.maxRecordBytes,
    // An error would discard the rows that were parsed but not yet taken.
    skip_records_with_error: true,
    on_skip: (error) => void (failure ??= error),
  });
  expectsAnyLength(parser);
  // Errors of the source reach the loop below through the parser.
  pipeline(Readable.from(until(text, () => failure !== undefined)), parser, () => undefined);
  let header: Header | undefined;
  let nextLine = 0;
  // csv-parse counts a line break `\r\n` within quotes as two lines.
  let countedTwice = 0;
  for await (const { record, info } of parser as AsyncIterable<Row>) {
    countedTwice += countIn(record, /\r\n/g);
    nextLine = info.lines - countedTwice;
    if (header) {
      const draft = { number: info.records - 1, line: nextLine - 1 - countIn(record, /\r\n|\r|\n/g) };
      if (record.length !== header.names.length) yield raggedRow(record, header, draft);
      yield rowItem(record, header, draft, context);
    } else if (record.length > MAX_COLUMNS) {
      const place = { number: 0, line: 0 };
      const wrong = l10n.t`the header has ${record.length} columns; at most ${MAX_COLUMNS} are read.`;
      yield { problem: recordProblem(place, () => wrong) };
      return;
    } else header = new Header(record, context);
  }
  if (failure)
    yield {
      problem: recordProblem({ number: nextLine, line: nextLine }, () => describeFailure(failure!, context)),
    };
}

/** In UTF-16 units. Parsing a piece blocks everything else. */
const PIECE = 16_384;

/** Passes the text on, piece by piece, as long as it is needed. */
async function* until(text: AsyncIterable<string>, stopped: () => boolean): AsyncGenerator<string> {
  let high = '';
  for await (const part of text)
    for (let from = 0; from < part.length; from += PIECE) {
      if (stopped()) return;
      const piece = high + part.slice(from, from + PIECE);
      // Keeps both halves of a surrogate pair together.
      high = /[\ud800-\udbff]$/.exec(piece)?.[0] ?? '';
      yield piece.slice(0, piece.length - high.length);
    }
  yield high;
}

/**
 * csv-parse creates an error, with a stack and copies of its state, for every row whose length differs from the
 * header, and then discards it. Such rows took ten times as long as others, so every row gets the expected length.
 */
function expectsAnyLength(parser: Parser): void {
  const { state } = parser as Parser & { readonly state?: { readonly record: readonly unknown[] } };
  if (!state) return;
  const expected = { get: () => state.record.length, set: () => undefined };
  Object.defineProperty(state, 'expectedRecordLength', expected);
}

function describeFailure(error: CsvError, context: ReadContext): string {
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return l10n.t('a quotation mark is opened and never closed; the rest of the file is left out.');
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return l10n.t`the row is longer than ${context.maxRecordBytes} bytes (maxFileBytes of the corpus); the rest of the file is left out.`;
  return `${error.message}.`;
}

function countIn(record: readonly string[], pattern: RegExp): number {
  return record.reduce((sum, field) => sum + (field.match(pattern)?.length ?? 0), 0);
}

/** The names of the columns, and whether one of them has the text. */
class Header {
  readonly names: readonly string[];
  readonly hasText: boolean;
  /** The columns that may be read from a record, empty, for rows that lack them. */
  readonly blank: Readonly<Record<string, string>>;

  constructor(row: readonly string[], context: ReadContext) {
    const names = row.map((name) => name.trim());
    // `Text` serves as `text`, unless the configuration names a field.
    const usual = new Set<string | undefined>([...COMMON_TEXT_FIELDS, '_id', 'id', 'title']);
    this.names = names.map((name) => (usual.has(name.toLowerCase()) ? name.toLowerCase() : name));
    if (context.textField !== undefined || context.idField !== undefined) this.names = names;
    const knownNames = new Set([...usual, ...DISTINCT_TEXT_FIELDS, context.textField, context.idField]);
    this.blank = Object.fromEntries(
      this.names.filter((name) => knownNames.has(name)).map((name) => [name, '']),
    );
    this.hasText =
      recordContent(Object.fromEntries(this.names.map((name) => [name, name])), context) !== undefined;
  }
}

function rowItem(row: readonly string[], header: Header, draft: DraftRecord, context: ReadContext): ReadItem {
  // Only over existing cells, so that a short row under a long header costs only its own length.
  const cells = row.slice(0, header.names.length).map((value, at) => ({ name: header.names[at]!, value }));
  const named = cells.map(({ name, value }) => [name, value] as const);
  const record: Record<string, string> = Object.fromEntries([...Object.entries(header.blank), ...named]);
  if (header.hasText || context.textField !== undefined) return recordItem(record, draft, context);
  // No column has the text, so all of them do.
  const text = cells
    .map(({ name, value }) => ({ name, value: value.trim() }))
    .filter(({ value }) => value !== '')
    .map(({ name, value }) => `${name}: ${value}`)
    .join('\n');
  return recordItem({ ...record, text }, draft, { ...context, textField: undefined });
}

function raggedRow(row: readonly string[], header: Header, draft: DraftRecord): ReadItem {
  const message = () =>
    l10n.t`${row.length} fields where the header has ${header.names.length}; read as far as they go.`;
  return { problem: recordProblem(draft, message) };
}
