/**
 * The store that a call searches, where the code says which one, which collection, and where in a record the text stands: what
 * *Measure My Retriever…* asks in the place of the program. What the code leaves open makes no store.
 */
import type { PostgresDistance, StoreRetriever } from '../core/external/stores.ts';
import type { CallSite } from './model.ts';

/** The part of a call site that tells its store. */
export type StoringSite = Pick<
  CallSite,
  'library' | 'store' | 'index' | 'matching' | 'pool' | 'statement' | 'range' | 'filtered'
>;

/** A retriever of `parallax.json` but for its address and embedder. */
export interface NamedStore {
  readonly type: StoreRetriever['type'];
  /** As they are written into `parallax.json`, the type aside. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whether a question is asked by its vector. */
  readonly asksByVector: boolean;
  /** Where the code says that it is. */
  readonly address?: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Types of stores by the name of the library, or of the class in a framework. */
const STORES: readonly (readonly [named: RegExp, type: StoreRetriever['type'], engine?: string])[] = [
  [/^chroma/iu, 'chroma'],
  [/^(?:async)?qdrant/iu, 'qdrant'],
  [/^milvus/iu, 'milvus'],
  [/^weaviate/iu, 'weaviate'],
  [/^pinecone/iu, 'pinecone'],
  [/^opensearch/iu, 'opensearch', 'opensearch'],
  [/^(?:async)?elastic/iu, 'opensearch', 'elasticsearch'],
  [/^lance/iu, 'lancedb'],
];

/** The setting of a store for its collection; one has an address for each. */
const PLACES: Readonly<Partial<Record<StoreRetriever['type'], string | undefined>>> = {
  opensearch: 'index',
  lancedb: 'table',
  pinecone: undefined,
};
/** Those that are searched by words as well, and what the settings say then. */
const MODES: Readonly<Partial<Record<StoreRetriever['type'], { vectors: Fields; words: Fields }>>> = {
  opensearch: { vectors: { mode: 'knn' }, words: { mode: 'bm25' } },
  lancedb: { vectors: {}, words: { mode: 'bm25' } },
};

/**
 * Fields in which LangChain's stores keep texts and vectors unless they are told otherwise, by library and by the engine or
 * type of the store.
 */
const LANGCHAIN: Readonly<Record<string, Readonly<Record<string, Fields>>>> = {
  langchain: {
    chroma: {},
    qdrant: { textField: 'page_content' },
    milvus: { textField: 'text', vectorField: 'vector' },
    pinecone: { textField: 'text' },
    opensearch: { textField: 'text', vectorField: 'vector_field' },
    elasticsearch: { textField: 'text', vectorField: 'vector' },
    lancedb: {},
  },
  'langchain-js': {
    chroma: {},
    qdrant: { textField: 'content' },
    pinecone: { textField: 'text' },
    elasticsearch: { textField: 'text', vectorField: 'embedding' },
  },
};
/** Arguments by which they are told. */
const OTHERWISE =
  /\b(?:content_payload_key|text_key|id_key|vector_key|text_field|textKey|contentPayloadKey|vector_field|vector_query_field|query_field|vector_name)\s*[=:]/u;

/** @param text of the program; the site's places are offsets into it */
export function namedStore(site: StoringSite, text: string): NamedStore | undefined {
  // Records that a filter leaves out would be counted as found.
  if (site.filtered) return undefined;
  if (site.library === 'pgvector')
    return ofStatement(text.slice(site.statement.start, statementEnd(site, text)));
  if (site.library === 'mongodb') return ofMongo(site, text);
  const framework = LANGCHAIN[site.library];
  const name = framework ? site.store : site.library;
  const [, type, engine = type] = STORES.find(([named]) => name !== undefined && named.test(name)) ?? [];
  const collection = site.index?.value;
  if (type === undefined || collection === undefined) return undefined;
  const modes = MODES[type];
  const isByWords = site.matching === 'words' && modes !== undefined;
  if (!isByWords && site.matching !== 'vectors') return undefined;
  const records = framework ? !OTHERWISE.test(text) && framework[engine!] : ofRecords(type, isByWords, text);
  if (!records) return undefined;
  const place = type in PLACES ? PLACES[type] : 'collection';
  const fields = {
    ...(place === undefined ? {} : { [place]: collection }),
    ...(type === 'opensearch' ? { engine } : {}),
    ...modes?.[isByWords ? 'words' : 'vectors'],
    ...records,
  };
  const address = type === 'lancedb' ? only(text, LANCE_FOLDERS, /./u) : undefined;
  return { type, fields, asksByVector: !isByWords, ...(address === undefined ? {} : { address }) };
}

/** How programs read the text out of what the client of a store gives them. */
const READS: Readonly<Partial<Record<StoreRetriever['type'], RegExp>>> = {
  qdrant: /\bpayload\b\W{0,3}(?:get\(\s?)?["']?(\w{1,80})/gu,
  milvus: /\b(?:entity|hit|output_fields)\b["']?\W{0,6}(?:get\(\s?)?["']?(\w{1,80})/gu,
  weaviate: /\bproperties\b\W{0,3}(?:get\(\s?)?["']?(\w{1,80})/gu,
  pinecone: /\bmetadata\b\W{0,3}(?:get\(\s?)?["']?(\w{1,80})/gu,
  lancedb:
    /(?:\b(?:row|r|hit|result|doc|record|d|item|x|match)\b\W{0,3}(?:get\(\s?)?|\bselect\(\s?\[[^\]]{0,200}?)["']?\b(\w{1,80})/gu,
  opensearch: /\b_source\b\W{0,4}(?:get\(\s?)?["']?(\w{1,80})/gu,
};
const MATCHED = /["']?\bmatch\b["']?\s?:\s?\{\s{0,80}["']?([\w.]{1,80})/gu;
const VECTOR_FIELDS = /["']?\b(?:field|anns_field|annsField)\b["']?\s?[:=]\s?["']([\w.]{1,80})["']/gu;
const LANCE_FOLDERS = /\bconnect(?:_async)?\(\s?["'`]([^"'`\s]{1,300})["'`]/gu;
const LANCE_DISTANCES = /\b(?:metric|distance_type|distanceType|metricType)\(\s?["'`](l2|cosine|dot)["'`]/giu;
/** Usual names of texts: among several fields that are read, one of these is the text. */
const TEXTS = /^(?:text|content|page_?content|document|chunk|chunk_?text|body|passage)$/iu;

function ofRecords(type: StoreRetriever['type'], isByWords: boolean, text: string): Fields | undefined {
  if (type === 'chroma') return {};
  const textField =
    isByWords && type === 'opensearch' ? only(text, MATCHED, /./u) : only(text, READS[type]!, TEXTS);
  if (textField === undefined) return undefined;
  if (type === 'lancedb') {
    const distance = isByWords ? undefined : only(text, LANCE_DISTANCES, /./u)?.toLowerCase();
    return { textField, ...(distance === undefined ? {} : { distance }) };
  }
  const isNamed = !isByWords && (type === 'opensearch' || type === 'milvus');
  const vectorField = isNamed ? only(text, VECTOR_FIELDS, /./u) : undefined;
  if (isNamed && vectorField === undefined) return undefined;
  return { textField, ...(vectorField === undefined ? {} : { vectorField }) };
}

const READS_OF_MONGO =
  /(?:\b(?:row|r|hit|result|doc|document|record|d|item|x|match)\b\W{0,3}(?:get\(\s?)?["']?(\w{1,80})|["']?\b(\w{1,80})\b["']?\s?:\s?(?:1\b|true\b))/giu;
const MONGO_PATHS = /["']?\bpath\b["']?\s?:\s?["'`]([\w.-]{1,200})["'`]/gu;
const MONGO_DATABASES = /(?:\b(?:db|get_database)\(\s?|\b\w{0,40}client\w{0,40}\[)["'`]([\w-]{1,63})["'`]/giu;
const MONGO_COLLECTIONS =
  /(?:\b(?:collection(?:<\w{1,80}>)?|get_collection)\(\s?|\b(?:db|database)\[|\]\[)["'`]([\w.-]{1,200})["'`]/gu;
const MONGO_EXACT = /["']?\bexact\b["']?\s?:\s?true\b/iu;

/** The store of a `$vectorSearch`: its index stands in the stage, database and collection where the program gets hold of them. */
function ofMongo({ matching, index, pool }: StoringSite, text: string): NamedStore | undefined {
  const database = only(text, MONGO_DATABASES, /./u);
  const collection = only(text, MONGO_COLLECTIONS, /./u);
  const vectorField = only(text, MONGO_PATHS, /./u);
  const textField = only(text, READS_OF_MONGO, TEXTS);
  if (matching !== 'vectors' || index?.value === undefined) return undefined;
  if (!database || !collection || !vectorField || !textField) return undefined;
  const breadth = MONGO_EXACT.test(text)
    ? { exact: true }
    : pool?.value === undefined
      ? {}
      : { numCandidates: pool.value };
  const fields = { database, collection, index: index.value, vectorField, textField, ...breadth };
  return { type: 'mongodb', fields, asksByVector: true };
}

/** The match of a pattern, where it is one and the same everywhere. */
function only(text: string, pattern: RegExp, kept: RegExp): string | undefined {
  const found = new Set(
    [...text.matchAll(pattern)]
      .map(([, name, other = '']) => name ?? other)
      .filter((name) => kept.test(name)),
  );
  return found.size === 1 ? [...found][0] : undefined;
}

const DISTANCES: Readonly<Record<string, PostgresDistance>> = {
  '<=>': 'cosine',
  '<->': 'l2',
  '<#>': 'inner-product',
  '<+>': 'l1',
};
/** Letters of a statement that are looked at. */
const MOST_OF_STATEMENT = 4000;

function statementEnd({ range }: StoringSite, text: string): number {
  const end = text.indexOf('\n\n', range.end);
  return Math.min(end < 0 ? text.length : end, range.start + MOST_OF_STATEMENT);
}

/** The store of a statement that orders the rows of one table by their distance; one with joins or conditions is more than that. */
function ofStatement(text: string): NamedStore | undefined {
  if (/\b(?:join|where|union)\b/iu.test(text)) return undefined;
  const [, column, operator = ''] = /"?\b(\w{1,63})"?\s?(<=>|<->|<#>|<\+>)/u.exec(text) ?? [];
  const [, selected, schema, table] =
    /\bselect\s+([\w\s,."]{1,500}?)\bfrom\s+(?:"?(\w{1,63})"?\.)?"?(\w{1,63})\b(?!\s?\()/iu.exec(text) ?? [];
  if (column === undefined || selected === undefined || table === undefined) return undefined;
  const columns = selected.split(',').map((each) => each.trim().replace(/^.*\./u, '').replaceAll('"', ''));
  const id = columns.filter((name) => /^(?:\w+_)?id$/iu.test(name));
  const texts = columns.filter((name) => TEXTS.test(name));
  if (id.length !== 1 || texts.length !== 1) return undefined;
  return {
    type: 'postgres',
    fields: {
      ...(schema === undefined ? {} : { schema }),
      table,
      columns: { id: id[0], text: texts[0], embedding: column },
      distance: DISTANCES[operator],
    },
    asksByVector: true,
  };
}
