/**
 * Labels as people keep them in a table: a question, a perspective, a document and whether it supports, perhaps with a
 * quotation or the number of a passage. They become labels of a workspace, which hold where those of the panel do.
 */
import { STANDARDS } from '../../judging/standard.ts';
import type { Perspective, Qrels, Query, Verdict } from '../../model.ts';
import { parseTable } from './table.ts';
import { parseRecords, type JsonRecord, type JsonRecords } from './records.ts';
import { normalizePerspective, type Label } from '../labels.ts';
import { locateQuote, squeeze } from '../quotes.ts';

export interface SimpleLabel {
  /** Where it stands, for people: `row 3`. */
  readonly place: string;
  /** Id or text. */
  readonly query: string;
  /** Id or text. */
  readonly perspective: string;
  /** Its id, which is its path for a file, or that of one of its passages: `docs/a.md#p8`. */
  readonly document: string;
  readonly quote?: string | undefined;
  /** From 1. */
  readonly passage?: number | undefined;
  readonly verdict: Verdict;
  /** Who said so; nobody in particular when left out. */
  readonly by?: string | undefined;
  readonly note?: string | undefined;
}

export interface SimpleLabels {
  readonly rows: readonly SimpleLabel[];
  /** Rows that cannot be read, one sentence each. */
  readonly problems: readonly string[];
}

/** Accepted names of columns, in any case. */
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
      .find((own) => own !== undefined && own !== null);
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

/** Qrels as rows. Negative relevance means pooled but unjudged in TREC, and is none. */
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

/** A passage of a document, as labels can name it. */
export interface AnchorPassage {
  readonly id: string;
  readonly hash: string;
  readonly text: string;
}

/** The passages of a document of the corpus by its id; absent where there is no such document. */
export type DocumentsOfCorpus = ReadonlyMap<string, readonly AnchorPassage[]>;

/** The hashes of their words; see `documentHash` of a label. */
export type DocumentHashes = ReadonlyMap<string, string>;

export interface Anchored {
  readonly labels: readonly Label[];
  /** Rows that match nothing, by what is wrong with them. */
  readonly unmatched: ReadonlyMap<Mismatch, readonly SimpleLabel[]>;
  /** How many labels speak of one passage, of all that hold a quotation, and of whole documents with several passages. */
  readonly of: { readonly passages: number; readonly quotations: number; readonly documents: number };
}

export type Mismatch = 'query' | 'perspective' | 'document' | 'passage' | 'quote';

export interface AnchorOptions {
  /** Of the file, for rows that nobody in particular stands behind: people's labels win over these. */
  readonly name: string;
  /** Who gave the labels, where a row does not say so itself. */
  readonly by?: string | undefined;
  /** They are an agent's, by its name: no row is a person's then. */
  readonly agent?: string | undefined;
  /** ISO 8601. */
  readonly at: string;
  /** How the corpus is split: the `type` of its `split`. */
  readonly split: string;
  /** Of the documents; those without one have labels that are never stale. */
  readonly hashes?: DocumentHashes | undefined;
}

/** The ids of documents that rows may mean. */
export function documentsNamed(rows: readonly SimpleLabel[]): string[] {
  return [...new Set(rows.flatMap(({ document }) => [document, partOf(document)?.document ?? document]))];
}

/** `docs/a.md#p8` → the document and the number of its passage. */
function partOf(id: string): { document: string; passage: number } | undefined {
  const found = /^(.+)#p(\d+)$/u.exec(id);
  return found ? { document: found[1]!, passage: Number(found[2]) } : undefined;
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
      const others = unmatched.get(anchor);
      if (others) others.push(row);
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

/** The passage, quotation or document of a row, or a sentence on what is not in the corpus. */
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

/** A document that is not split has its first passage under its own name. */
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
  const person = saidBy ?? by ?? agent;
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
      person === undefined
        ? { kind: 'imported', name }
        : { kind: agent === undefined ? 'human' : 'agent', name: person },
    at,
    verdict,
    ...(note === undefined ? {} : { note }),
    standard: person === undefined ? 'imported' : STANDARDS.berds.id,
  };
}
