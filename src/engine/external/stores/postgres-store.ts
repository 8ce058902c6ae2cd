/** PostgreSQL through its official client: vectors by pgvector, words by its full text search or by pg_textsearch. */
import * as l10n from '@vscode/l10n';
import type { PoolClient } from 'pg';
import * as z from 'zod';
import { messageOf } from '../../../core/errors.ts';
import { ABOUT_FIELDS } from '../../../core/external/about-record.ts';
import type { ExternalResult } from '../../../core/external/spec.ts';
import type { PostgresDistance, PostgresRetriever } from '../../../core/external/stores.ts';
import type { ExternalQuery, RetrieverHealth } from '../external-retriever.ts';
import { Once } from './once.ts';
import { connectPostgres, type PostgresConnection } from './postgres-connection.ts';
import type { PostgresStatements, Statement, TableFacts } from './postgres-statements.ts';
import { QueryVectors, scoreOfDistance, type FindEmbedder } from './query-vectors.ts';
import type { RecordPage, RemoteStore, StoredRecord, StoredVectors, VectorsByKey } from './remote-store.ts';
import { connectionTrouble, StoreCalls, type StoreTrouble } from './store-calls.ts';
import { storedCount, storedRecord, storedVector } from './stored-values.ts';

const columnRows = z.array(z.object({ name: z.string(), type: z.string(), modifier: z.number() }));
const nameRows = z.array(z.object({ name: z.string() }));
const versionRows = z.array(z.object({ version: z.string() }));
const anyRows = z.array(z.unknown());
const countRows = z.array(z.object({ count: storedCount })).min(1);
const recordRow = z.object({ key: z.string(), text: z.string().nullable(), about: z.unknown() });
const recordRows = z.array(recordRow);
const scoredRows = z.array(recordRow.extend({ score: z.number() }));
/** A vector of zeros has no cosine: its distance is not a number. */
const distantRows = z.array(recordRow.extend({ distance: z.union([z.number(), z.nan()]) }));
/** pgvector writes a vector as JSON writes a list of numbers. */
const vectorRows = z.array(
  z.object({ key: z.string(), vector: z.string().transform(parsedJson).pipe(storedVector) }),
);

/** @param password PGPASSWORD counts when it is left out */
export function createPostgresStore(
  spec: PostgresRetriever,
  password: string | undefined,
  embedder: FindEmbedder,
): RemoteStore {
  return new PostgresStore(spec, password, embedder);
}

/** Of pgvector 0.x. */
const SCANS_ON_FROM = 8;

/** One open transaction that reads. */
type Reader = <T>(rows: z.ZodType<T>, statement: Statement) => Promise<T>;

class PostgresStore implements RemoteStore {
  readonly keepsOrder = true;
  readonly vectors: StoredVectors | undefined;
  readonly #spec: PostgresRetriever;
  readonly #calls: StoreCalls;
  readonly #queries: QueryVectors | undefined;
  readonly #connection: Once<PostgresConnection>;
  #table: TableFacts | undefined;
  #index: string | undefined;
  /** Version, once it was asked for. */
  #pgvector: string | undefined;

  constructor(spec: PostgresRetriever, password: string | undefined, embedder: FindEmbedder) {
    this.#spec = spec;
    this.#index = spec.index;
    this.#calls = new StoreCalls({
      name: l10n.t`PostgreSQL at ${spec.host}:${spec.port}`,
      timeoutMs: spec.timeoutMs,
      explain: (error, store) => postgresTrouble(error, store, spec),
      secret: password,
    });
    this.#connection = new Once(() => connectPostgres(spec, password, this.#calls.name));
    if (spec.embedder === undefined) return;
    this.#queries = new QueryVectors(spec.embedder, embedder, this.#calls);
    this.vectors = {
      embedder: spec.embedder,
      fetch: (keys, signal) => this.#fetch(keys, signal),
      nearest: (vector, k, signal) => this.#nearest(vector, k, signal),
    };
  }

  async search({ text }: ExternalQuery, k: number, signal?: AbortSignal): Promise<readonly ExternalResult[]> {
    switch (this.#spec.mode) {
      case 'vector':
        return this.#nearest(await this.#queryVectors.of(text, signal), k, signal);
      case 'text':
        return this.#fullText(text, k, signal);
      case 'bm25':
        return this.#bm25(text, k, signal);
    }
  }

  count(signal?: AbortSignal): Promise<number> {
    return this.#read(async (read, statements) => {
      const [row] = await read(countRows, statements.count());
      return row!.count;
    }, signal);
  }

  async check(signal?: AbortSignal): Promise<RetrieverHealth> {
    const count = await this.count(signal);
    await this.search({ text: 'test' }, 1, signal);
    const { schema, table } = this.#spec;
    return {
      message:
        count === 1
          ? l10n.t`${this.#calls.name} answers; the table ${schema}.${table} holds 1 row.`
          : l10n.t`${this.#calls.name} answers; the table ${schema}.${table} holds ${count} rows.`,
      count,
    };
  }

  page(from: string | undefined, limit: number, signal?: AbortSignal): Promise<RecordPage> {
    return this.#read(async (read, statements) => {
      const rows = await read(recordRows, statements.page(from, limit, await this.#facts(read, statements)));
      return {
        records: rows.map(recordOf),
        ...(rows.length === limit ? { next: rows.at(-1)!.key } : {}),
      };
    }, signal);
  }

  records(ids: readonly string[], signal?: AbortSignal): Promise<readonly StoredRecord[]> {
    return this.#read(async (read, statements) => {
      const facts = await this.#facts(read, statements);
      // PostgreSQL refuses the whole statement for one id that is none of the column's type.
      const isId = ID_FORMS[facts.idType];
      const keys = isId ? ids.filter(isId) : ids;
      return (await read(recordRows, statements.records(keys, facts))).map(recordOf);
    }, signal);
  }

  async close(): Promise<void> {
    this.#calls.close();
    const connection = await this.#connection.ifMade;
    await connection?.pool.end();
  }

  get #queryVectors(): QueryVectors {
    if (this.#queries) return this.#queries;
    throw this.#calls.failure(
      l10n.t`${this.#calls.name} is to be searched by vectors, but the pipeline names no embedder.`,
    );
  }

  #nearest(
    vector: Float32Array,
    k: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly ExternalResult[]> {
    const { distance: measure } = this.#spec;
    return this.#read(async (read, statements) => {
      const facts = await this.#facts(read, statements);
      const { type, dimensions } = this.#embeddingOf(facts);
      this.#queryVectors.requireSame(vector, dimensions);
      const scansOn = await this.#canScanOn(read, statements);
      // Both are sent at once, and answered in this order.
      const [, rows] = await Promise.all([
        read(anyRows, statements.settings(k, scansOn)),
        read(distantRows, statements.nearest(vector, k, type, facts)),
      ]);
      return rows
        .slice(0, k)
        .filter(({ distance }) => !Number.isNaN(distance))
        .map(({ distance, ...row }) => ({ ...recordOf(row), score: SCORES[measure](distance) }));
    }, signal);
  }

  #fullText(query: string, k: number, signal: AbortSignal | undefined): Promise<readonly ExternalResult[]> {
    return this.#read(async (read, statements) => {
      const rows = await read(scoredRows, statements.fullText(query, k, await this.#facts(read, statements)));
      return rows.slice(0, k).map(({ score, ...row }) => ({ ...recordOf(row), score }));
    }, signal);
  }

  #bm25(query: string, k: number, signal: AbortSignal | undefined): Promise<readonly ExternalResult[]> {
    return this.#read(async (read, statements) => {
      this.#index ??= (await read(nameRows, statements.bm25Indexes()))[0]?.name;
      if (this.#index === undefined)
        throw this.#calls.failure(
          l10n.t`${this.#calls.name} has no bm25 index on the table ${this.#spec.table}; it takes the extension pg_textsearch, or use mode "text".`,
        );
      const facts = await this.#facts(read, statements);
      const rows = await read(distantRows, statements.bm25(query, k, this.#index, facts));
      // Without a word in common: an index scan leaves such rows out, too.
      return rows
        .slice(0, k)
        .filter(({ distance }) => distance < 0)
        .map(({ distance, ...row }) => ({ ...recordOf(row), score: -distance }));
    }, signal);
  }

  async #fetch(keys: readonly string[], signal: AbortSignal | undefined): Promise<VectorsByKey> {
    return this.#read(async (read, statements) => {
      const facts = await this.#facts(read, statements);
      this.#embeddingOf(facts);
      const rows = await read(vectorRows, statements.vectors(keys, facts));
      return new Map(rows.map(({ key, vector }) => [key, vector]));
    }, signal);
  }

  async #facts(read: Reader, statements: PostgresStatements): Promise<TableFacts> {
    this.#table ??= this.#factsOf(await read(columnRows, statements.columns()));
    return this.#table;
  }

  /** Whether pgvector goes on with its index until enough rows pass the filter. */
  async #canScanOn(read: Reader, statements: PostgresStatements): Promise<boolean> {
    this.#pgvector ??= (await read(versionRows, statements.pgvector()))[0]?.version ?? '';
    const [major = 0, minor = 0] = this.#pgvector.split('.').map(Number);
    return major > 0 || minor >= SCANS_ON_FROM;
  }

  #factsOf(columns: z.output<typeof columnRows>): TableFacts {
    const { id, embedding } = this.#spec.columns;
    const find = (wanted: string): (typeof columns)[number] | undefined =>
      columns.find(({ name }) => name === wanted);
    const vectors = find(embedding);
    const idColumn = find(id);
    if (!idColumn)
      throw this.#calls.failure(
        l10n.t`${this.#calls.name} has no column "${id}" in the table ${this.#spec.table}.`,
      );
    return {
      idType: idColumn.type,
      about: columns.map(({ name }) => name).filter((name) => ABOUT_FIELDS.includes(name)),
      embedding:
        vectors && isVectorType(vectors.type)
          ? { type: vectors.type, dimensions: vectors.modifier > 0 ? vectors.modifier : undefined }
          : undefined,
    };
  }

  #embeddingOf({ embedding }: TableFacts): NonNullable<TableFacts['embedding']> {
    if (embedding) return embedding;
    const { columns, table } = this.#spec;
    throw this.#calls.failure(
      l10n.t`${this.#calls.name} has no column "${columns.embedding}" of pgvector's type vector or halfvec in the table ${table}.`,
    );
  }

  /** Runs statements in one transaction that cannot write. A connection whose call was given up is closed. */
  #read<T>(
    work: (read: Reader, statements: PostgresStatements) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return this.#calls.run(async (end) => {
      const { pool, statements, begin } = await this.#connection.get();
      const client = await pool.connect();
      begin();
      if (end.aborted) client.release(true);
      end.throwIfAborted();
      const giveUp = (): void => client.release(true);
      end.addEventListener('abort', giveUp, { once: true });
      try {
        // What comes next is sent before this is answered, and fails where this fails.
        const begun = client.query('BEGIN READ ONLY');
        begun.catch(() => undefined);
        const read: Reader = async (rows, statement) => {
          const parsed = rows.safeParse(await query(client, statement));
          if (parsed.success) return parsed.data;
          throw this.#calls.failure(
            l10n.t`${this.#calls.name} answered with rows of an unexpected form.`,
            parsed.error,
          );
        };
        const [, result] = await Promise.all([begun, work(read, statements)]);
        if (!end.aborted) endTransaction(client);
        return result;
      } catch (error) {
        // In a failed transaction, perhaps in the middle of an answer: not worth saving.
        if (!end.aborted) client.release(true);
        throw error;
      } finally {
        end.removeEventListener('abort', giveUp);
      }
    }, signal);
  }
}

/** Nothing was written, so nobody waits for the end: on a far server it is a way there and back. */
function endTransaction(client: PoolClient): void {
  client.query('COMMIT').then(
    () => client.release(),
    () => client.release(true),
  );
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/iu;
const integerUpTo =
  (most: number) =>
  (id: string): boolean =>
    /^-?\d{1,18}$/u.test(id) && Math.abs(Number(id)) <= most;

/** Whether a text can be an id of a type, by PostgreSQL's names of types. Any text can be one of the types of texts. */
const ID_FORMS: Readonly<Record<string, (id: string) => boolean>> = {
  smallint: integerUpTo(2 ** 15 - 1),
  integer: integerUpTo(2 ** 31 - 1),
  bigint: integerUpTo(2 ** 63),
  numeric: integerUpTo(2 ** 63),
  uuid: (id) => UUID.test(id),
};

async function query(client: PoolClient, { text, values }: Statement): Promise<unknown> {
  return (await client.query({ text, values: [...values] })).rows;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No form fits it.
    return undefined;
  }
}

const recordOf = ({ key, text, about }: z.output<typeof recordRow>): StoredRecord =>
  storedRecord(key, key, text, about);

function isVectorType(type: string): type is 'vector' | 'halfvec' {
  return type === 'vector' || type === 'halfvec';
}

/** pgvector gives the negative inner product, so that smaller is nearer with all its operators. */
const SCORES: Readonly<Record<PostgresDistance, (distance: number) => number>> = {
  cosine: (distance) => 1 - distance,
  'inner-product': (distance) => -distance,
  l2: scoreOfDistance,
  l1: scoreOfDistance,
};

/** By PostgreSQL's error codes (its manual, appendix A). */
function postgresTrouble(error: unknown, store: string, spec: PostgresRetriever): StoreTrouble {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  const said = messageOf(error).replace(/\.$/, '');
  const { database, schema, table, user } = spec;
  switch (code) {
    case '28P01':
    case '28000':
      return { sentence: l10n.t`${store} refuses the user "${user}": ${said}; check the stored password.` };
    case '3D000':
      return { sentence: l10n.t`${store} has no database "${database}".` };
    case '42P01':
    case '3F000':
      return { sentence: l10n.t`${store} has no table ${schema}.${table}.` };
    case '42501':
      return { sentence: l10n.t`${store} lets the user "${user}" not read: ${said}.` };
    case '42883':
      return {
        sentence: l10n.t`${store} lacks an extension: ${said}; "vector" takes pgvector, "bm25" takes pg_textsearch.`,
      };
    case '57014':
      return { sentence: l10n.t`${store} did not answer within ${spec.timeoutMs / 1000} s.` };
    default:
      return isServerError(code)
        ? { sentence: l10n.t`${store} refuses: ${said}.` }
        : connectionTrouble(store, error);
  }
}

/** Five characters; connection errors have codes such as ECONNREFUSED, or none. 08: connection, 53: resources, 57P: shutting down. */
function isServerError(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && !/^(08|53|57P)/.test(code);
}
