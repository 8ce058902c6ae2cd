/**
 * Reads passages from the result of a call in a running program, for any library. The value has the form written by
 * hooks (`src/features/live/contract/protocol.ts`). The tables below list the fields to read.
 */
import { isRecord, unpacked } from '../../../core/text/json.ts';

/** One passage as the program received it. */
export interface LivePassage {
  readonly id?: string;
  readonly text?: string;
  readonly score?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export type LiveReading =
  | {
      readonly passages: readonly LivePassage[];
      /** The number of passages that hooks dropped because there were too many. */
      readonly more: number;
    }
  /** `positions`: numbers of passages that the program looks up later. `other`: nothing resembles passages. */
  | { readonly none: 'positions' | 'other' };

type Fields = Readonly<Record<string, unknown>>;

/** Names of result lists in stores and frameworks, most specific first. */
const LISTS = [
  'hits',
  'points',
  'matches',
  'results',
  'result',
  'rows',
  'documents',
  'docs',
  'source_documents',
  'sourceDocuments',
  'source_nodes',
  'sourceNodes',
  'nodes',
  'objects',
  'passages',
  'chunks',
  'contexts',
  'context',
  'records',
  'items',
  'retrievalResults',
  'organic_results',
  'organic',
  'value',
  'data',
  'body',
  'response',
  'output',
  'answer',
  'artifact',
  'Get',
];
/** Fields that wrap a result. */
const WRAPPERS = [
  'node',
  'document',
  'doc',
  'payload',
  '_source',
  'properties',
  'entity',
  'fields',
  'item',
  'chunk',
  'passage',
  'value',
  'obj',
  'record',
];
const METADATA = ['metadata', 'meta', 'metadatas', 'cmetadata', 'metadata_', 'extra_info'];
const TEXTS = [
  'pageContent',
  'page_content',
  'text',
  'content',
  'document',
  'doc',
  'chunk',
  'chunk_text',
  'chunkText',
  'passage',
  'body',
  'contents',
  'chunk_content',
  'page_text',
  'raw_content',
  'snippet',
  'description',
  'answer',
  'abstract',
  'summary',
];
const IDS = [
  'id',
  '_id',
  'id_',
  'node_id',
  'uuid',
  'chunk_id',
  'chunkId',
  'doc_id',
  'document_id',
  'documentId',
  'key',
  'pk',
  'rowid',
  '_key',
];
const SCORES = [
  'score',
  '_score',
  '@search.score',
  'similarity',
  'relevance_score',
  'relevanceScore',
  'distance',
  '_distance',
  '_relevance_score',
  'certainty',
  'rank',
  'bm25',
  '$dist',
  'dist',
  'vector_distance',
  'rrf_score',
];
const MAX_DEPTH = 5;
/** The least length of a field to count as text, if it is the longest of its record. */
const MIN_TEXT = 20;

/**
 * @param value as sent by hooks
 * @returns the passages, best first as the program received them, or why there are none
 */
export function livePassages(value: unknown): LiveReading {
  return reading(plain(unpacked(value)), 0) ?? { none: isNumbers(value) ? 'positions' : 'other' };
}

/** The question in an argument: a text, a list with one text, or an object with a named one. */
export function liveQuestion(value: unknown): string | undefined {
  const read = plain(value);
  if (typeof read === 'string') return read.trim() === '' ? undefined : read;
  if (Array.isArray(read)) return read.length === 1 ? liveQuestion(read[0]) : undefined;
  if (!isRecord(read)) return undefined;
  const names = ['query', 'question', 'query_str', 'queryStr', 'input', 'text', 'q'];
  return names
    .map((name) => read[name])
    .find((entry): entry is string => typeof entry === 'string' && entry.trim() !== '');
}

/** The requested k: a whole number of at least 1, possibly as text. */
export function liveK(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 1 ? number : undefined;
}

function reading(value: unknown, depth: number): LiveReading | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return ofList(value, depth);
  if (typeof value === 'string') return ofText(value, depth);
  if (!isRecord(value)) return undefined;
  return ofColumns(value) ?? ofHolder(value, depth);
}

/** A single text is the whole assembled context. */
function ofText(value: string, depth: number): LiveReading | undefined {
  const inner = unpacked(value);
  if (typeof inner !== 'string') return reading(plain(inner), depth + 1);
  return value.trim() === '' ? undefined : { passages: [{ text: value }], more: 0 };
}

function ofList(list: readonly unknown[], depth: number): LiveReading | undefined {
  const { items, more } = withoutMore(list);
  if (items.length === 0) return { passages: [], more };
  const rows = transposed(items);
  if (rows) return ofList(rows, depth + 1);
  const places = scorePlaces(items.filter((item): item is unknown[] => Array.isArray(item)));
  const candidates = items.map((item) => (Array.isArray(item) ? ofTuple(item, 0, places) : passage(item)));
  const sure = candidates.filter((each) => each !== undefined);
  // A passage has a text or an id. Other entries among passages are dropped.
  if (sure.some(({ text }) => text !== undefined)) return { passages: sure, more };
  const inner = items.map((item) =>
    Array.isArray(item) || isRecord(item) ? reading(item, depth + 1) : undefined,
  );
  const first = inner.find((each) => each && 'passages' in each && each.passages.length > 0);
  if (first) return first;
  if (sure.length === items.length && !items.every(isTuple)) return { passages: sure, more };
  return inner.find((each) => each !== undefined && 'passages' in each);
}

/** The rows of `([document, …], [score, …])`, which functions return as a tuple. Long lists of numbers are left out. */
function transposed(columns: readonly unknown[]): unknown[][] | undefined {
  const lists = columns.filter((each): each is unknown[] => Array.isArray(each));
  const [first] = lists;
  if (!first || first.length === 0 || columns.length < 2) return undefined;
  if (columns.some((each) => each !== null && !Array.isArray(each))) return undefined;
  if (lists.some(({ length }) => length !== first.length)) return undefined;
  const hasNumbers = (list: readonly unknown[]): boolean => list.every((each) => typeof each === 'number');
  const hasTexts = (list: readonly unknown[]): boolean =>
    list.every((each) => typeof each === 'string') || list.every(isRecord);
  const scores = lists.filter(hasNumbers).length;
  const isColumns = lists.every((list) => hasNumbers(list) || hasTexts(list)) && scores < lists.length;
  if (!isColumns || scores + (columns.length - lists.length) === 0) return undefined;
  return first.map((_, row) => lists.map((list) => list[row]));
}

function withoutMore(list: readonly unknown[]): {
  readonly items: readonly unknown[];
  readonly more: number;
} {
  const last = list.at(-1);
  const more = isRecord(last) && typeof last['$more'] === 'number' ? last['$more'] : 0;
  return { items: more > 0 ? list.slice(0, -1) : list, more };
}

const isTuple = (item: unknown): boolean => Array.isArray(item);

/** An object that contains the list, or is one passage. */
function ofHolder(value: Fields, depth: number): LiveReading | undefined {
  let empty: LiveReading | undefined;
  for (const name of LISTS) {
    const inner = value[name];
    if (!Array.isArray(inner) && !isRecord(inner)) continue;
    const innerReading = reading(inner, depth + 1);
    if (!innerReading || !('passages' in innerReading)) continue;
    if (innerReading.passages.length > 0) return innerReading;
    empty ??= innerReading;
  }
  if (empty) return empty;
  // GraphQL: {"Get": {"Passage": […]}}.
  const [only, second] = Object.entries(value).filter(([name]) => name !== '$type');
  if (only && !second && (Array.isArray(only[1]) || isRecord(only[1]))) return reading(only[1], depth + 1);
  const single = passage(value);
  return single?.text === undefined ? undefined : { passages: [single], more: 0 };
}

/** Parallel columns, as in Chroma and DB-API cursors. Reads the first of several questions. */
function ofColumns(value: Fields): LiveReading | undefined {
  if (value['$type'] === 'Rows') return ofRows(value);
  const ids = column(value['ids']);
  const documents = column(value['documents']);
  if (!ids && !documents) return undefined;
  if (documents?.some((each) => isRecord(each))) return undefined;
  const metadatas = column(value['metadatas']);
  const scores = column(value['distances']) ?? column(value['scores']);
  const passages = (documents ?? ids!).map((_, place): LivePassage => {
    const metadata = metadatas?.[place];
    return passageOf({ id: ids?.[place], text: documents?.[place], score: scores?.[place], metadata });
  });
  return { passages, more: 0 };
}

function column(value: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const inner: unknown = Array.isArray(value[0]) ? value[0] : value;
  return withoutMore(inner as readonly unknown[]).items;
}

function ofRows({ columns, rows }: Fields): LiveReading | undefined {
  if (!Array.isArray(columns) || !Array.isArray(rows)) return undefined;
  const named = rows.map((row: unknown) =>
    Array.isArray(row)
      ? Object.fromEntries(columns.map((name, place) => [String(name), row[place] as unknown]))
      : row,
  );
  return ofList(named, 0);
}

function passage(item: unknown, depth = 0): LivePassage | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (typeof item === 'string') return item.trim() === '' ? undefined : { text: item };
  if (Array.isArray(item)) return ofTuple(item, depth, new Set());
  if (!isRecord(item)) return undefined;
  return ofRecord(item, depth);
}

/** The places of numbers that are no ids: a fraction is among them, or one of them twice. */
function scorePlaces(tuples: readonly (readonly unknown[])[]): ReadonlySet<number> {
  const places = (tuples[0] ?? []).map((_, place) => place);
  return new Set(
    places.filter((place) => {
      const column = tuples.map((tuple) => tuple[place]);
      if (!column.every((each) => typeof each === 'number')) return false;
      return column.some((each) => !Number.isInteger(each)) || new Set(column).size < column.length;
    }),
  );
}

/**
 * `(document, score)`, or a row of a table with unnamed columns.
 *
 * @param scores places of numbers that are no ids
 */
function ofTuple(
  tuple: readonly unknown[],
  depth: number,
  scores: ReadonlySet<number>,
): LivePassage | undefined {
  const [first, second] = tuple;
  if (isRecord(first)) {
    const inner = passage(first, depth + 1);
    return inner && tuple.length <= 3 ? scored(inner, numberOf(second)) : inner;
  }
  const texts = tuple.filter((each): each is string => typeof each === 'string');
  const text = texts.toSorted((a, b) => b.length - a.length)[0];
  if (text === undefined) return undefined;
  const otherParts = tuple.map((value, place) => ({ value, place })).filter(({ value }) => value !== text);
  const idPart = otherParts.find(
    ({ value, place }) =>
      typeof value === 'string' ||
      (typeof value === 'number' && Number.isInteger(value) && !scores.has(place)),
  );
  const score = otherParts.findLast(
    ({ value, place }) => typeof value === 'number' && place !== idPart?.place,
  );
  return passageOf({
    id: idPart?.value,
    text,
    score: score?.value,
    metadata: otherParts.map(({ value }) => value).find(isRecord),
  });
}

function ofRecord(record: Fields, depth: number): LivePassage | undefined {
  // Messages of a conversation have a text too.
  if (typeof record['role'] === 'string' && 'content' in record) return undefined;
  if (record['type'] === 'constructor' && isRecord(record['kwargs']))
    return ofRecord(record['kwargs'], depth + 1);
  const inners = WRAPPERS.flatMap((name) => (isRecord(record[name]) ? [record[name] as Fields] : []));
  const metadatas = METADATA.flatMap((name) => {
    const metadata = unpacked(record[name]);
    return isRecord(metadata) ? [metadata] : [];
  });
  const inner = inners.map((each) => ofRecord(each, depth + 1)).find((each) => each?.text !== undefined);
  const text =
    wordIn(record, TEXTS) ?? inner?.text ?? wordIn(metadatas[0] ?? {}, TEXTS) ?? longestText(record);
  const id = idIn(record) ?? inner?.id ?? idIn(metadatas[0] ?? {});
  const score = scoreIn(record) ?? inner?.score ?? scoreIn(metadatas[0] ?? {});
  if (text === undefined && id === undefined) return undefined;
  return passageOf({ id, text, score, metadata: metadataOf(record, { inners, metadatas, text }) });
}

/** The fields of the record besides its text: its metadata, and short fields beside it. */
function metadataOf(
  record: Fields,
  {
    inners,
    metadatas,
    text,
  }: {
    readonly inners: readonly Fields[];
    readonly metadatas: readonly Fields[];
    readonly text: string | undefined;
  },
): Fields | undefined {
  const ownFields = [record, ...inners].flatMap((each) =>
    Object.entries(each).filter(
      ([name, value]) =>
        value !== text &&
        !name.startsWith('$') &&
        !SCORES.includes(name) &&
        (isShort(value) || isShortList(value)),
    ),
  );
  const nested = inners.flatMap((each) =>
    METADATA.flatMap((name) => (isRecord(each[name]) ? Object.entries(each[name]) : [])),
  );
  const all = {
    ...Object.fromEntries(ownFields),
    ...Object.fromEntries(nested),
    ...Object.assign({}, ...metadatas),
  } as Record<string, unknown>;
  const entries = Object.entries(all).filter(([name, value]) => value !== text && name !== '$type');
  return entries.length === 0
    ? undefined
    : Object.fromEntries(entries.map(([name, value]) => [name, withoutTypes(value)]));
}

/** Without the names of classes, which only say how hooks read a value. */
function withoutTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => withoutTypes(each));
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).filter(([name]) => name !== '$type');
  return Object.fromEntries(fields.map(([name, content]) => [name, withoutTypes(content)]));
}

const MAX_OF_A_FIELD = 2000;
const isShort = (value: unknown): boolean =>
  (typeof value === 'string' && value.length <= MAX_OF_A_FIELD) ||
  typeof value === 'number' ||
  typeof value === 'boolean';
const isShortList = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= 20 && value.every(isShort);

function passageOf({
  id,
  text,
  score,
  metadata,
}: {
  readonly id: unknown;
  readonly text: unknown;
  readonly score: unknown;
  readonly metadata: unknown;
}): LivePassage {
  const name = typeof id === 'number' ? String(id) : id;
  return {
    ...(typeof name === 'string' && name !== '' ? { id: name } : {}),
    ...(typeof text === 'string' ? { text } : {}),
    ...(typeof score === 'number' ? { score } : {}),
    ...(isRecord(metadata) && Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
}

function scored(passage: LivePassage, score: number | undefined): LivePassage {
  return score === undefined ? passage : { ...passage, score };
}

function wordIn(record: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = record[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
    const parts = textsOf(value);
    if (parts !== undefined) return parts;
  }
  return undefined;
}

/** A text as a list of parts, or as an object that contains it: Genkit, Bedrock, LlamaIndex. */
function textsOf(value: unknown): string | undefined {
  if (isRecord(value) && typeof value['text'] === 'string') return value['text'];
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const texts = value.map((part: unknown) => (isRecord(part) ? part['text'] : undefined));
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : undefined;
}

/** The text of a row with custom column names. */
function longestText(record: Fields): string | undefined {
  const texts = Object.entries(record).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' &&
      !IDS.includes(entry[0]) &&
      !entry[0].startsWith('$') &&
      !/^(?:url|source|path|file|link|title)/iu.test(entry[0]),
  );
  const longest = texts.map(([, text]) => text).toSorted((a, b) => b.length - a.length)[0];
  return longest !== undefined && longest.length >= MIN_TEXT && /\s/u.test(longest) ? longest : undefined;
}

function idIn(record: Fields): string | undefined {
  for (const name of IDS) {
    const value = record[name];
    if ((typeof value === 'string' && value !== '') || typeof value === 'number') return String(value);
  }
  return undefined;
}

function scoreIn(record: Fields): number | undefined {
  for (const name of SCORES) {
    const value = numberOf(record[name]);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Databases write exact numbers as texts. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(?:\.\d+)?(?:e-?\d+)?$/iu.test(value)
    ? Number(value)
    : undefined;
}

function isNumbers(value: unknown): boolean {
  if (typeof value === 'number') return true;
  if (isRecord(value))
    return '$vector' in value || Object.values(value).some((each) => Array.isArray(each) && isNumbers(each));
  return Array.isArray(value) && value.length > 0 && value.every((each) => isNumbers(each));
}

/** Removes placeholders for vectors, bytes and truncated values. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => plain(each));
  if (!isRecord(value)) return value;
  if (typeof value['$text'] === 'string') return value['$text'];
  if ('$vector' in value || '$bytes' in value || '$cut' in value) return null;
  return Object.fromEntries(Object.entries(value).map(([name, content]) => [name, plain(content)]));
}
