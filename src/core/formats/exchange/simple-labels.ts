/**
 * Labels from a table: a question, a perspective, a document and whether it supports, optionally with a quote or a
 * passage number. They become labels of a workspace, equivalent to those given in the panel.
 */
import { STANDARDS } from '../../judging/standard.ts';
import type { Perspective, Qrels, Query, Verdict } from '../../model.ts';
import { parseTable } from './table.ts';
import { parseRecords, type JsonRecord, type JsonRecords } from './records.ts';
import { normalizePerspective, type Label } from '../labels.ts';
import { locateQuote, squeeze } from '../quotes.ts';

export interface SimpleLabel {
  /** Its place for messages: `row 3`. */
  readonly place: string;
  /** Id or text. */
  readonly query: string;
  /** Id or text. */
  readonly perspective: string;
  /** A document id, which is the path for a file, or a passage id: `docs/a.md#p8`. */
  readonly document: string;
  readonly quote?: string | undefined;
  /** From 1. */
  readonly passage?: number | undefined;
  readonly verdict: Verdict;
  /** The person who gave the label. Optional. */
  readonly by?: string | undefined;
  readonly note?: string | undefined;
}

export interface SimpleLabels {
  readonly rows: readonly SimpleLabel[];
  /** One sentence per row that cannot be read. */
  readonly problems: readonly string[];
}

/** Accepted column names, case-insensitive. */
const COLUMNS = {
  query: ['query', 'question'],
  perspective: ['perspective'],
  document: ['document', 'path', 'file'],
  supports: ['supports', 'label', 'verdict'],
  quote: ['quote', 'quotation'],
  passage: ['passage'],
  by: ['by', 'annotator'],
  note: ['note'],
} as const;

const VERDICTS: ReadonlyMap<string, Verdict> = new Map([
  ...['yes', '1', 'true'].map((word) => [word, 'yes'] as const),
  ...['no', '0', 'false'].map((word) => [word, 'no'] as const),
  ['unsure', 'unsure'],
]);

/**
 * @param text JSON lines, a JSON list, or a table (CSV, TSV) with a header
 * @throws ParallaxError `bad-file` for anything else
 */
export function readSimpleLabels(text: string): SimpleLabels {
  const { records, problems } = recordsOf(text);
  const rows: SimpleLabel[] = [];
  const unreadable = [...problems];
  for (const record of records) {
    const row = rowOf(record);
    if (typeof row === 'string') unreadable.push(row);
    else rows.push(row);
  }
  return { rows, problems: unreadable };
}

function recordsOf(text: string): JsonRecords {
  return /^[\uFEFF\s]*[[{]/u.test(text) ? parseRecords(text, ['labels']) : parseTable(text, []);
}

function rowOf({ number, value }: JsonRecord): SimpleLabel | string {
  const place = `row ${number}`;
  const cells = new Map(Object.entries(value).map(([name, cell]) => [name.trim().toLowerCase(), cell]));
  const cellOf = (column: keyof typeof COLUMNS): string => {
    const cell = COLUMNS[column]
      .map((name) => cells.get(name))
      .find((field) => field !== undefined && field !== null);
    return typeof cell === 'object' || cell === undefined ? '' : String(cell as string).trim();
  };
  const missing = (['query', 'perspective', 'document', 'supports'] as const).filter(
    (name) => cellOf(name) === '',
  );
  if (missing.length > 0) return `Row ${number}: ${missing.join(' and ')} missing; skipped.`;
  const verdict = VERDICTS.get(cellOf('supports').toLowerCase());
  if (!verdict)
    return `Row ${number}: "supports" is "${cellOf('supports')}", and must be yes, no or unsure (or 1 or 0); skipped.`;
  const passage = cellOf('passage');
  if (passage !== '' && !/^[1-9]\d*$/u.test(passage))
    return `Row ${number}: "passage" is "${passage}", and must be a number from 1; skipped.`;
  return {
    place,
    query: cellOf('query'),
    perspective: cellOf('perspective'),
    document: cellOf('document').replace(/^\.\//u, ''),
    quote: cellOf('quote') || undefined,
    passage: passage === '' ? undefined : Number(passage),
    verdict,
    by: cellOf('by') || undefined,
    note: cellOf('note') || undefined,
  };
}

/** Qrels as rows. Drops judgements with negative relevance, which means pooled but unjudged in TREC. */
export function rowsOfQrels(qrels: Qrels): SimpleLabel[] {
  return [...qrels].flatMap(([query, topic]) =>
    [...topic].flatMap(([perspective, passages]) =>
      [...passages].flatMap(([document, relevance]): SimpleLabel[] =>
        relevance < 0
          ? []
          : [
              {
                place: `query ${query}, perspective ${perspective}`,
                query,
                perspective,
                document,
                verdict: relevance > 0 ? 'yes' : 'no',
              },
            ],
      ),
    ),
  );
}

/** A passage of a document that a label can refer to. */
export interface AnchorPassage {
  readonly id: string;
  readonly hash: string;
  readonly text: string;
}

/** The passages of each document of the corpus, by document id. */
export type DocumentsOfCorpus = ReadonlyMap<string, readonly AnchorPassage[]>;

/** Hashes of the documents' words, see `documentHash` of a label. */
export type DocumentHashes = ReadonlyMap<string, string>;

export interface Anchored {
  readonly labels: readonly Label[];
  /** Rows that match nothing, by the kind of mismatch. */
  readonly unmatched: ReadonlyMap<Mismatch, readonly SimpleLabel[]>;
  /**
   * The numbers of labels on one passage, on all passages with a quote, and on whole documents with several passages.
   */
  readonly of: { readonly passages: number; readonly quotations: number; readonly documents: number };
}

export type Mismatch = 'query' | 'perspective' | 'document' | 'passage' | 'quote';

export interface AnchorOptions {
  /** The name of the file, for rows without a person. People's labels take precedence over these. */
  readonly name: string;
  /** Who gave the labels, for rows that do not name a person. */
  readonly by?: string | undefined;
  /** The name of the agent that gave the labels. If set, no row counts as a person's. */
  readonly agent?: string | undefined;
  /** ISO 8601. */
  readonly at: string;
  /** The `type` of the corpus's `split`. */
  readonly split: string;
  /** Labels of documents without a hash are never stale. */
  readonly hashes?: DocumentHashes | undefined;
}

/** The ids of documents that rows may refer to. */
export function documentsNamed(rows: readonly SimpleLabel[]): string[] {
  return [...new Set(rows.flatMap(({ document }) => [document, partOf(document)?.document ?? document]))];
}

/** `docs/a.md#p8` → the document and the passage number. */
function partOf(id: string): { document: string; passage: number } | undefined {
  const match = /^(.+)#p(\d+)$/u.exec(id);
  return match ? { document: match[1]!, passage: Number(match[2]) } : undefined;
}

export function anchorLabels(
  rows: readonly SimpleLabel[],
  queries: readonly Query[],
  documents: DocumentsOfCorpus,
  options: AnchorOptions,
): Anchored {
  const byName = new Map([
    ...queries.map((query) => [normalizePerspective(query.text), query] as const),
    ...queries.map((query) => [query.id, query] as const),
  ]);
  const labels: Label[] = [];
  const unmatched = new Map<Mismatch, SimpleLabel[]>();
  const of = { passages: 0, quotations: 0, documents: 0 };
  for (const row of rows) {
    const query = byName.get(row.query) ?? byName.get(normalizePerspective(row.query));
    const perspective = query && perspectiveOf(query, row.perspective);
    const anchor = perspective ? anchorOf(row, documents) : query ? 'perspective' : 'query';
    if (typeof anchor === 'string') {
      const rowsOfReason = unmatched.get(anchor);
      if (rowsOfReason) rowsOfReason.push(row);
      else unmatched.set(anchor, [row]);
      continue;
    }
    labels.push(labelOf(row, { query: query!, perspective: perspective!, anchor }, options));
    if (anchor.hash !== undefined) of.passages++;
    else if (anchor.quote !== undefined) of.quotations++;
    else if (documents.get(anchor.document)!.length > 1) of.documents++;
    else of.passages++;
  }
  return { labels, unmatched, of };
}

function perspectiveOf({ perspectives }: Query, named: string): Perspective | undefined {
  const statement = normalizePerspective(named);
  return (
    perspectives.find(({ id }) => id === named) ??
    perspectives.find(({ text }) => normalizePerspective(text) === statement)
  );
}

type Anchor = Pick<Label, 'document' | 'quote' | 'hash'>;

/** The passage, quote or document of a row, or what the corpus lacks. */
function anchorOf(row: SimpleLabel, documents: DocumentsOfCorpus): Anchor | Mismatch {
  const { quote } = row;
  const part = documents.has(row.document) ? undefined : partOf(row.document);
  const document = part?.document ?? row.document;
  const number = part?.passage ?? row.passage;
  const passages = documents.get(document);
  if (!passages) return 'document';
  if (number !== undefined) {
    const passage = passages.find(({ id }) => id === `${document}#p${number}`) ?? onlyOne(passages, number);
    return passage ? { document, hash: passage.hash, ...(quote === undefined ? {} : { quote }) } : 'passage';
  }
  if (quote === undefined) return { document };
  const sought = squeeze(quote);
  return passages.some(({ text }) => locateQuote(squeeze(text), sought)) ? { document, quote } : 'quote';
}

/** A document that is not split has its only passage under its own id. */
function onlyOne(passages: readonly AnchorPassage[], number: number): AnchorPassage | undefined {
  return number === 1 && passages.length === 1 ? passages[0] : undefined;
}

function labelOf(
  { verdict, note, by: saidBy }: SimpleLabel,
  about: { readonly query: Query; readonly perspective: Perspective; readonly anchor: Anchor },
  { name, by, agent, at, split, hashes }: AnchorOptions,
): Label {
  const { query, perspective, anchor } = about;
  const isWhole = anchor.hash === undefined && anchor.quote === undefined;
  const documentHash = hashes?.get(anchor.document);
  const annotator = saidBy ?? by ?? agent;
  return {
    v: 1,
    query: query.id,
    queryText: query.text,
    perspective: perspective.id,
    perspectiveText: perspective.text,
    ...anchor,
    ...(anchor.hash === undefined ? {} : { split }),
    ...(isWhole && documentHash !== undefined ? { documentHash } : {}),
    by:
      annotator === undefined
        ? { kind: 'imported', name }
        : { kind: agent === undefined ? 'human' : 'agent', name: annotator },
    at,
    verdict,
    ...(note === undefined ? {} : { note }),
    standard: annotator === undefined ? 'imported' : STANDARDS.berds.id,
  };
}
