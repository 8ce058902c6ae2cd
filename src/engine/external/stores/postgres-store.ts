/** PostgreSQL through its official client: vectors by pgvector, words by its full text search or by pg_textsearch. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { ABOUT_FIELDS } from '../../../core/external/about-record.ts';
import type { ExternalResult } from '../../../core/external/spec.ts';
import type { PostgresDistance, PostgresRetriever } from '../../../core/external/stores/postgres.ts';
import type { ExternalQuery, RetrieverHealth } from '../external-retriever.ts';
import { postgresAddress } from './postgres/postgres-address.ts';
import { connectPostgres } from './postgres/postgres-connection.ts';
import type { PostgresStatements, TableFacts } from './postgres/postgres-statements.ts';
import { QueryVectors, scoreOfDistance, type FindEmbedder } from './query-vectors.ts';
import type {
  NewPlace,
  NewRecord,
  RemoteStore,
  StoredRecord,
  StoredVectors,
  StoreWriter,
  VectorsByKey,
} from './remote-store.ts';
import { isFrom, lackOfIndex } from './postgres/postgres-indexes.ts';
import { PostgresTransactions, type RunStatement } from './postgres/postgres-transactions.ts';
import { postgresTrouble } from './postgres/postgres-trouble.ts';
import { StoreCalls } from './store-calls.ts';
import { storedCount, storedRecord, storedVector } from './stored-values.ts';
import { fullListOf, listOf } from '../../../core/formats/lists.ts';

/** Types of texts, by PostgreSQL's names. */
const TEXT_TYPES: readonly string[] = ['text', 'character varying'];

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/iu;
const integerUpTo =
  (most: number) =>
  (id: string): boolean =>
    /^-?\d{1,18}$/u.test(id) && Math.abs(Number(id)) <= most;

/** Whether a text can be an id of a type, by PostgreSQL's names of types. The types of texts accept any text. */
const ID_FORMS: Readonly<Record<string, (id: string) => boolean>> = {
  smallint: integerUpTo(2 ** 15 - 1),
  integer: integerUpTo(2 ** 31 - 1),
  bigint: integerUpTo(2 ** 63),
  numeric: integerUpTo(2 ** 63),
  uuid: (id) => UUID.test(id),
};

const columnRows = listOf(z.object({ name: z.string(), type: z.string(), modifier: z.number() }));
const nameRows = listOf(z.object({ name: z.string() }));
const versionRows = listOf(z.object({ version: z.string() }));
const anyRows = z.array(z.unknown());
const existsRows = fullListOf(z.object({ exists: z.boolean() }));
const countRows = fullListOf(z.object({ count: storedCount }));
const recordRow = z.object({ key: z.string(), text: z.string().nullable(), about: z.unknown() });
const recordRows = listOf(recordRow);
const scoredRows = listOf(recordRow.extend({ score: z.number() }));
/** A vector of zeros has no cosine, so its distance is NaN. */
const distantRows = listOf(recordRow.extend({ distance: z.union([z.number(), z.nan()]) }));
/** pgvector writes a vector like a JSON list of numbers. */
const vectorRows = listOf(
  z.object({ key: z.string(), vector: z.string().transform(parsedJson).pipe(storedVector) }),
);

/** @param secret a password, or a connection string; defaults to PGPASSWORD */
export function createStore(
  spec: PostgresRetriever,
  secret: string | undefined,
  embedder: FindEmbedder,
): RemoteStore {
  return new PostgresStore(spec, secret, embedder);
}

/** From pgvector 0.8 on, an index search continues until enough rows pass the filter. */
const SCANS_ON_FROM = 8;

class PostgresStore implements RemoteStore {
  readonly vectors: StoredVectors | undefined;
  readonly writer: StoreWriter | undefined;
  readonly #spec: PostgresRetriever;
  readonly #calls: StoreCalls;
  readonly #queries: QueryVectors | undefined;
  readonly #transactions: PostgresTransactions;
  #table: TableFacts | undefined;
  #index: string | undefined;
  /** Its version, after the first request. */
  #pgvector: string | undefined;

  constructor(spec: PostgresRetriever, secret: string | undefined, embedder: FindEmbedder) {
    this.#spec = spec;
    this.#index = spec.index;
    const address = postgresAddress(spec, secret);
    this.#calls = new StoreCalls({
      name: l10n.t`PostgreSQL at ${address.host}:${address.port}`,
      timeoutMs: spec.timeoutMs,
      explain: (error, store) => postgresTrouble(error, store, { ...spec, ...address }),
      secret: address.password,
    });
    this.#transactions = new PostgresTransactions(
      () => connectPostgres(spec, address, this.#calls.name),
      this.#calls,
    );
    if (spec.embedder === undefined) return;
    this.#queries = new QueryVectors(spec.embedder, embedder, this.#calls);
    this.vectors = {
      embedder: spec.embedder,
      fetch: (keys, signal) => this.#fetch(keys, signal),
      nearest: (vector, k, signal) => this.#nearest(vector, k, signal),
    };
    this.writer = {
      exists: (signal) =>
        this.#transactions.read(async (read, statements) => {
          const [row] = await read(existsRows, statements.exists());
          return row!.exists;
        }, signal),
      create: (dimensions, manner, signal) =>
        this.#transactions.write(
          (run, statements) => this.#create(run, statements, dimensions, manner),
          signal,
        ),
      add: (records, signal) => this.#add(records, signal),
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
    return this.#transactions.read(async (read, statements) => {
      const [row] = await read(countRows, statements.count());
      return row!.count;
    }, signal);
  }

  async check(signal?: AbortSignal): Promise<RetrieverHealth> {
    const count = await this.count(signal);
    await this.search({ text: 'test' }, 1, signal);
    const { schema, table } = this.#spec;
    return {
      message: counted(
        l10n.t('{1} answers; the table {2} has {0} [0:row|rows].'),
        count,
        this.#calls.name,
        `${schema}.${table}`,
      ),
      count,
    };
  }

  first(limit: number, signal?: AbortSignal): Promise<readonly StoredRecord[]> {
    return this.#transactions.read(async (read, statements) => {
      const statement = statements.first(limit, await this.#facts(read, statements));
      return (await read(recordRows, statement, 'last')).map(recordOf);
    }, signal);
  }

  records(ids: readonly string[], signal?: AbortSignal): Promise<readonly StoredRecord[]> {
    return this.#transactions.read(async (read, statements) => {
      const facts = await this.#facts(read, statements);
      // PostgreSQL refuses the whole statement if one id does not match the column's type.
      const isId = ID_FORMS[facts.idType];
      const keys = isId ? ids.filter(isId) : ids;
      return (await read(recordRows, statements.records(keys, facts), 'last')).map(recordOf);
    }, signal);
  }

  async close(): Promise<void> {
    this.#calls.close();
    await this.#transactions.close();
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
    return this.#transactions.read(async (read, statements) => {
      const facts = await this.#facts(read, statements);
      const { type, dimensions } = this.#embeddingOf(facts);
      this.#queryVectors.requireSame(vector, dimensions);
      const scansOn = await this.#canScanOn(read, statements);
      // Both are sent at once, and answered in this order.
      const [, rows] = await Promise.all([
        read(anyRows, statements.settings(k, scansOn)),
        read(distantRows, statements.nearest(vector, k, type, facts), 'last'),
      ]);
      return rows
        .slice(0, k)
        .filter(({ distance }) => !Number.isNaN(distance))
        .map(({ distance, ...row }) => ({ ...recordOf(row), score: SCORES[measure](distance) }));
    }, signal);
  }

  #fullText(query: string, k: number, signal: AbortSignal | undefined): Promise<readonly ExternalResult[]> {
    return this.#transactions.read(async (read, statements) => {
      const rows = await read(
        scoredRows,
        statements.fullText(query, k, await this.#facts(read, statements)),
        'last',
      );
      return rows.slice(0, k).map(({ score, ...row }) => ({ ...recordOf(row), score }));
    }, signal);
  }

  #bm25(query: string, k: number, signal: AbortSignal | undefined): Promise<readonly ExternalResult[]> {
    return this.#transactions.read(async (read, statements) => {
      this.#index ??= (await read(nameRows, statements.bm25Indexes()))[0]?.name;
      if (this.#index === undefined)
        throw this.#calls.failure(
          l10n.t`${this.#calls.name} has no bm25 index on the table ${this.#spec.table}; install the extension pg_textsearch, or use mode "text".`,
        );
      const facts = await this.#facts(read, statements);
      const rows = await read(distantRows, statements.bm25(query, k, this.#index, facts), 'last');
      // Drops rows without a common word, as an index scan does.
      return rows
        .slice(0, k)
        .filter(({ distance }) => distance < 0)
        .map(({ distance, ...row }) => ({ ...recordOf(row), score: -distance }));
    }, signal);
  }

  async #fetch(keys: readonly string[], signal: AbortSignal | undefined): Promise<VectorsByKey> {
    return this.#transactions.read(async (read, statements) => {
      const facts = await this.#facts(read, statements);
      this.#embeddingOf(facts);
      const rows = await read(vectorRows, statements.vectors(keys, facts), 'last');
      return new Map(rows.map(({ key, vector }) => [key, vector]));
    }, signal);
  }

  #add(records: readonly NewRecord[], signal: AbortSignal | undefined): Promise<void> {
    return this.#transactions.write(async (run, statements) => {
      const facts = await this.#facts(run, statements);
      const { type } = this.#embeddingOf(facts);
      const { columns, table } = this.#spec;
      if (!TEXT_TYPES.includes(facts.idType))
        throw this.#calls.failure(
          l10n.t`${this.#calls.name} has ids of the type ${facts.idType} in the column "${columns.id}" of the table ${table}; those of passages are texts.`,
        );
      await run(anyRows, statements.insert(records, type, facts));
    }, signal);
  }

  /** Creates the index while the table is empty, so that it exists even if filling is interrupted. */
  async #create(
    run: RunStatement,
    statements: PostgresStatements,
    dimensions: number,
    { indexed, onLack }: NewPlace,
  ): Promise<void> {
    for (const statement of statements.create(dimensions)) await run(anyRows, statement);
    if (!indexed) return;
    const { distance, table } = this.#spec;
    const version = (await run(versionRows, statements.pgvector()))[0]?.version ?? '';
    const lack = lackOfIndex(version, dimensions, distance, table);
    if (lack === undefined) await run(anyRows, statements.createIndex());
    else onLack(lack);
  }

  async #facts(read: RunStatement, statements: PostgresStatements): Promise<TableFacts> {
    this.#table ??= this.#factsOf(await read(columnRows, statements.columns()));
    return this.#table;
  }

  /** Whether pgvector continues its index search until enough rows pass the filter. */
  async #canScanOn(read: RunStatement, statements: PostgresStatements): Promise<boolean> {
    this.#pgvector ??= (await read(versionRows, statements.pgvector()))[0]?.version ?? '';
    return isFrom(this.#pgvector, SCANS_ON_FROM);
  }

  #factsOf(columns: Read<typeof columnRows>): TableFacts {
    const { id, embedding } = this.#spec.columns;
    const find = (column: string): (typeof columns)[number] | undefined =>
      columns.find(({ name }) => name === column);
    const vectors = find(embedding);
    const idColumn = find(id);
    if (!idColumn)
      throw this.#calls.failure(
        l10n.t`${this.#calls.name} has no column "${id}" in the table ${this.#spec.table}.`,
      );
    return {
      idType: idColumn.type,
      metadata: find('metadata')?.type,
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
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No schema accepts `undefined`.
    return undefined;
  }
}

const recordOf = ({ key, text, about }: Read<typeof recordRow>): StoredRecord =>
  storedRecord(key, key, text, about);

function isVectorType(type: string): type is 'vector' | 'halfvec' {
  return type === 'vector' || type === 'halfvec';
}

/** pgvector returns the negative inner product, so that smaller is nearer with all its operators. */
const SCORES: Readonly<Record<PostgresDistance, (distance: number) => number>> = {
  cosine: (distance) => 1 - distance,
  'inner-product': (distance) => -distance,
  l2: scoreOfDistance,
  l1: scoreOfDistance,
};
