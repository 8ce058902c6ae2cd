/**
 * The store that a call searches, if the code names the store, the collection, and the field of the text: *Measure My
 * Retriever…* queries it instead of the program. If the code leaves any of these open, there is no store.
 */
import type { PostgresDistance } from '../core/external/stores/postgres.ts';
import type { ProgramStore } from '../core/external/store-type.ts';
import { STORES } from '../core/external/stores.gen.ts';
import type { StoreRetriever } from '../core/external/stores.ts';
import type { CallSite } from './model.ts';

/** The fields of a call site that determine its store. */
export type StoringSite = Pick<
  CallSite,
  'library' | 'store' | 'index' | 'matching' | 'pool' | 'statement' | 'range' | 'filtered'
>;

/** A retriever of `parallax.json` without address and embedder. */
export interface NamedStore {
  readonly type: StoreRetriever['type'];
  /** The fields for `parallax.json`, except for the type. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whether questions are sent as vectors. */
  readonly asksByVector: boolean;
  /** The address in the code, if any. */
  readonly address?: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Frameworks whose stores use their own fields for texts and vectors. */
const FRAMEWORKS: readonly string[] = ['langchain', 'langchain-js'];
/** Arguments that name other fields. */
const OTHERWISE =
  /\b(?:content_payload_key|text_key|id_key|vector_key|text_field|textKey|contentPayloadKey|vector_field|vector_query_field|query_field|vector_name)\s*[=:]/u;

/** @param text of the program; the site's places are offsets into it */
export function namedStore(site: StoringSite, text: string): NamedStore | undefined {
  // Records that a filter excludes would count as found.
  if (site.filtered) return undefined;
  if (site.library === 'pgvector')
    return ofStatement(text.slice(site.statement.start, statementEnd(site, text)));
  if (site.library === 'mongodb') return ofMongo(site, text);
  const isFramework = FRAMEWORKS.includes(site.library);
  const store = storeCalled(isFramework ? site.store : site.library);
  const collection = site.index?.value;
  if (!store || collection === undefined) return undefined;
  const { type, settings, program } = store;
  const { place, modes, address: addresses } = program;
  const isByWords = site.matching === 'words' && modes !== undefined;
  if (!isByWords && site.matching !== 'vectors') return undefined;
  const engine = settings['engine'] ?? type;
  const records = isFramework
    ? !OTHERWISE.test(text) && program.langchain?.[site.library]?.[engine]
    : ofRecords(program, isByWords, text);
  if (!records) return undefined;
  const fields = {
    ...(place === undefined ? {} : { [place]: collection }),
    ...settings,
    ...modes?.[isByWords ? 'words' : 'vectors'],
    ...records,
  };
  const address = addresses && only(text, addresses, /./u);
  return { type, fields, asksByVector: !isByWords, ...(address === undefined ? {} : { address }) };
}

interface CalledStore {
  readonly type: StoreRetriever['type'];
  /** Settings that the name implies. */
  readonly settings: Readonly<Record<string, string>>;
  readonly program: ProgramStore;
}

/** @param name of a library, or of a framework's class */
function storeCalled(name: string | undefined): CalledStore | undefined {
  if (name === undefined) return undefined;
  for (const type of Object.keys(STORES) as StoreRetriever['type'][]) {
    const { program } = STORES[type];
    const match = program?.named.find(([pattern]) => pattern.test(name));
    if (program && match) return { type, settings: match[1] ?? {}, program };
  }
  return undefined;
}

const VECTOR_FIELDS = /["']?\b(?:field|anns_field|annsField)\b["']?\s?[:=]\s?["']([\w.]{1,80})["']/gu;
/** Usual names of text fields; if several fields are read, one of these is the text. */
const TEXTS = /^(?:text|content|page_?content|document|chunk|chunk_?text|body|passage)$/iu;

function ofRecords(
  { reads, matches, distances, namesVectors = false }: ProgramStore,
  isByWords: boolean,
  text: string,
): Fields | undefined {
  if (!reads) return {};
  const textField = isByWords && matches ? only(text, matches, /./u) : only(text, reads, TEXTS);
  if (textField === undefined) return undefined;
  const distance = isByWords || !distances ? undefined : only(text, distances, /./u)?.toLowerCase();
  const isNamed = !isByWords && namesVectors;
  const vectorField = isNamed ? only(text, VECTOR_FIELDS, /./u) : undefined;
  if (isNamed && vectorField === undefined) return undefined;
  return {
    textField,
    ...(distance === undefined ? {} : { distance }),
    ...(vectorField === undefined ? {} : { vectorField }),
  };
}

const READS_OF_MONGO =
  /(?:\b(?:row|r|hit|result|doc|document|record|d|item|x|match)\b\W{0,3}(?:get\(\s?)?["']?(\w{1,80})|["']?\b(\w{1,80})\b["']?\s?:\s?(?:1\b|true\b))/giu;
const MONGO_PATHS = /["']?\bpath\b["']?\s?:\s?["'`]([\w.-]{1,200})["'`]/gu;
const MONGO_DATABASES = /(?:\b(?:db|get_database)\(\s?|\b\w{0,40}client\w{0,40}\[)["'`]([\w-]{1,63})["'`]/giu;
const MONGO_COLLECTIONS =
  /(?:\b(?:collection(?:<\w{1,80}>)?|get_collection)\(\s?|\b(?:db|database)\[|\]\[)["'`]([\w.-]{1,200})["'`]/gu;
const MONGO_EXACT = /["']?\bexact\b["']?\s?:\s?true\b/iu;

/**
 * The store of a `$vectorSearch`: its index is in the stage, database and collection are where the program opens them.
 */
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

/** The match of a pattern, if it is the same everywhere. */
function only(text: string, pattern: RegExp, accepted: RegExp): string | undefined {
  const names = new Set(
    [...text.matchAll(pattern)]
      .map(([, name, alternative = '']) => name ?? alternative)
      .filter((name) => accepted.test(name)),
  );
  return names.size === 1 ? [...names][0] : undefined;
}

const DISTANCES: Readonly<Record<string, PostgresDistance>> = {
  '<=>': 'cosine',
  '<->': 'l2',
  '<#>': 'inner-product',
  '<+>': 'l1',
};
/** The largest part of a statement that is read, in characters. */
const MAX_OF_STATEMENT = 4000;

function statementEnd({ range }: StoringSite, text: string): number {
  const end = text.indexOf('\n\n', range.end);
  return Math.min(end < 0 ? text.length : end, range.start + MAX_OF_STATEMENT);
}

/** The store of a statement that orders the rows of one table by their distance, without joins or conditions. */
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
