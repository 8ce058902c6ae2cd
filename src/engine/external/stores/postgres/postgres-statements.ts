/**
 * The statements for PostgreSQL. Names from the configuration are quoted as identifiers. Everything else (queries,
 * vectors, filters, limits) is a bound parameter and never part of a statement's text.
 */
import type { PostgresDistance, PostgresRetriever } from '../../../../core/external/stores/postgres.ts';

import type { NewRecord } from '../remote-store.ts';
import { conditionsOf } from './postgres-filter.ts';

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Facts from the catalog. */
export interface TableFacts {
  /** In PostgreSQL's notation, such as `bigint`. */
  readonly idType: string;
  /** The type of the column `metadata`, if there is one. */
  readonly metadata?: string | undefined;
  /** Columns that may tell where a row comes from. */
  readonly about: readonly string[];
  /** `undefined` if there is no such column, or it has no vectors. */
  readonly embedding?:
    | { readonly type: 'vector' | 'halfvec'; readonly dimensions: number | undefined }
    | undefined;
}

/** pgvector's operators. All of them are smaller for nearer vectors. */
const OPERATORS: Readonly<Record<PostgresDistance, string>> = {
  cosine: '<=>',
  l2: '<->',
  'inner-product': '<#>',
  l1: '<+>',
};

/** The operator class of a pgvector HNSW index, which supports only its own operator. */
const OPERATOR_CLASSES: Readonly<Record<PostgresDistance, string>> = {
  cosine: 'vector_cosine_ops',
  l2: 'vector_l2_ops',
  'inner-product': 'vector_ip_ops',
  l1: 'vector_l1_ops',
};

export class PostgresStatements {
  readonly #spec: PostgresRetriever;
  readonly #quote: (identifier: string) => string;

  /** @param quote converts any text to an identifier */
  constructor(spec: PostgresRetriever, quote: (identifier: string) => string) {
    this.#spec = spec;
    this.#quote = quote;
  }

  /** Name, type and type modifier of the table's columns. */
  columns(): Statement {
    return {
      text: `SELECT attname AS name, format_type(atttypid, NULL) AS type, atttypmod AS modifier
        FROM pg_catalog.pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
      values: [this.#table],
    };
  }

  /** One row: whether the table exists. */
  exists(): Statement {
    return { text: 'SELECT to_regclass($1) IS NOT NULL AS exists', values: [this.#table] };
  }

  /** Creates the table, and pgvector if the server has it and the user may. @param dimensions of the vectors */
  create(dimensions: number): Statement[] {
    const { id, text, embedding } = this.#spec.columns;
    const columns = [
      `${this.#quote(id)} text PRIMARY KEY`,
      `${this.#quote(text)} text NOT NULL`,
      'metadata jsonb',
      `${this.#quote(embedding)} vector(${Math.trunc(dimensions)})`,
    ];
    return [
      { text: 'CREATE EXTENSION IF NOT EXISTS vector', values: [] },
      { text: `CREATE TABLE IF NOT EXISTS ${this.#table} (${columns.join(', ')})`, values: [] },
    ];
  }

  /** The index for {@link nearest}. Without a name, so that PostgreSQL finds a free one. */
  createIndex(): Statement {
    const { columns, distance } = this.#spec;
    const embedding = this.#quote(columns.embedding);
    return {
      text: `CREATE INDEX ON ${this.#table} USING hnsw (${embedding} ${OPERATOR_CLASSES[distance]})`,
      values: [],
    };
  }

  /** Adds rows, except those whose id exists already, even without a constraint on it. */
  insert(records: readonly NewRecord[], type: 'vector' | 'halfvec', { metadata }: TableFacts): Statement {
    const { id, text, embedding } = this.#spec.columns;
    const takesMetadata = metadata === 'jsonb' || metadata === 'json';
    const names = [...[id, text, embedding].map(this.#quote), ...(takesMetadata ? ['metadata'] : [])];
    const lists = ['$1::text[]', '$2::text[]', `$3::text[]::${type}[]`];
    const values: unknown[] = [
      records.map((record) => record.id),
      records.map((record) => record.text),
      records.map(({ vector }) => `[${vector.join(',')}]`),
    ];
    if (takesMetadata) {
      lists.push(`$4::text[]::${metadata}[]`);
      values.push(records.map((record) => JSON.stringify(record.metadata)));
    }
    return {
      text: `INSERT INTO ${this.#table} (${names.join(', ')})
        SELECT * FROM unnest(${lists.join(', ')}) AS new(id, text, embedding${takesMetadata ? ', metadata' : ''})
        WHERE NOT EXISTS (SELECT FROM ${this.#table} AS held WHERE held.${this.#quote(id)} = new.id)
        ON CONFLICT DO NOTHING`,
      values,
    };
  }

  /** The bm25 indexes of the table, those on the text column first. */
  bm25Indexes(): Statement {
    const { columns } = this.#spec;
    return {
      text: `SELECT class.relname AS name
        FROM pg_catalog.pg_index index
        JOIN pg_catalog.pg_class class ON class.oid = index.indexrelid
        JOIN pg_catalog.pg_am method ON method.oid = class.relam AND method.amname = 'bm25'
        LEFT JOIN pg_catalog.pg_attribute attribute
          ON attribute.attrelid = index.indrelid AND attribute.attnum = index.indkey[0]
        WHERE index.indrelid = $1::regclass
        ORDER BY (attribute.attname = $2) DESC NULLS LAST, class.relname LIMIT 1`,
      values: [this.#table, columns.text],
    };
  }

  /** One row with the version of pgvector, or none without it. */
  pgvector(): Statement {
    return {
      text: `SELECT extversion AS version FROM pg_catalog.pg_extension WHERE extname = 'vector'`,
      values: [],
    };
  }

  /**
   * Settings of the search for neighbours, for this transaction only. Without them, pgvector ends after 40 rows, of
   * which a filter leaves fewer. A breadth that the pipeline sets is that of the user's program, and is not changed.
   * All are in one statement, which saves round trips to a distant server.
   *
   * @param k the number of rows to find
   * @param scansOn whether pgvector can continue until there are enough (0.8 and later)
   */
  settings(k: number, scansOn: boolean): Statement {
    const { exact, ef } = this.#spec;
    if (exact) return set({ enable_indexscan: 'off' });
    if (ef !== undefined) return set({ 'hnsw.ef_search': String(ef) });
    return set({
      'hnsw.ef_search': String(Math.min(Math.max(k, DEFAULT_EF), MAX_EF)),
      ...(scansOn
        ? { 'hnsw.iterative_scan': 'strict_order', 'ivfflat.iterative_scan': 'relaxed_order' }
        : {}),
    });
  }

  /** Rows of `key`, `text`, `about` and `distance`, nearest first. */
  nearest(vector: Float32Array, k: number, type: 'vector' | 'halfvec', facts: TableFacts): Statement {
    const { columns, distance } = this.#spec;
    const embedding = this.#quote(columns.embedding);
    const where = this.#where([`[${vector.join(',')}]`, k], [`${embedding} IS NOT NULL`]);
    const measured = `${embedding} ${OPERATORS[distance]} $1::${type}`;
    return {
      text: `SELECT ${this.#record(facts)}, ${measured} AS distance FROM ${this.#table}${where.text} ORDER BY ${measured} LIMIT $2`,
      values: where.values,
    };
  }

  /** Rows of `key`, `text`, `about` and `score`, best first. */
  fullText(query: string, k: number, facts: TableFacts): Statement {
    const { columns, language } = this.#spec;
    const document =
      columns.tsvector === undefined
        ? `to_tsvector($1::regconfig, ${this.#quote(columns.text)})`
        : this.#quote(columns.tsvector);
    const tsQuery = TS_QUERIES[this.#spec.query];
    const where = this.#where([language, query, k], [`${document} @@ ${tsQuery}`]);
    return {
      text: `SELECT ${this.#record(facts)}, ts_rank(${document}, ${tsQuery}) AS score FROM ${this.#table}${where.text} ORDER BY score DESC LIMIT $3`,
      values: where.values,
    };
  }

  /**
   * Rows of `key`, `text`, `about` and `distance`, which is the negative score, best first. Rows that share no word
   * with the query come last if PostgreSQL does not use the index; their distance is 0.
   */
  bm25(query: string, k: number, index: string, facts: TableFacts): Statement {
    const measured = `${this.#quote(this.#spec.columns.text)} <@> to_bm25query($1, $2)`;
    const where = this.#where([query, index, k], []);
    return {
      text: `SELECT ${this.#record(facts)}, ${measured} AS distance FROM ${this.#table}${where.text} ORDER BY ${measured} LIMIT $3`,
      values: where.values,
    };
  }

  /** One row with the number of searched rows. */
  count(): Statement {
    const where = this.#where([], []);
    return {
      text: `SELECT count(*)::float8 AS count FROM ${this.#table}${where.text}`,
      values: where.values,
    };
  }

  /** Rows of `key` and `vector` in pgvector's notation. */
  vectors(keys: readonly string[], { idType }: TableFacts): Statement {
    const { id, embedding } = this.#spec.columns;
    const column = this.#quote(embedding);
    return {
      text: `SELECT ${this.#quote(id)}::text AS key, ${column}::text AS vector FROM ${this.#table}
        WHERE ${this.#quote(id)} = ANY($1::${idType}[]) AND ${column} IS NOT NULL`,
      values: [keys],
    };
  }

  /** Rows of `key`, `text` and `about` with these ids. */
  records(ids: readonly string[], facts: TableFacts): Statement {
    const where = this.#where([ids], [`${this.#quote(this.#spec.columns.id)} = ANY($1::${facts.idType}[])`]);
    return { text: `SELECT ${this.#record(facts)} FROM ${this.#table}${where.text}`, values: where.values };
  }

  /** Rows of `key`, `text` and `about` in the order of the ids. */
  first(limit: number, facts: TableFacts): Statement {
    const where = this.#where([limit], []);
    const order = this.#quote(this.#spec.columns.id);
    return {
      text: `SELECT ${this.#record(facts)} FROM ${this.#table}${where.text} ORDER BY ${order} LIMIT $1`,
      values: where.values,
    };
  }

  get #table(): string {
    return `${this.#quote(this.#spec.schema)}.${this.#quote(this.#spec.table)}`;
  }

  #record({ about }: TableFacts): string {
    const { id, text } = this.#spec.columns;
    // These names are constants here, and need no escaping.
    const fields = about.map((column) => `'${column}', ${this.#quote(column)}`).join(', ');
    const aboutColumn = about.length === 0 ? 'NULL' : `jsonb_build_object(${fields})`;
    return `${this.#quote(id)}::text AS key, ${this.#quote(text)}::text AS text, ${aboutColumn} AS about`;
  }

  /** @param values of the parameters so far, followed by those of the filter */
  #where(values: readonly unknown[], conditions: readonly string[]): Statement {
    const filter = conditionsOf(this.#spec.where, this.#quote, values.length + 1);
    const all = [...conditions, ...filter.conditions];
    return {
      text: all.length === 0 ? '' : ` WHERE ${all.join(' AND ')}`,
      values: [...values, ...filter.values],
    };
  }
}

/** $1 is the text search configuration, $2 the question. */
const TS_QUERIES = {
  websearch: 'websearch_to_tsquery($1::regconfig, $2)',
  plain: 'plainto_tsquery($1::regconfig, $2)',
  any: `replace(plainto_tsquery($1::regconfig, $2)::text, ' & ', ' | ')::tsquery`,
} as const;

/** pgvector's default, and its limit. */
const DEFAULT_EF = 40;
const MAX_EF = 1_000;

function set(settings: Readonly<Record<string, string>>): Statement {
  const values = Object.entries(settings).flat();
  const calls = Object.keys(settings).map(
    (_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, true)`,
  );
  return { text: `SELECT ${calls.join(', ')}`, values };
}
